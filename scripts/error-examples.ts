// One failure per code for docs/errors.md, run through the classifier itself, so that the page
// cannot promise what the code does not do.
import type { ErrorCode } from '../src/errors/catalogue.js';
import { CATALOGUE } from '../src/errors/catalogue.js';
import { compileErrorRules } from '../src/errors/author-rules.js';
import { classify, type ClassifySubject } from '../src/errors/classify.js';
import type { ErrorInfo } from '../src/errors/error-info.js';
import type { ErrorRule } from '../src/errors/error-rule.js';
import type { FailedOutcome } from '../src/errors/outcome.js';
import { createScrubber } from '../src/errors/scrub.js';

interface Example {
  readonly tool: string;
  readonly outcome: FailedOutcome;
  readonly mcp?: true;
  readonly idempotent?: false;
  readonly rules?: readonly ErrorRule[];
}

/** Codes of whole requests, of registration: no outcome of a call has them. */
type RequestCode = 'TOOL_REGISTRATION_FAILED' | 'PARSER_ERROR' | 'PARSER_INVALID_FORMAT';

const response = (
  status: number,
  headers: Record<string, string> = {},
  body: unknown = '',
): FailedOutcome => ({
  kind: 'response',
  status,
  headers,
  body: typeof body === 'string' ? body : JSON.stringify(body),
});
const system = (code: string): Error => Object.assign(new Error(code), { code });

const EXAMPLES: Readonly<Record<Exclude<ErrorCode, RequestCode>, Example>> = {
  TOOL_NOT_FOUND: {
    tool: 'weather.forcast',
    outcome: {
      kind: 'unknown-tool',
      availableTools: ['weather.alerts', 'weather.forecast'],
      suggestions: ['weather.forecast'],
    },
  },
  TOOL_EXECUTION_FAILED: {
    tool: 'notes.edit',
    mcp: true,
    idempotent: false,
    outcome: { kind: 'mcp-result', problem: 'is_error', text: 'anchor not found' },
  },
  TOOL_TIMEOUT: {
    tool: 'payments.charge',
    idempotent: false,
    outcome: { kind: 'timeout', scope: 'attempt', phase: 'awaiting_headers', timeoutMs: 10_000 },
  },
  TOOL_CANCELLED: {
    tool: 'weather.forecast',
    outcome: { kind: 'cancelled', reason: 'client_left', phase: 'queued' },
  },
  TOOL_VALIDATION_ERROR: {
    tool: 'calc.divide',
    outcome: { kind: 'thrown', error: new RangeError('the divisor must not be zero') },
  },
  TOOL_ARGUMENT_ERROR: {
    tool: 'weather.forecast',
    outcome: { kind: 'invalid-arguments', errors: { '/days': 'must be an integer' } },
  },
  TOOL_RESULT_ERROR: {
    tool: 'tickets.create',
    outcome: {
      kind: 'result-invalid',
      problem: 'schema',
      explanation: 'The result does not match the output schema.',
      errors: { '/id': 'must be a number' },
      content: { id: 'T-7' },
    },
  },
  TOOL_RATE_LIMITED: {
    tool: 'repos.search',
    outcome: response(
      429,
      { 'retry-after': '30', 'x-ratelimit-limit': '100' },
      { message: 'Slow down.' },
    ),
  },
  TOOL_CIRCUIT_OPEN: {
    tool: 'weather.forecast',
    outcome: {
      kind: 'circuit-open',
      failureCount: 5,
      retryAfterMs: 12_400,
      resetTimeoutMs: 30_000,
    },
  },
  BULKHEAD_FULL: {
    tool: 'reports.render',
    outcome: {
      kind: 'bulkhead-full',
      limit: 32,
      queued: 128,
      retryAfterMs: 850,
      cause: 'queue_full',
    },
  },
  MCP_CONNECTION_FAILED: {
    tool: 'notes.search',
    mcp: true,
    outcome: { kind: 'mcp-connection', problem: 'connect_failed', error: system('ECONNREFUSED') },
  },
  MCP_TRANSPORT_ERROR: {
    tool: 'notes.edit',
    mcp: true,
    idempotent: false,
    outcome: { kind: 'mcp-connection', problem: 'child_exited', exitSignal: 'SIGKILL' },
  },
  MCP_SERVER_ERROR: {
    tool: 'notes.search',
    mcp: true,
    outcome: { kind: 'mcp-error', code: -32603, message: 'Internal error' },
  },
  MCP_TIMEOUT: {
    tool: 'notes.search',
    mcp: true,
    outcome: { kind: 'timeout', scope: 'idle', phase: 'reading_body', timeoutMs: 60_000 },
  },
  RESOURCE_EXHAUSTED: {
    tool: 'weather.forecast',
    outcome: { kind: 'transport', phase: 'queued', error: system('EMFILE') },
  },
  CONFIGURATION_ERROR: {
    tool: 'weather.forecast',
    outcome: { kind: 'transport', phase: 'connecting', error: system('CERT_HAS_EXPIRED') },
  },
  TOOL_DECLINED: {
    tool: 'bookings.cancel',
    idempotent: false,
    outcome: response(409),
    rules: [
      {
        when: { status: 409 },
        then: { declined: 'booking_not_cancellable', message: 'This fare is non-refundable.' },
      },
    ],
  },
  TOOL_NOT_PERMITTED: { tool: 'weather.admin.reset', outcome: { kind: 'not-permitted' } },
  UPSTREAM_FORBIDDEN: {
    tool: 'repos.delete',
    outcome: response(403, {}, { message: 'Must have admin rights.' }),
  },
  UPSTREAM_AUTH_FAILED: { tool: 'weather.forecast', outcome: response(401) },
  UPSTREAM_QUOTA_EXHAUSTED: {
    tool: 'texts.summarise',
    outcome: response(
      429,
      {},
      { error: { code: 'insufficient_quota', message: 'You exceeded your current quota.' } },
    ),
  },
  UPSTREAM_INVALID_REQUEST: {
    tool: 'weather.forecast',
    outcome: response(422, {}, { code: 'no_such_city', message: 'There is no city of this name.' }),
  },
  UPSTREAM_REJECTED: {
    tool: 'orders.get',
    outcome: response(404, {}, { message: 'No such order.' }),
  },
  UPSTREAM_SERVER_ERROR: { tool: 'mail.send', idempotent: false, outcome: response(500) },
  UPSTREAM_UNAVAILABLE: {
    tool: 'weather.forecast',
    outcome: response(503, { 'retry-after': '2' }),
  },
  TOOL_CONNECTION_FAILED: {
    tool: 'mail.send',
    idempotent: false,
    outcome: { kind: 'transport', phase: 'connecting', error: system('ECONNREFUSED') },
  },
  TOOL_TRANSPORT_ERROR: {
    tool: 'mail.send',
    idempotent: false,
    outcome: { kind: 'transport', phase: 'awaiting_headers', error: system('ECONNRESET') },
  },
  TOOL_RESULT_TOO_LARGE: {
    tool: 'reports.render',
    outcome: { kind: 'result-too-large', limitBytes: 1_048_576, sizeBytes: 5_242_880 },
  },
  TOOL_INPUT_REQUIRED: {
    tool: 'calendar.book',
    mcp: true,
    outcome: { kind: 'mcp-result', problem: 'input_required', text: 'Which calendar?' },
  },
  IDEMPOTENCY_CONFLICT: { tool: 'payments.charge', outcome: { kind: 'idempotency-conflict' } },
  DEPENDENCY_FAILED: {
    tool: 'mail.send',
    outcome: { kind: 'dependency-failed', dependency: { id: 'c1', code: 'TOOL_TIMEOUT' } },
  },
  UNMAPPED_FAILURE: { tool: 'calc.add', outcome: { kind: 'thrown', error: new Error('boom') } },
  INTERNAL_ERROR: {
    tool: 'weather.forecast',
    outcome: { kind: 'internal', requestId: 'req-7f3a' },
  },
};

