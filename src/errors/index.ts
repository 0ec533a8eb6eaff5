// The public entry `toolgate/errors`: what the author of a module tool throws.
export {
  ToolArgumentValidationError,
  ToolFailure,
  ToolNotFoundError,
  ToolNotPermittedError,
  ToolRefusal,
  ToolResultError,
  ToolTimedOutError,
  type ToolErrorFields,
  type ToolErrorOptions,
  type ToolFailureOptions,
} from './tool-errors.js';
export {
  ToolErrorMap,
  permanent,
  refusal,
  transient,
  type ErrorClass,
  type ToolErrorMapOptions,
  type ToolErrorMapping,
} from './tool-error-map.js';
