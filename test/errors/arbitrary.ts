// Any failure that can be handed to the classifier, and any tool it may belong to.
import fc from 'fast-check';
import { CATALOGUE, ERROR_CODES } from '../../src/errors/catalogue.js';
import type { ClassifySubject } from '../../src/errors/classify.js';
import type { ErrorRule } from '../../src/errors/error-rule.js';
import type { FailedOutcome, HeaderBag } from '../../src/errors/outcome.js';
import { subject } from './helpers.js';

type Arb<T> = fc.Arbitrary<T>;
/** Optional members that are absent, not undefined. */
const maybe = <T extends object>(
  model: { [K in keyof T]: Arb<T[K]> },
  required: (keyof T)[],
): Arb<T> => fc.record(model, { requiredKeys: required });

const phase = fc.constantFrom(
  'queued',
  'connecting',
  'sending',
  'awaiting_headers',
  'reading_body' as const,
);
const text = fc.oneof(
  fc.string({ maxLength: 60, unit: 'binary' }),
  fc.constantFrom(
    'request timed out',
    'rate limit',
    '429',
    'invalid',
    'tool error',
    'temporarily unavailable',
    '',
  ),
);
const code = fc.oneof(
  fc.constantFrom(
    'ECONNREFUSED',
    'ECONNRESET',
    'ETIMEDOUT',
    'ENOTFOUND',
    'CERT_HAS_EXPIRED',
    'UND_ERR_SOCKET',
    'UND_ERR_DESTROYED',
    'Z_DATA_ERROR',
    'insufficient_quota',
    'ThrottlingException',
    'EMFILE',
    'HPE_X',
  ),
  text,
);
const headerValue = fc.oneof(
  fc.constantFrom(
    '0',
    '1',
    '30',
    '-1',
    '99999999999',
    '0.5',
    'Sun, 06 Nov 1994 08:49:37 GMT',
    '6m0s',
    '"d";r=0;t=7',
    'false',
    'cloudflare',
    'application/problem+json',
    'text/html',
  ),
  text,
);
const headers: Arb<HeaderBag> = fc.dictionary(
  fc.constantFrom(
    'retry-after',
    'retry-after-ms',
    'grpc-retry-pushback-ms',
    'ratelimit',
    'x-ratelimit-remaining',
    'x-ratelimit-reset',
    'x-should-retry',
    'server',
    'content-type',
    'date',
    'x-amzn-errortype',
    'www-authenticate',
  ),
  fc.oneof(headerValue, fc.array(headerValue, { maxLength: 3 })),
  { maxKeys: 5 },
);
const errorInfo = fc
  .record({
    code: fc.constantFrom(...ERROR_CODES),
    wrongCategory: fc.boolean(),
    message: text,
    retryable: fc.boolean(),
    retry_after_ms: fc.option(fc.nat(90_000_000), { nil: null }),
    effect: fc.constantFrom('not_sent', 'completed', 'unknown', 'odd'),
    details: fc.option(fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 2 })), {
      nil: undefined,
    }),
  })
  .map(({ wrongCategory, ...info }) => ({
    ...info,
    category: wrongCategory ? 'odd' : CATALOGUE[info.code].category,
  }));
const json = fc.oneof(
  fc.jsonValue({ maxDepth: 3 }),
  fc.record({ error_info: errorInfo }),
  fc.record({
    error: fc.record({
      code: fc.oneof(code, fc.jsonValue({ maxDepth: 1 })),
      message: fc.oneof(text, fc.jsonValue({ maxDepth: 1 })),
    }),
  }),
);
const body = fc.oneof(
  text,
  json.map((value) => JSON.stringify(value)),
);
const thrownError = fc.oneof(
  fc.anything(),
  maybe(
    { name: text, message: text, code, status: fc.integer(), headers, cause: fc.record({ code }) },
    [],
  ),
  fc.tuple(text, code).map(([message, c]) => Object.assign(new Error(message), { code: c })),
  fc
    .record({
      kind: fc.constantFrom('failure', 'refusal', 'timed_out', 'odd'),
      code: fc.string({ minLength: 1, maxLength: 5 }),
      transient: fc.boolean(),
      retryAfterMs: fc.double(),
    })
    .map(({ kind, ...rest }) => ({ ...rest, [Symbol.for('toolgate.tool-error')]: kind })),
);
const waitMs = fc.double({ min: 0, max: 1e12, noNaN: true });
const fields = fc.dictionary(fc.string(), text, { maxKeys: 3 });

