// Failures that come as a success, as GraphQL servers, Slack and many others tell them: only a predicate
// that the author declares makes them failures; then machine codes of a definite
// no say what they mean; of trouble that may pass, the author's rules. And
// successes that hold nothing, or something else than was asked for.
import {
  answer,
  type Expected,
  fails,
  GET,
  GET3,
  type Headers,
  POST3,
  QUICK_RETRY,
  type Row,
  row,
  runRows,
  succeeds,
} from './table.js';

const GRAPHQL = { success_when: { pointer: '/errors', absent: true } };
const SLACK = { success_when: { pointer: '/ok', equals: true } };

const graphql = (code: string, expected: Expected, more: object = {}): Row =>
  row(
    `GraphQL ${code}`,
    { ...POST3, http: GRAPHQL },
    answer(200, {}, { data: null, errors: [{ message: 'x', extensions: { code, ...more } }] }),
    expected,
  );

const slack = (error: string, expected: Expected, headers: Headers = {}): Row =>
  row(
    `Slack ${error}`,
    { ...POST3, http: SLACK },
    answer(200, headers, { ok: false, error }),
    expected,
  );

const JSON_TYPE = { 'content-type': 'application/json' };
const HTML = { 'content-type': 'text/html; charset=utf-8' };
const LOGIN = '<!DOCTYPE html><html><head><title>Sign in</title></head><body>429</body></html>';
const refused = { details: { upstream_status: 200, transient: false } };
const unusable = fails('TOOL_RESULT_ERROR', false, 'completed', { breaker: 'success' });
const ID = { type: 'object', required: ['id'] };

