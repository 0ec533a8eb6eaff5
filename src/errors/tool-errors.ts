// What the author of a module tool throws to say what happened. Recognised by a registered symbol,
// not by class, so that a second copy of this package in the tool's own node_modules works.
import { isReasonCode } from './reason-code.js';

/** Marks every class below, across copies of the package. */
export const TOOL_ERROR = Symbol.for('toolgate.tool-error');

export type ToolErrorKind =
  | 'failure'
  | 'refusal'
  | 'timed_out'
  | 'not_permitted'
  | 'not_found'
  | 'argument_validation'
  | 'result';

/** Options of every tool error. */
export interface ToolErrorOptions {
  /** For people and models; scrubbed before it leaves. Default: a sentence made from the code. */
  readonly message?: string;
  /** When the same call may succeed, milliseconds. */
  readonly retryAfterMs?: number;
  /** Kept for your own logs; never sent. */
  readonly cause?: unknown;
}

export interface ToolFailureOptions extends ToolErrorOptions {
  /**
   * True says: nothing landed, and the same call could succeed. Default false: who has not thought
   * about whether repeating the call repeats a side effect has not established that it does not.
   */
  readonly transient?: boolean;
}

/** JSON Pointer into the arguments or the result -> what is wrong. */
export type ToolErrorFields = Readonly<Record<string, string>>;

/** The common part. A stable code is required: `[A-Za-z0-9_.:-]`, at most 64 characters. */
export abstract class ToolErrorBase extends Error {
  readonly code: string;
  readonly retryable: boolean;
  readonly retryAfterMs: number | undefined;
  /** @internal */
  readonly [TOOL_ERROR]: ToolErrorKind;

  /** @throws TypeError without a valid code: a failure nobody can name cannot be acted upon. */
  constructor(
    kind: ToolErrorKind,
    code: string,
    retryable: boolean,
    { message, retryAfterMs, cause }: ToolErrorOptions,
  ) {
    if (!isReasonCode(code)) {
      throw new TypeError('A tool error needs a code of letters, digits and _.:- (1 to 64).');
    }
    super(message ?? code, cause === undefined ? undefined : { cause });
    this.name = new.target.name;
    this.code = code;
    this.retryable = retryable;
    this.retryAfterMs = retryAfterMs;
    this[TOOL_ERROR] = kind;
  }
}

/** The tool tried and could not finish. */
export class ToolFailure extends ToolErrorBase {
  readonly transient: boolean;

  constructor(code: string, options: ToolFailureOptions = {}) {
    super('failure', code, options.transient === true, options);
    this.transient = options.transient === true;
  }
}

/** The tool worked and said no: an answer, not a fault. Delivered once, never retried. */
export class ToolRefusal extends ToolErrorBase {
  constructor(code: string, message?: string) {
    super('refusal', code, false, message === undefined ? {} : { message });
  }
}

/** The call outran the tool's own ceiling; whether it had its effect is not known. */
export class ToolTimedOutError extends ToolErrorBase {
  readonly timeoutMs: number | undefined;

  constructor(code: string, options: ToolErrorOptions & { readonly timeoutMs?: number } = {}) {
    super('timed_out', code, true, options);
    this.timeoutMs = options.timeoutMs;
  }
}

/** A permission decision. */
export class ToolNotPermittedError extends ToolErrorBase {
  constructor(code: string, options: ToolErrorOptions = {}) {
    super('not_permitted', code, false, options);
  }
}

/** The tool is not there: a mistake of deployment. */
export class ToolNotFoundError extends ToolErrorBase {
  constructor(code: string, options: ToolErrorOptions = {}) {
    super('not_found', code, false, options);
  }
}

/** The arguments are wrong in a way that the schema cannot say; nothing ran. */
export class ToolArgumentValidationError extends ToolErrorBase {
  readonly errors: ToolErrorFields | undefined;

  constructor(
    code: string,
    options: ToolErrorOptions & { readonly errors?: ToolErrorFields } = {},
  ) {
    super('argument_validation', code, false, options);
    this.errors = options.errors;
  }
}

/** What came back may not be used. */
export class ToolResultError extends ToolErrorBase {
  readonly errors: ToolErrorFields | undefined;

  constructor(
    code: string,
    options: ToolErrorOptions & { readonly errors?: ToolErrorFields } = {},
  ) {
    super('result', code, false, options);
    this.errors = options.errors;
  }
}
