// The catalogue: everything the public contract says about a code stands in its one row here.
// Types, OpenAPI enums, `GET /v1/errors` and docs/errors.md derive from it. Evidence tables (which
// status or errno gives which code) stand in a file of their own per kind of evidence.

/** What a category allows at most; what is known about the call may only narrow it. */
export const CATEGORIES = {
  rate_limit: { mayRetry: true, callerAction: 'Wait retry_after_ms, then send the same call.' },
  circuit_open: { mayRetry: true, callerAction: 'Use a fallback, or wait for recovery.' },
  bulkhead_full: {
    mayRetry: true,
    callerAction: 'Queue the work and come back after retry_after_ms.',
  },
  timeout: { mayRetry: true, callerAction: 'Send the same call, perhaps with a longer timeout.' },
  execution: { mayRetry: true, callerAction: 'Repeat only if the cause is transient.' },
  connection: { mayRetry: true, callerAction: 'Repeat with backoff.' },
  validation: { mayRetry: false, callerAction: 'Fix the request.' },
  not_found: { mayRetry: false, callerAction: 'Check the name; see details.suggestions.' },
  cancelled: { mayRetry: false, callerAction: 'Nothing.' },
  configuration: { mayRetry: false, callerAction: 'An operator must act.' },
  permission: { mayRetry: false, callerAction: 'This caller may not; do not retry.' },
  declined: { mayRetry: false, callerAction: "The tool's answer is no; tell the user." },
} as const satisfies Record<string, { mayRetry: boolean; callerAction: string }>;

export type ErrorCategory = keyof typeof CATEGORIES;

interface ErrorSpec {
  readonly category: ErrorCategory;
  /** Whether the cause may pass by itself when nothing more is known of it. */
  readonly transient: boolean;
  /** One sentence: what happened. */
  readonly when: string;
  /** The minor version that brought the code. Codes are public API. */
  readonly since: string;
}