/** Every kind of outcome, each as its shape allows and a little beyond. */
export const anyOutcome: Arb<FailedOutcome> = fc.oneof(
  {
    weight: 6,
    arbitrary: maybe(
      {
        kind: fc.constant('response' as const),
        status: fc.oneof(fc.integer({ min: 199, max: 600 }), fc.integer()),
        headers,
        body,
        bodyTruncated: fc.boolean(),
        predicateFailed: fc.boolean(),
      },
      ['kind', 'status', 'headers', 'body'],
    ),
  },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant('transport' as const), error: thrownError, phase }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('thrown' as const), error: thrownError }) },
  fc.record({
    kind: fc.constant('timeout' as const),
    scope: fc.constantFrom('attempt', 'call', 'deadline', 'idle' as const),
    phase,
    timeoutMs: waitMs,
  }),
  fc.record({
    kind: fc.constant('cancelled' as const),
    reason: fc.constantFrom('client_left', 'cancelled_by_request', 'shutdown' as const),
    phase,
  }),
  maybe(
    {
      kind: fc.constant('result-invalid' as const),
      problem: fc.constantFrom(
        'json',
        'content_type',
        'decompression',
        'schema',
        'pointer',
        'encoding',
        'shape' as const,
      ),
      explanation: text,
      errors: fields,
      content: fc.anything(),
      effectUnknown: fc.boolean(),
      status: fc.integer(),
    },
    ['kind', 'problem', 'explanation'],
  ),
  fc.record({
    kind: fc.constant('result-too-large' as const),
    limitBytes: fc.nat(),
    sizeBytes: fc.option(fc.nat(), { nil: null }),
  }),
  fc.record({
    kind: fc.constant('rate-limited' as const),
    scope: fc.constantFrom('tool', 'client', 'cooldown' as const),
    retryAfterMs: waitMs,
    limit: fc.option(fc.nat(), { nil: null }),
  }),
  fc.record({
    kind: fc.constant('circuit-open' as const),
    failureCount: fc.nat(),
    retryAfterMs: waitMs,
    resetTimeoutMs: waitMs,
  }),
  fc.record({
    kind: fc.constant('bulkhead-full' as const),
    limit: fc.nat(),
    queued: fc.nat(),
    retryAfterMs: waitMs,
    cause: fc.constantFrom('queue_full', 'queue_timeout' as const),
  }),
  fc.record({ kind: fc.constant('invalid-arguments' as const), errors: fields }),
  fc.record({ kind: fc.constant('invalid-call' as const), errors: fields }),
  fc.record({
    kind: fc.constant('unknown-tool' as const),
    availableTools: fc.array(text),
    suggestions: fc.array(text),
  }),
  fc.constantFrom<FailedOutcome>({ kind: 'not-permitted' }, { kind: 'idempotency-conflict' }),
  fc.record({
    kind: fc.constant('dependency-failed' as const),
    dependency: fc.record({ id: text, code: text }),
  }),
  fc.record({ kind: fc.constant('misconfigured' as const), explanation: text }),
  fc.record({ kind: fc.constant('internal' as const), requestId: text }),
  {
    weight: 2,
    arbitrary: maybe(
      {
        kind: fc.constant('mcp-result' as const),
        problem: fc.constantFrom(
          'is_error',
          'input_required',
          'unknown_result_type',
          'not_a_result' as const,
        ),
        text,
        structuredContent: fc.oneof(json, fc.anything()),
      },
      ['kind', 'problem', 'text'],
    ),
  },
  {
    weight: 2,
    arbitrary: maybe(
      {
        kind: fc.constant('mcp-error' as const),
        code: fc.oneof(
          fc.constantFrom(-32700, -32600, -32601, -32602, -32603, -32042, -32000),
          fc.integer(),
        ),
        message: text,
        data: fc.oneof(json, fc.anything()),
        toolListed: fc.boolean(),
      },
      ['kind', 'code', 'message'],
    ),
  },
  maybe(
    {
      kind: fc.constant('mcp-connection' as const),
      problem: fc.constantFrom(
        'connect_failed',
        'initialize_failed',
        'session_lost',
        'stream_ended',
        'accepted_without_answer',
        'child_exited',
        'not_json' as const,
      ),
      error: thrownError,
      exitCode: fc.integer(),
      exitSignal: text,
    },
    ['kind', 'problem'],
  ),
);

const rule: Arb<ErrorRule> = fc.record({
  when: maybe<ErrorRule['when']>(
    {
      status: fc.constantFrom<number | string>(400, 404, 429, 500, 503, '4xx', '5xx'),
      transport: fc.constantFrom('ECONNRESET', 'connection', 'timeout'),
      isError: fc.constant(true as const),
      type: fc.constantFrom('Error', 'Object'),
      text,
      body: fc.constantFrom({ pointer: '/error/code' }, { pointer: '/error' }),
    },
    [],
  ),
  then: fc.oneof<Arb<ErrorRule['then']>[]>(
    fc.record({ declined: fc.constant('no') }),
    fc.record({ transient: fc.constant('again'), retryAfterMs: fc.nat(), message: text }),
    fc.record({ permanent: fc.constant('never'), retryAfterPointer: fc.constant('/error/code') }),
    fc.record({ code: fc.constantFrom(...ERROR_CODES), retryAfterMs: fc.nat() }),
  ),
});

/** Any tool, with rules or without. */
export const anySubject: Arb<ClassifySubject> = fc
  .record({
    kind: fc.constantFrom('http', 'mcp', 'module', 'none' as const),
    toolName: fc.constantFrom('tool', ''),
    idempotent: fc.boolean(),
    trust503: fc.boolean(),
    rules: fc.oneof({ weight: 2, arbitrary: fc.constant([]) }, fc.array(rule, { maxLength: 3 })),
  })
  .map((options) => subject(options.kind === 'mcp' ? { ...options, serverName: 'srv' } : options));
