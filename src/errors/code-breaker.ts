// How a code counts for the circuit breaker where only the code is known: an author's `code:`, or
// an upstream that speaks this taxonomy. Evidence that says more has its own tables.
import type { ErrorCode } from './catalogue.js';
import type { BreakerVerdict } from './error-info.js';

// prettier-ignore
const BREAKER_BY_CODE = {
  TOOL_NOT_FOUND:           'neutral',
  TOOL_REGISTRATION_FAILED: 'neutral',
  TOOL_EXECUTION_FAILED:    'success',
  TOOL_TIMEOUT:             'failure',
  TOOL_CANCELLED:           'neutral',
  TOOL_VALIDATION_ERROR:    'success',
  TOOL_ARGUMENT_ERROR:      'success',
  TOOL_RESULT_ERROR:        'success',
  TOOL_RATE_LIMITED:        'neutral',
  TOOL_CIRCUIT_OPEN:        'neutral',
  BULKHEAD_FULL:            'neutral',
  PARSER_ERROR:             'neutral',
  PARSER_INVALID_FORMAT:    'neutral',
  MCP_CONNECTION_FAILED:    'failure',
  MCP_TRANSPORT_ERROR:      'failure',
  MCP_SERVER_ERROR:         'success',
  MCP_TIMEOUT:              'failure',
  RESOURCE_EXHAUSTED:       'neutral',
  CONFIGURATION_ERROR:      'neutral',
  TOOL_DECLINED:            'success',
  TOOL_NOT_PERMITTED:       'neutral',
  UPSTREAM_FORBIDDEN:       'neutral',
  UPSTREAM_AUTH_FAILED:     'neutral',
  UPSTREAM_QUOTA_EXHAUSTED: 'neutral',
  UPSTREAM_INVALID_REQUEST: 'success',
  UPSTREAM_REJECTED:        'success',
  UPSTREAM_SERVER_ERROR:    'failure',
  UPSTREAM_UNAVAILABLE:     'failure',
  TOOL_CONNECTION_FAILED:   'failure',
  TOOL_TRANSPORT_ERROR:     'failure',
  TOOL_RESULT_TOO_LARGE:    'success',
  TOOL_INPUT_REQUIRED:      'success',
  IDEMPOTENCY_CONFLICT:     'neutral',
  DEPENDENCY_FAILED:        'neutral',
  UNMAPPED_FAILURE:         'neutral',
  INTERNAL_ERROR:           'neutral',
} as const satisfies Record<ErrorCode, BreakerVerdict>;

/** The breaker's verdict on a code by itself. */
export function breakerOfCode(code: ErrorCode): BreakerVerdict {
  return BREAKER_BY_CODE[code];
}