const REQUEST_EXAMPLES: Readonly<Record<RequestCode, Pick<ErrorInfo, 'message' | 'effect'>>> = {
  TOOL_REGISTRATION_FAILED: {
    message: 'The tool could not be registered: input_schema is missing.',
    effect: 'not_sent',
  },
  PARSER_ERROR: { message: 'The body is not valid JSON (line 1, column 14).', effect: 'not_sent' },
  PARSER_INVALID_FORMAT: {
    message: 'The body has no known shape: expected "calls".',
    effect: 'not_sent',
  },
};

/** An `error_info` with this code, as a client receives it (but for the attempts). */
export function exampleOf(code: ErrorCode): ErrorInfo {
  if (isRequestCode(code)) {
    return {
      code,
      category: CATALOGUE[code].category,
      ...REQUEST_EXAMPLES[code],
      retryable: false,
      retry_after_ms: null,
      details: { tool_name: '', attempts: 0, transient: false, classified_by: 'gateway' },
    };
  }
  const example = EXAMPLES[code];
  const subject: ClassifySubject = {
    toolName: example.tool,
    kind: example.mcp === true ? 'mcp' : 'http',
    ...(example.mcp === true && { serverName: 'notes' }),
    idempotent: example.idempotent ?? true,
    trust503: false,
    rules: compileErrorRules(example.rules ?? []),
    scrubber: createScrubber([]),
  };
  return classify(example.outcome, subject, false).info;
}

function isRequestCode(code: ErrorCode): code is RequestCode {
  return code in REQUEST_EXAMPLES;
}