export const CATALOGUE = {
  TOOL_NOT_FOUND: {
    category: 'not_found',
    transient: false,
    when: 'No tool of this name is configured.',
    since: '0.1',
  },
  TOOL_REGISTRATION_FAILED: {
    category: 'configuration',
    transient: false,
    when: 'A tool could not be registered: its definition is faulty.',
    since: '0.1',
  },
  TOOL_EXECUTION_FAILED: {
    category: 'execution',
    transient: false,
    when: 'The tool ran and reported a failure of its own.',
    since: '0.1',
  },
  TOOL_TIMEOUT: {
    category: 'timeout',
    transient: true,
    when: 'The call outran its time.',
    since: '0.1',
  },
  TOOL_CANCELLED: {
    category: 'cancelled',
    transient: false,
    when: 'The caller left or cancelled, or the gateway shut down.',
    since: '0.1',
  },
  TOOL_VALIDATION_ERROR: {
    category: 'validation',
    transient: false,
    when: 'The tool itself found its input or its result invalid.',
    since: '0.1',
  },
  TOOL_ARGUMENT_ERROR: {
    category: 'validation',
    transient: false,
    when: 'The arguments are not valid JSON or do not match the schema; nothing ran.',
    since: '0.1',
  },
  TOOL_RESULT_ERROR: {
    category: 'validation',
    transient: false,
    when: 'The tool answered, but its answer may not be used.',
    since: '0.1',
  },
  TOOL_RATE_LIMITED: {
    category: 'rate_limit',
    transient: true,
    when: 'Too many calls: a limit of the gateway or of the upstream was reached.',
    since: '0.1',
  },
  TOOL_CIRCUIT_OPEN: {
    category: 'circuit_open',
    transient: true,
    when: 'The tool failed too often lately and is given time to recover.',
    since: '0.1',
  },
  BULKHEAD_FULL: {
    category: 'bulkhead_full',
    transient: true,
    when: 'All slots and queue places of the tool are taken.',
    since: '0.1',
  },
  PARSER_ERROR: {
    category: 'validation',
    transient: false,
    when: 'The request body could not be parsed.',
    since: '0.1',
  },
  PARSER_INVALID_FORMAT: {
    category: 'validation',
    transient: false,
    when: 'The request body has no known shape.',
    since: '0.1',
  },
  MCP_CONNECTION_FAILED: {
    category: 'connection',
    transient: true,
    when: 'The MCP server could not be reached or initialised.',
    since: '0.1',
  },
  MCP_TRANSPORT_ERROR: {
    category: 'connection',
    transient: true,
    when: 'The connection to the MCP server broke before an answer.',
    since: '0.1',
  },
  MCP_SERVER_ERROR: {
    category: 'execution',
    transient: false,
    when: 'The MCP server answered with a protocol error.',
    since: '0.1',
  },
  MCP_TIMEOUT: {
    category: 'timeout',
    transient: true,
    when: 'The MCP server did not answer in time.',
    since: '0.1',
  },
  RESOURCE_EXHAUSTED: {
    category: 'bulkhead_full',
    transient: true,
    when: 'The gateway is out of a resource or is draining.',
    since: '0.1',
  },
  CONFIGURATION_ERROR: {
    category: 'configuration',
    transient: false,
    when: 'The tool is configured wrongly.',
    since: '0.1',
  },
  TOOL_DECLINED: {
    category: 'declined',
    transient: false,
    when: 'The tool worked and said no.',
    since: '0.1',
  },
  TOOL_NOT_PERMITTED: {
    category: 'permission',
    transient: false,
    when: "The gateway's policy does not allow this caller this tool.",
    since: '0.1',
  },
  UPSTREAM_FORBIDDEN: {
    category: 'permission',
    transient: false,
    when: 'The upstream forbade the call.',
    since: '0.1',
  },
  UPSTREAM_AUTH_FAILED: {
    category: 'configuration',
    transient: false,
    when: "The upstream did not accept the gateway's credential.",
    since: '0.1',
  },
  UPSTREAM_QUOTA_EXHAUSTED: {
    category: 'configuration',
    transient: false,
    when: 'The account at the upstream is out of money or quota.',
    since: '0.1',
  },
  UPSTREAM_INVALID_REQUEST: {
    category: 'validation',
    transient: false,
    when: 'The upstream found the request invalid.',
    since: '0.1',
  },
  UPSTREAM_REJECTED: {
    category: 'execution',
    transient: false,
    when: 'The upstream gave another definite refusal.',
    since: '0.1',
  },
  UPSTREAM_SERVER_ERROR: {
    category: 'execution',
    transient: true,
    when: 'The upstream failed internally.',
    since: '0.1',
  },
  UPSTREAM_UNAVAILABLE: {
    category: 'connection',
    transient: true,
    when: 'The upstream is unavailable for now.',
    since: '0.1',
  },
  TOOL_CONNECTION_FAILED: {
    category: 'connection',
    transient: true,
    when: 'The upstream could not be reached; the call was never sent.',
    since: '0.1',
  },
  TOOL_TRANSPORT_ERROR: {
    category: 'connection',
    transient: true,
    when: 'The connection broke; the call may have been sent.',
    since: '0.1',
  },
  TOOL_RESULT_TOO_LARGE: {
    category: 'validation',
    transient: false,
    when: "The answer is over the tool's result limit.",
    since: '0.1',
  },
  TOOL_INPUT_REQUIRED: {
    category: 'validation',
    transient: false,
    when: 'The tool needs more input from the user before it can run.',
    since: '0.1',
  },
  IDEMPOTENCY_CONFLICT: {
    category: 'validation',
    transient: false,
    when: 'The idempotency key was used before with other arguments.',
    since: '0.1',
  },
  DEPENDENCY_FAILED: {
    category: 'cancelled',
    transient: false,
    when: 'A call that this one depends on did not succeed.',
    since: '0.1',
  },
  UNMAPPED_FAILURE: {
    category: 'execution',
    transient: false,
    when: 'Nobody classified this failure; it is taken as permanent.',
    since: '0.1',
  },
  INTERNAL_ERROR: {
    category: 'configuration',
    transient: false,
    when: 'A fault of the gateway itself.',
    since: '0.1',
  },
} as const satisfies Record<string, ErrorSpec>;

/** A stable code of the public API. */
export type ErrorCode = keyof typeof CATALOGUE;

/** All codes, in the catalogue's order. */
export const ERROR_CODES = Object.keys(CATALOGUE) as ErrorCode[];