runRows({
  GraphQL: [
    graphql(
      'UNAUTHENTICATED',
      fails('UPSTREAM_AUTH_FAILED', false, 'completed', { ...refused, breaker: 'neutral' }),
    ),
    graphql(
      'FORBIDDEN',
      fails('UPSTREAM_FORBIDDEN', false, 'completed', { ...refused, breaker: 'neutral' }),
    ),
    graphql('ACCESS_DENIED', fails('UPSTREAM_FORBIDDEN', false, 'completed', refused)),
    graphql(
      'BAD_USER_INPUT',
      fails('UPSTREAM_INVALID_REQUEST', false, 'completed', { ...refused, breaker: 'success' }),
    ),
    graphql(
      'GRAPHQL_VALIDATION_FAILED',
      fails('UPSTREAM_INVALID_REQUEST', false, 'completed', refused),
    ),
    graphql(
      'RATE_LIMITED',
      fails('TOOL_RATE_LIMITED', true, 'completed', { requests: 3, breaker: 'neutral' }),
    ),
    graphql('THROTTLED', fails('TOOL_RATE_LIMITED', true, 'completed', { requests: 3 })),
    graphql(
      'COMPLEXITY_BUDGET_EXHAUSTED',
      fails('TOOL_RATE_LIMITED', true, 'completed', { retry: 30_000 }),
      { retry_in_seconds: 30 },
    ),
    graphql('INTERNAL_SERVER_ERROR', fails('TOOL_EXECUTION_FAILED', false, 'completed', refused)),
    graphql('SERVICE_UNAVAILABLE', fails('TOOL_EXECUTION_FAILED', false, 'completed', refused)),
    graphql('DEADLINE_EXCEEDED', fails('TOOL_EXECUTION_FAILED', false, 'completed', refused)),
    graphql(
      'ORDER_ALREADY_PAID',
      fails('TOOL_EXECUTION_FAILED', false, 'completed', { ...refused, breaker: 'success' }),
    ),
    row(
      'GitHub: the type is the code',
      { ...POST3, http: GRAPHQL },
      answer(
        200,
        { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '60' },
        { errors: [{ type: 'RATE_LIMITED', message: 'x' }] },
      ),
      fails('TOOL_RATE_LIMITED', true, 'completed', { retry: 60_000 }),
    ),
    row(
      'data beside errors is a failure where the author says so',
      { ...POST3, http: GRAPHQL },
      answer(200, {}, { data: { a: 1 }, errors: [{ message: '503 timeout' }] }),
      fails('TOOL_EXECUTION_FAILED', false, 'completed'),
    ),
    row(
      'data beside errors is a result where nobody says so',
      POST3,
      answer(200, {}, { data: { a: 1 }, errors: [{ message: 'x' }] }),
      succeeds({ data: { a: 1 }, errors: [{ message: 'x' }] }),
    ),
    row(
      'the words in its message are prose',
      { ...GET3, http: GRAPHQL },
      answer(200, {}, { errors: [{ message: 'UNAUTHENTICATED: rate limit, 429' }] }),
      fails('TOOL_EXECUTION_FAILED', false, 'completed'),
    ),
  ],

  'Slack and its like': [
    slack('ratelimited', fails('TOOL_RATE_LIMITED', true, 'completed', { retry: 30_000 }), {
      'retry-after': '30',
    }),
    slack('invalid_auth', fails('UPSTREAM_AUTH_FAILED', false, 'completed', refused)),
    slack('token_revoked', fails('UPSTREAM_AUTH_FAILED', false, 'completed', refused)),
    slack('missing_scope', fails('UPSTREAM_AUTH_FAILED', false, 'completed', refused)),
    slack('invalid_arguments', fails('UPSTREAM_INVALID_REQUEST', false, 'completed', refused)),
    slack('channel_not_found', fails('TOOL_EXECUTION_FAILED', false, 'completed', refused)),
    slack('is_archived', fails('TOOL_EXECUTION_FAILED', false, 'completed', refused)),
    slack('internal_error', fails('TOOL_EXECUTION_FAILED', false, 'completed', refused)),
    slack('service_unavailable', fails('TOOL_EXECUTION_FAILED', false, 'completed', refused)),
    slack('request_timeout', fails('TOOL_EXECUTION_FAILED', false, 'completed', refused)),
    row(
      'an account out of money',
      { ...POST3, http: { success_when: { pointer: '/error', absent: true } } },
      answer(200, {}, { error: { code: 'insufficient_quota' } }),
      fails('UPSTREAM_QUOTA_EXHAUSTED', false, 'completed', refused),
    ),
    ...(
      [
        ['OVER_QUERY_LIMIT', 'TOOL_RATE_LIMITED', true],
        ['OVER_DAILY_LIMIT', 'UPSTREAM_QUOTA_EXHAUSTED', false],
        ['REQUEST_DENIED', 'UPSTREAM_AUTH_FAILED', false],
        ['INVALID_REQUEST', 'UPSTREAM_INVALID_REQUEST', false],
        ['ZERO_RESULTS', 'TOOL_EXECUTION_FAILED', false],
      ] as const
    ).map(([status, code, retryable]) =>
      row(
        `Google Maps: ${status}`,
        { ...GET, http: { success_when: { pointer: '/status', equals: 'OK' } } },
        answer(200, {}, { status, error_message: 'see the console' }),
        fails(code, retryable, 'completed', {
          message: /see the console/,
          details: { upstream_code: status },
        }),
      ),
    ),
    row(
      'a status in the body',
      { ...GET3, http: { success_when: { pointer: '/status', not_equals: 429 } } },
      answer(200, {}, { status: 429, message: 'Too Many Requests' }),
      fails('TOOL_EXECUTION_FAILED', false, 'completed'),
    ),
    row(
      '207 with a failure in it',
      { ...POST3, http: { success_when: { pointer: '/failed', equals: 0 } } },
      answer(207, {}, { failed: 1, items: [{ status: 503 }] }),
      fails('TOOL_EXECUTION_FAILED', false, 'completed', { details: { upstream_status: 207 } }),
    ),
  ],

  'something else than was asked for': [
    row(
      'a login page where JSON is read',
      { ...GET3, http: { result: '/data' } },
      answer(200, HTML, LOGIN),
      unusable,
    ),
    row(
      'a login page where a predicate is asked',
      { ...GET3, http: SLACK },
      answer(200, HTML, LOGIN),
      unusable,
    ),
    row(
      'a login page where a schema is promised',
      { ...GET3, output_schema: ID },
      answer(200, HTML, LOGIN),
      unusable,
    ),
    row(
      'a login page that claims to be JSON',
      { ...POST3 },
      answer(200, JSON_TYPE, LOGIN),
      unusable,
    ),
    row(
      'a page of a captive portal, gzip without saying so',
      { ...POST3 },
      answer(200, JSON_TYPE, Buffer.from([31, 139, 8, 0])),
      unusable,
    ),
    row('a PDF', POST3, answer(200, { 'content-type': 'application/pdf' }, '%PDF-1.7'), unusable),
    row('JSON with a trailing comma', GET3, answer(200, JSON_TYPE, '{"a":1,}'), unusable),
    row('JSON twice', GET3, answer(200, JSON_TYPE, '{"a":1}\n{"a":2}'), unusable),
    row("JSON behind a guard: )]}'", GET3, answer(200, JSON_TYPE, ")]}',\n{}"), unusable),
  ],

  'successes that hold nothing': [
    row(
      'nothing, where nothing is asked',
      POST3,
      answer(200),
      succeeds(null, { breaker: 'success' }),
    ),
    row('204', POST3, answer(204), succeeds(null)),
    row('nothing as JSON', POST3, answer(200, JSON_TYPE, ''), succeeds(null)),
    row(
      'nothing, where a schema is promised',
      { ...GET3, output_schema: ID },
      answer(200),
      unusable,
    ),
    row(
      'nothing, where a pointer leads',
      { ...GET3, http: { result: '/data' } },
      answer(204),
      unusable,
    ),
    row(
      'nothing, where a predicate is asked',
      { ...GET, retry: QUICK_RETRY, http: SLACK },
      answer(204),
      fails('TOOL_EXECUTION_FAILED', false, 'completed'),
    ),
    row(
      '206, a part',
      GET,
      answer(206, { ...JSON_TYPE, 'content-range': 'bytes 0-8/9' }, '{"a": 1}'),
      succeeds({ a: 1 }),
    ),
    row('203, by a proxy', GET, answer(203, JSON_TYPE, '{"a": 1}'), succeeds({ a: 1 })),
    row(
      '202, to be done',
      POST3,
      answer(202, { 'retry-after': '30', location: '/jobs/1' }, { id: 1 }),
      succeeds({ id: 1 }),
    ),
  ],
});
