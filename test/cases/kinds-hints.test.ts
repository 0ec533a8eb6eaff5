// When to come back: every form in which services say it, which of them wins, which are no hint at
// all; limits told with 403 and 400; and 429 that no waiting mends.
import {
  type Answer,
  answer,
  fails,
  GET,
  GET3,
  type Headers,
  imf,
  nowS,
  ok,
  POST,
  POST3,
  type Row,
  row,
  runRows,
  succeeds,
  type Wait,
} from './table.js';

/** A 429 with these headers, asked once. */
function limited(
  name: string,
  headers: Headers | (() => Headers),
  retry: Wait,
  source?: string,
  body: string | object = '',
): Row {
  return row(
    name,
    GET,
    answer(429, headers, body),
    fails('TOOL_RATE_LIMITED', true, 'completed', {
      retry,
      details: {
        upstream_status: 429,
        ...(source !== undefined && { retry_after_source: source }),
      },
      ...(retry === null && { without: ['retry_after_source'] }),
    }),
  );
}

const after = (value: string | string[]): Headers => ({ 'retry-after': value });

const MONTHS = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ');
const DAYS = 'Sunday Monday Tuesday Wednesday Thursday Friday Saturday'.split(' ');
const two = (n: number): string => String(n).padStart(2, '0');

function clock(at: Date): string {
  return `${two(at.getUTCHours())}:${two(at.getUTCMinutes())}:${two(at.getUTCSeconds())}`;
}

/** `Sunday, 06-Nov-94 08:49:37 GMT` */
function rfc850(epochMs: number): string {
  const at = new Date(epochMs);
  return `${DAYS[at.getUTCDay()]!}, ${two(at.getUTCDate())}-${MONTHS[at.getUTCMonth()]!}-${two(at.getUTCFullYear() % 100)} ${clock(at)} GMT`;
}

/** `Sun Nov  6 08:49:37 1994` */
function asctime(epochMs: number): string {
  const at = new Date(epochMs);
  return `${DAYS[at.getUTCDay()]!.slice(0, 3)} ${MONTHS[at.getUTCMonth()]!} ${String(at.getUTCDate()).padStart(2)} ${clock(at)} ${at.getUTCFullYear()}`;
}

/** `Date` and a `Retry-After` so much later, on a clock that goes wrong by `skewMs`. */
const dated =
  (form: (epochMs: number) => string, waitMs: number, skewMs = 0) =>
  (): Headers => {
    const t0 = Math.floor((Date.now() + skewMs) / 1000) * 1000;
    return { date: imf(t0), 'retry-after': form(t0 + waitMs) };
  };

const HOUR = 3_600_000;
const DAY = 86_400_000;

const clamped = (name: string, headers: Headers | (() => Headers), source: string): Row =>
  row(
    name,
    GET,
    answer(429, headers),
    fails('TOOL_RATE_LIMITED', true, 'completed', {
      retry: DAY,
      details: { retry_after_clamped: true, retry_after_source: source },
    }),
  );

const retryInfo = (retryDelay: unknown, more: readonly object[] = []): object => ({
  error: {
    code: 429,
    message: 'Resource has been exhausted (e.g. check quota).',
    status: 'RESOURCE_EXHAUSTED',
    details: [...more, { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay }],
  },
});

const forbiddenLimit = (
  name: string,
  headers: Headers | (() => Headers),
  retry: Wait,
  body: string | object = '',
): Row =>
  row(
    name,
    GET,
    answer(403, headers, body),
    fails('TOOL_RATE_LIMITED', true, 'completed', {
      retry,
      breaker: 'neutral',
      details: { upstream_status: 403, transient: true },
    }),
  );

const forbidden = (name: string, headers: Headers, body: string | object = ''): Row =>
  row(
    name,
    GET,
    answer(403, headers, body),
    fails('UPSTREAM_FORBIDDEN', false, 'completed', {
      breaker: 'neutral',
      details: { transient: false },
    }),
  );

const quota = (name: string, status: number, body: object, headers: Headers = {}): Row =>
  row(
    name,
    { ...GET3, method: 'POST', idempotent: true },
    answer(status, headers, body),
    fails('UPSTREAM_QUOTA_EXHAUSTED', false, 'completed', {
      details: { upstream_status: status, upstream_code: 'insufficient_quota', transient: false },
    }),
  );

/** AWS says throttling with 400. */
const throttled = (name: string, headers: Headers, body: string | object, code: string): Row =>
  row(
    name,
    GET,
    answer(400, headers, body),
    fails('TOOL_RATE_LIMITED', true, 'completed', {
      breaker: 'neutral',
      details: { upstream_status: 400, upstream_code: code },
    }),
  );

/** A hint that the table's row does or does not take. */
const hinted = (status: number, code: string, retryable: boolean, retry: Wait): Row =>
  row(
    `${status} with Retry-After`,
    GET,
    answer(status, after('7')),
    fails(code, retryable, status === 425 ? 'not_sent' : retryable ? 'unknown' : 'completed', {
      retry,
    }),
  );

const quick: Answer = answer(429, { 'retry-after-ms': '5' });

runRows({
  'Retry-After as a date': [
    limited('IMF-fixdate', dated(imf, 45_000), [44_000, 45_000], 'retry-after'),
    limited('RFC 850', dated(rfc850, 45_000), [44_000, 45_000], 'retry-after'),
    limited('RFC 850, long past', after('Sunday, 06-Nov-94 08:49:37 GMT'), 0, 'retry-after'),
    limited('asctime', dated(asctime, 45_000), [44_000, 45_000], 'retry-after'),
    limited('upstream an hour ahead', dated(imf, 15_000, HOUR), [14_000, 15_000]),
    limited('upstream a day behind, RFC 850', dated(rfc850, 15_000, -DAY), [14_000, 15_000]),
    limited('upstream ahead, and the date is past for it', dated(imf, -60_000, HOUR), 0),
    limited('the same second', dated(imf, 0), 0),
    row(
      'without a Date it is measured by our clock',
      GET,
      {
        status: 429,
        date: false,
        headers: () => ({ 'retry-after': imf(Date.now() + 20_000) }),
      },
      fails('TOOL_RATE_LIMITED', true, 'completed', { retry: [18_000, 20_000] }),
    ),
    limited(
      'with a Date that is none',
      () => ({ date: 'yesterday', 'retry-after': imf(Date.now() + 20_000) }),
      [18_000, 20_000],
    ),
    clamped('next year', dated(imf, 365 * DAY), 'retry-after'),
    limited('lower case is no HTTP-date, nor is ISO 8601', after('2031-01-01T00:00:00Z'), null),
    limited('a date without a time zone of its own', after('Nov 6 2031'), null),
  ],

  'Retry-After as a number': [
    limited('digits first', after('120'), 120_000, 'retry-after'),
    limited('zero', after('0'), 0, 'retry-after'),
    limited('leading zeros', after('007'), 7000),
    limited('a fraction', after('0.503'), 503),
    limited('a fraction of Shopify', after('2.0'), 2000),
    limited('one and a half', after('1.5'), 1500),
    limited('a list: the largest', after('5, 12, 3'), 12_000),
    limited('two header lines: the largest', after(['5', '12']), 12_000),
    limited('a year that could be a date', after('2031'), 2_031_000),
    clamped('99999999999', after('99999999999'), 'retry-after'),
    clamped('thirty digits', after('9'.repeat(30)), 'retry-after'),
    clamped('one second above a day', after('86401'), 'retry-after'),
    row(
      'exactly a day is not clamped',
      GET,
      answer(429, after('86400')),
      fails('TOOL_RATE_LIMITED', true, 'completed', {
        retry: DAY,
        without: ['retry_after_clamped'],
      }),
    ),
    ...[
      'NaN',
      'Infinity',
      '-Infinity',
      '-5',
      '-0.5',
      '',
      'soon',
      '5 seconds',
      '0x10',
      'null',
      '{}',
    ].map((value) => limited(`no hint: ${JSON.stringify(value)}`, after(value), null)),
  ],

  'the other headers, highest first': [
    limited(
      'retry-after-ms before all',
      {
        'retry-after-ms': '1250',
        'x-ms-retry-after-ms': '3000',
        'grpc-retry-pushback-ms': '4000',
        'retry-after': '9',
        ratelimit: '"default";r=0;t=7',
      },
      1250,
      'retry-after-ms',
      retryInfo('8s'),
    ),
    limited(
      'x-ms-retry-after-ms before retry-after, as Cosmos DB says it',
      { 'x-ms-retry-after-ms': '12', 'retry-after': '1' },
      12,
      'x-ms-retry-after-ms',
    ),
    limited(
      'grpc-retry-pushback-ms before retry-after',
      { 'grpc-retry-pushback-ms': '700', 'retry-after': '2' },
      700,
      'grpc-retry-pushback-ms',
    ),
    limited('retry-after before RetryInfo', after('3'), 3000, 'retry-after', retryInfo('8s')),
    limited(
      'RetryInfo before RateLimit',
      { ratelimit: '"default";r=0;t=7' },
      8000,
      undefined,
      retryInfo('8s'),
    ),
    limited(
      'RateLimit before a vendor reset',
      { ratelimit: '"default";r=0;t=7', 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '99' },
      7000,
      'ratelimit',
    ),
    limited(
      'a broken higher one gives way to the next',
      { 'retry-after-ms': 'soon', 'retry-after': '9' },
      9000,
      'retry-after',
    ),
    limited(
      'a negative retry-after-ms is no hint',
      { 'retry-after-ms': '-1', 'retry-after': '9' },
      9000,
    ),
    limited(
      'an unusable Retry-After gives way to the vendor',
      () => ({
        'retry-after': 'later',
        'x-ratelimit-remaining': '0',
        'x-ratelimit-reset': '30',
      }),
      30_000,
      'x-ratelimit-reset',
    ),
    limited('a fraction of a millisecond', { 'retry-after-ms': '1250.4' }, [1250, 1251]),
    limited('RateLimit with something left', { ratelimit: '"default";r=5;t=7' }, null),
    limited(
      'RateLimit with two policies, one used up',
      { ratelimit: '"burst";r=0;t=3, "daily";r=12;t=3600' },
      3000,
    ),
    limited(
      'RateLimit with two policies, both used up',
      { ratelimit: '"burst";r=0;t=3, "daily";r=0;t=3600' },
      3_600_000,
    ),
    limited(
      'RateLimit with its parameters the other way round',
      { ratelimit: '"p";t=4;r=0' },
      4000,
    ),
    limited('RateLimit without t', { ratelimit: '"p";r=0' }, null),
    limited('RateLimit that is no structured field', { ratelimit: 'limit=100, remaining=0' }, null),
    limited(
      'RateLimit with a partition key that has a semicolon',
      { ratelimit: '"a;r=9";r=0;t=6;pk=:c2VjcmV0:' },
      6000,
    ),
    limited('pushback only', { 'grpc-retry-pushback-ms': '0' }, 0, 'grpc-retry-pushback-ms'),
    row(
      'negative pushback stops, and hints at nothing',
      GET3,
      answer(503, { 'grpc-retry-pushback-ms': '-1' }),
      fails('UPSTREAM_UNAVAILABLE', true, 'unknown', {
        requests: 1,
        details: { retry_stopped_by: 'upstream_said_no' },
      }),
    ),
    row(
      'x-should-retry: false on a 503',
      GET3,
      answer(503, { 'x-should-retry': 'false' }),
      fails('UPSTREAM_UNAVAILABLE', true, 'unknown', {
        requests: 1,
        details: { retry_stopped_by: 'upstream_said_no' },
      }),
    ),
    row(
      'x-should-retry: false on a 500 of the second attempt',
      GET3,
      [answer(500), answer(500, { 'x-should-retry': 'false' }), ok],
      fails('UPSTREAM_SERVER_ERROR', true, 'unknown', {
        requests: 2,
        details: { retry_stopped_by: 'upstream_said_no' },
      }),
    ),
    row(
      'x-should-retry: true never overrides safety',
      POST3,
      answer(500, { 'x-should-retry': 'true' }),
      fails('UPSTREAM_SERVER_ERROR', false, 'unknown', {
        requests: 1,
        details: { retry_stopped_by: 'unsafe_to_repeat' },
      }),
    ),
    row(
      'x-should-retry: true does not make a 400 retryable',
      GET3,
      answer(400, { 'x-should-retry': 'true' }),
      fails('UPSTREAM_INVALID_REQUEST', false, 'completed', {
        requests: 1,
        details: { retry_stopped_by: 'not_retryable' },
      }),
    ),
    row(
      'x-should-retry: true on a 409 is no key in flight',
      GET3,
      answer(409, { 'x-should-retry': 'true' }),
      fails('UPSTREAM_REJECTED', false, 'completed', { requests: 1 }),
    ),
  ],

  'resets of vendors': [
    limited(
      'GitHub: epoch seconds',
      () => ({
        'x-ratelimit-limit': '60',
        'x-ratelimit-remaining': '0',
        'x-ratelimit-reset': String(nowS() + 1800),
        'x-ratelimit-resource': 'core',
      }),
      [1_798_000, 1_801_000],
      'x-ratelimit-reset',
      {
        message: 'API rate limit exceeded for 192.0.2.1.',
        documentation_url: 'https://docs.github.com',
      },
    ),
    limited(
      'remaining is not 0: no hint',
      { 'x-ratelimit-remaining': '5', 'x-ratelimit-reset': '30' },
      null,
    ),
    // Beyond the table: on a 429 a lone reset can only mean when the next call is due.
    limited('no remaining at all, on a 429', { 'x-ratelimit-reset': '30' }, 30_000),
    limited('no remaining at all, spelt otherwise', { 'x-rate-limit-reset': '30' }, 30_000),
    limited(
      'epoch milliseconds',
      () => ({ 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': String(Date.now() + 9000) }),
      [7000, 9000],
    ),
    limited(
      'epoch milliseconds, past',
      () => ({ 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': String(Date.now() - 9000) }),
      0,
    ),
    limited(
      'epoch seconds with a fraction, as Discord',
      () => ({
        'x-ratelimit-remaining': '0',
        'x-ratelimit-reset': (Date.now() / 1000 + 20).toFixed(3),
      }),
      [18_000, 21_000],
    ),
    limited(
      'just below 1e9 is seconds from now, and clamped',
      { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '999999999' },
      DAY,
    ),
    limited(
      '1e9 is epoch seconds, long past',
      { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '1000000000' },
      0,
    ),
    limited(
      'just below 1e11 is still epoch seconds, far off',
      { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '99999999999' },
      DAY,
    ),
    limited(
      '1e11 is epoch milliseconds, of 1973',
      { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '100000000000' },
      0,
    ),
    limited(
      'reset is no number',
      { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': 'tomorrow' },
      null,
    ),
    limited('reset is negative', { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '-1' }, null),
    limited(
      'without the x-, as the older draft',
      { 'ratelimit-limit': '100', 'ratelimit-remaining': '0', 'ratelimit-reset': '30' },
      30_000,
    ),
    limited(
      'with hyphens in rate-limit, as X',
      () => ({ 'x-rate-limit-remaining': '0', 'x-rate-limit-reset': String(nowS() + 30) }),
      [28_000, 31_000],
    ),
    limited(
      'OpenAI: the window that is used up counts',
      {
        'x-ratelimit-remaining-requests': '0',
        'x-ratelimit-reset-requests': '6m0s',
        'x-ratelimit-remaining-tokens': '149984',
        'x-ratelimit-reset-tokens': '12ms',
      },
      360_000,
      'x-ratelimit-reset-requests',
      { error: { message: 'Rate limit reached', type: 'requests', code: 'rate_limit_exceeded' } },
    ),
    limited(
      'OpenAI: tokens',
      {
        'x-ratelimit-remaining-requests': '59',
        'x-ratelimit-reset-requests': '1s',
        'x-ratelimit-remaining-tokens': '0',
        'x-ratelimit-reset-tokens': '1.5s',
      },
      1500,
    ),
    limited(
      'OpenAI: both used up, the later one counts',
      {
        'x-ratelimit-remaining-requests': '0',
        'x-ratelimit-reset-requests': '8.64s',
        'x-ratelimit-remaining-tokens': '0',
        'x-ratelimit-reset-tokens': '1h2m3s',
      },
      3_723_000,
    ),
    limited(
      'OpenAI: milliseconds',
      { 'x-ratelimit-remaining-tokens': '0', 'x-ratelimit-reset-tokens': '28ms' },
      28,
    ),
    limited(
      'Anthropic: RFC 3339',
      () => ({
        'anthropic-ratelimit-requests-limit': '50',
        'anthropic-ratelimit-requests-remaining': '0',
        'anthropic-ratelimit-requests-reset': new Date(Date.now() + 25_000).toISOString(),
      }),
      [23_000, 26_000],
      undefined,
      { type: 'error', error: { type: 'rate_limit_error', message: 'Slow down' } },
    ),
    limited(
      'Anthropic: input tokens, with an offset',
      () => ({
        'anthropic-ratelimit-requests-remaining': '49',
        'anthropic-ratelimit-requests-reset': new Date(Date.now() + 60_000).toISOString(),
        'anthropic-ratelimit-input-tokens-remaining': '0',
        'anthropic-ratelimit-input-tokens-reset': new Date(Date.now() + 2 * HOUR + 25_000)
          .toISOString()
          .replace(/\.\d+Z$/, '+02:00'),
      }),
      [22_000, 26_000],
    ),
    limited(
      'Anthropic: retry-after before its resets',
      () => ({
        'retry-after': '11',
        'anthropic-ratelimit-tokens-remaining': '0',
        'anthropic-ratelimit-tokens-reset': new Date(Date.now() + 55_000).toISOString(),
      }),
      11_000,
      'retry-after',
    ),
    limited(
      'Atlassian: its reset is a date, but Retry-After is there',
      {
        'retry-after': '8',
        'x-ratelimit-remaining': '0',
        'x-ratelimit-reset': '2031-01-01T00:00Z',
      },
      8000,
    ),
    limited('Slack', after('30'), 30_000, 'retry-after', { ok: false, error: 'ratelimited' }),
    limited('Twilio: no hint', {}, null, undefined, {
      code: 20429,
      message: 'Too Many Requests',
      more_info: 'https://www.twilio.com/docs/errors/20429',
      status: 429,
    }),
    limited(
      'Cloudflare 1015 as HTML',
      { 'retry-after': '10', 'content-type': 'text/html', server: 'cloudflare' },
      10_000,
      'retry-after',
      '<html><head><title>Access denied | 1015 You are being rate limited</title></head></html>',
    ),
  ],

  'RetryInfo of Google': [
    limited('with nanoseconds', {}, [34_074, 34_075], undefined, retryInfo('34.074824224s')),
    limited(
      'beside other details',
      {},
      21_000,
      undefined,
      retryInfo('21s', [
        { '@type': 'type.googleapis.com/google.rpc.QuotaFailure', violations: [{ quotaId: 'x' }] },
        { '@type': 'type.googleapis.com/google.rpc.Help', links: [] },
      ]),
    ),
    limited('zero', {}, 0, undefined, retryInfo('0s')),
    limited(
      'as an object, as some gateways write it',
      {},
      [1500, 1500],
      undefined,
      retryInfo({ seconds: 1, nanos: 500_000_000 }),
    ),
    ...([-3, '-3s', 'soon', null, [], true, '1e9999s', 'Infinitys'] as const).map((value) =>
      limited(`no hint: ${JSON.stringify(value)}`, {}, null, undefined, retryInfo(value)),
    ),
    limited('details is no list', {}, null, undefined, {
      error: { code: 429, status: 'RESOURCE_EXHAUSTED', message: 'x', details: 'RetryInfo 3s' },
    }),
    row(
      'on a 503 too',
      GET,
      answer(
        503,
        {},
        {
          error: {
            code: 503,
            status: 'UNAVAILABLE',
            message: 'busy',
            details: [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '2s' }],
          },
        },
      ),
      fails('UPSTREAM_UNAVAILABLE', true, 'unknown', { retry: 2000 }),
    ),
    row(
      'not on a 400',
      GET,
      answer(
        400,
        {},
        {
          error: {
            code: 400,
            status: 'INVALID_ARGUMENT',
            message: 'no',
            details: [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '2s' }],
          },
        },
      ),
      fails('UPSTREAM_INVALID_REQUEST', false, 'completed'),
    ),
  ],

  'which statuses take a hint': [
    hinted(408, 'TOOL_TIMEOUT', true, 7000),
    hinted(425, 'UPSTREAM_UNAVAILABLE', true, 7000),
    hinted(500, 'UPSTREAM_SERVER_ERROR', true, 7000),
    hinted(502, 'UPSTREAM_UNAVAILABLE', true, 7000),
    hinted(503, 'UPSTREAM_UNAVAILABLE', true, 7000),
    hinted(504, 'TOOL_TIMEOUT', true, 7000),
    hinted(520, 'UPSTREAM_UNAVAILABLE', true, 7000),
    hinted(521, 'UPSTREAM_UNAVAILABLE', true, 7000),
    hinted(524, 'TOOL_TIMEOUT', true, 7000),
    hinted(529, 'UPSTREAM_UNAVAILABLE', true, 7000),
    hinted(599, 'TOOL_TIMEOUT', true, 7000),
    hinted(301, 'UPSTREAM_REJECTED', false, null),
    hinted(400, 'UPSTREAM_INVALID_REQUEST', false, null),
    hinted(401, 'UPSTREAM_AUTH_FAILED', false, null),
    hinted(404, 'UPSTREAM_REJECTED', false, null),
    hinted(409, 'UPSTREAM_REJECTED', false, null),
    hinted(413, 'UPSTREAM_INVALID_REQUEST', false, null),
    hinted(422, 'UPSTREAM_INVALID_REQUEST', false, null),
    hinted(501, 'CONFIGURATION_ERROR', false, null),
  ],

  'waiting inside the gateway': [
    row(
      'a short hint is waited out',
      GET3,
      [quick, quick, ok],
      succeeds({ fine: true }, { requests: 3, attempts: 3 }),
    ),
    row(
      'for a POST, too: 429 refused before executing',
      POST3,
      [quick, ok],
      succeeds({ fine: true }, { requests: 2, attempts: 2 }),
    ),
    row('425 of a POST', POST3, [answer(425), ok], succeeds({ fine: true }, { requests: 2 })),
    row(
      'longer than max_wait_ms fails at once',
      GET3,
      [answer(429, after('3')), ok],
      fails('TOOL_RATE_LIMITED', true, 'completed', {
        retry: 3000,
        details: { retry_stopped_by: 'retry_after_exceeds_deadline' },
      }),
    ),
    row(
      'longer than the time left fails at once',
      GET3,
      [answer(503, after('1')), ok],
      fails('UPSTREAM_UNAVAILABLE', true, 'unknown', {
        retry: 1000,
        details: { retry_stopped_by: 'retry_after_exceeds_deadline' },
      }),
      { envelope: { deadline_ms: 500 } },
    ),
    row(
      'above what a timer takes fails at once',
      { ...GET3, retry: { max_attempts: 3, max_wait_ms: 86_400_000 } },
      [answer(500, after('99999999999')), ok],
      fails('UPSTREAM_SERVER_ERROR', true, 'unknown', {
        retry: DAY,
        details: { retry_after_clamped: true, retry_stopped_by: 'retry_after_exceeds_deadline' },
      }),
    ),
    row(
      'a long hint of the last attempt is told',
      GET3,
      [answer(503), answer(503), answer(503, after('600'))],
      fails('UPSTREAM_UNAVAILABLE', true, 'unknown', { requests: 3, retry: 600_000 }),
    ),
    row(
      'the hint of an earlier attempt is not that of the last',
      GET3,
      [answer(503, { 'retry-after-ms': '3' }), answer(503), answer(500)],
      fails('UPSTREAM_SERVER_ERROR', true, 'unknown', {
        requests: 3,
        details: {
          retry_stopped_by: 'max_attempts',
          attempt_log: [
            { code: 'UPSTREAM_UNAVAILABLE', status: 503 },
            { code: 'UPSTREAM_UNAVAILABLE', status: 503 },
            { code: 'UPSTREAM_SERVER_ERROR', status: 500 },
          ],
        },
      }),
    ),
  ],

  '503 with Retry-After and whom it is trusted': [
    row(
      'POST, not trusted: it may have happened',
      POST3,
      [answer(503, after('0')), ok],
      fails('UPSTREAM_UNAVAILABLE', false, 'unknown', {
        retry: 0,
        details: { transient: true, retry_stopped_by: 'unsafe_to_repeat' },
      }),
    ),
    row(
      'POST, trusted: refused before execution, so repeated',
      { ...POST3, trust_503: true },
      [answer(503, after('0')), ok],
      succeeds({ fine: true }, { requests: 2, attempts: 2 }),
    ),
    row(
      'POST, trusted, and too long to wait',
      { ...POST3, trust_503: true },
      [answer(503, after('120')), ok],
      {
        status: 'error',
        code: 'UPSTREAM_UNAVAILABLE',
        retryable: true,
        retry: 120_000,
        details: { retry_stopped_by: 'retry_after_exceeds_deadline' },
      },
    ),
    row(
      'POST, trusted, but without Retry-After',
      { ...POST3, trust_503: true },
      [answer(503), ok],
      fails('UPSTREAM_UNAVAILABLE', false, 'unknown', { details: { transient: true } }),
    ),
    row(
      'POST, trusted, but it is a 502',
      { ...POST3, trust_503: true },
      [answer(502, after('0')), ok],
      fails('UPSTREAM_UNAVAILABLE', false, 'unknown', { retry: 0 }),
    ),
    row(
      'POST, trusted, but it is a 500',
      { ...POST3, trust_503: true },
      [answer(500, after('0')), ok],
      fails('UPSTREAM_SERVER_ERROR', false, 'unknown', { retry: 0 }),
    ),
  ],

  '403 used for rate limiting': [
    forbiddenLimit(
      'GitHub, primary limit',
      () => ({ 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': String(nowS() + 59) }),
      [57_000, 60_000],
      { message: 'API rate limit exceeded' },
    ),
    forbiddenLimit(
      'GitHub, secondary limit',
      { 'retry-after': '60', 'x-ratelimit-remaining': '4998' },
      60_000,
      {
        message: 'You have exceeded a secondary rate limit.',
      },
    ),
    forbiddenLimit('remaining 0 and no reset', { 'x-ratelimit-remaining': '0' }, null),
    forbiddenLimit('Retry-After 0', after('0'), 0),
    forbiddenLimit('Retry-After as a date', dated(imf, 20_000), [19_000, 20_000]),
    forbiddenLimit('RateLimit with r=0', { ratelimit: '"api";r=0;t=9' }, 9000),
    forbiddenLimit(
      'the older RateLimit-Remaining',
      { 'ratelimit-remaining': '0', 'ratelimit-reset': '9' },
      9000,
    ),
    forbiddenLimit(
      'an HTML page with Retry-After',
      { 'retry-after': '5', 'content-type': 'text/html' },
      5000,
      '<html><title>403 Forbidden</title></html>',
    ),
    forbiddenLimit('remaining 0 with spaces', { 'x-ratelimit-remaining': ' 0 ' }, null),
    forbidden('some remaining', { 'x-ratelimit-remaining': '12', 'x-ratelimit-reset': '30' }),
    forbidden('10 remaining is not 0', { 'x-ratelimit-remaining': '10' }),
    forbidden('RateLimit with some left', { ratelimit: '"api";r=1;t=9' }),
    forbidden('remaining is empty', { 'x-ratelimit-remaining': '' }),
    forbidden('remaining is no number', { 'x-ratelimit-remaining': 'none' }),
    forbidden(
      'the body speaks of a rate limit, the headers do not',
      {},
      {
        message: 'API rate limit exceeded (403)',
        remaining: 0,
      },
    ),
    forbidden(
      'Cloudflare, challenge',
      { server: 'cloudflare', 'cf-mitigated': 'challenge', 'content-type': 'text/html' },
      '<html><title>Just a moment...</title></html>',
    ),
    forbidden(
      'nginx',
      { 'content-type': 'text/html' },
      '<html><title>403 Forbidden</title></html>',
    ),
    forbidden(
      'AWS AccessDenied',
      { 'x-amzn-errortype': 'AccessDeniedException' },
      { Message: 'User is not authorized' },
    ),
    forbidden(
      'Google PERMISSION_DENIED',
      {},
      { error: { code: 403, status: 'PERMISSION_DENIED', message: 'no' } },
    ),
  ],

  'AWS throttling with 400': [
    throttled(
      'in the header',
      { 'x-amzn-errortype': 'ThrottlingException' },
      { message: 'Rate exceeded' },
      'ThrottlingException',
    ),
    throttled(
      'in the header, with its documentation',
      {
        'x-amzn-errortype':
          'ThrottlingException:http://internal.amazon.com/coral/com.amazon.coral.availability/',
      },
      { message: 'Rate exceeded' },
      'ThrottlingException',
    ),
    throttled(
      'in __type',
      {},
      { __type: 'ThrottlingException', message: 'Rate exceeded' },
      'ThrottlingException',
    ),
    throttled(
      'in __type, with its namespace',
      { 'content-type': 'application/x-amz-json-1.0' },
      JSON.stringify({
        __type: 'com.amazonaws.dynamodb.v20120810#ProvisionedThroughputExceededException',
        message: 'The level of configured provisioned throughput for the table was exceeded.',
      }),
      'ProvisionedThroughputExceededException',
    ),
    throttled(
      'RequestLimitExceeded',
      {},
      { __type: 'RequestLimitExceeded', message: 'x' },
      'RequestLimitExceeded',
    ),
    throttled(
      'TooManyRequestsException',
      { 'x-amzn-errortype': 'TooManyRequestsException' },
      {},
      'TooManyRequestsException',
    ),
    row(
      'with a hint',
      GET,
      answer(400, { 'x-amzn-errortype': 'ThrottlingException', 'retry-after': '4' }),
      fails('TOOL_RATE_LIMITED', true, 'completed', { retry: 4000 }),
    ),
    row(
      'another exception of AWS',
      GET,
      answer(400, { 'x-amzn-errortype': 'ResourceNotFoundException', 'retry-after': '4' }),
      fails('UPSTREAM_INVALID_REQUEST', false, 'completed', { breaker: 'success' }),
    ),
    row(
      'the word in the message alone',
      GET,
      answer(
        400,
        {},
        { __type: 'ValidationException', message: 'ThrottlingException is no field' },
      ),
      fails('UPSTREAM_INVALID_REQUEST', false, 'completed', {
        details: { upstream_code: 'ValidationException' },
      }),
    ),
    row(
      'a code that only begins like one',
      GET,
      answer(400, { 'x-amzn-errortype': 'ThrottlingExceptionPolicyInvalid' }),
      fails('UPSTREAM_INVALID_REQUEST', false, 'completed'),
    ),
  ],

  'an account out of money': [
    quota('code and type', 429, {
      error: { type: 'insufficient_quota', code: 'insufficient_quota', message: 'x' },
    }),
    quota('code only', 429, { error: { code: 'insufficient_quota', message: 'x' } }),
    quota('type only, code null', 429, {
      error: { type: 'insufficient_quota', code: null, message: 'x' },
    }),
    quota('at the top', 429, { code: 'insufficient_quota', message: 'x' }),
    quota('in errors', 429, { errors: [{ code: 'insufficient_quota', message: 'x' }] }),
    quota(
      'in spite of Retry-After',
      429,
      { error: { code: 'insufficient_quota', message: 'x' } },
      after('1'),
    ),
    quota(
      'in spite of x-should-retry',
      429,
      { error: { code: 'insufficient_quota', message: 'x' } },
      { 'x-should-retry': 'true' },
    ),
    quota('402', 402, { error: { code: 'insufficient_quota', message: 'x' } }),
    row(
      'counts nowhere for the breaker',
      POST,
      answer(429, {}, { error: { code: 'insufficient_quota' } }),
      fails('UPSTREAM_QUOTA_EXHAUSTED', false, 'completed', { breaker: 'neutral' }),
    ),
    row(
      '402 with a billing code is a success for the breaker',
      POST,
      answer(402, {}, { error: { code: 'insufficient_quota' } }),
      fails('UPSTREAM_QUOTA_EXHAUSTED', false, 'completed', { breaker: 'success' }),
    ),
    row(
      'Anthropic 402 billing_error',
      POST,
      answer(
        402,
        {},
        { type: 'error', error: { type: 'billing_error', message: 'Check your billing.' } },
      ),
      fails('UPSTREAM_QUOTA_EXHAUSTED', false, 'completed', {
        details: { upstream_code: 'billing_error' },
      }),
    ),
    limited('a rate limit of the same provider', {}, null, undefined, {
      error: { type: 'tokens', code: 'rate_limit_exceeded', message: 'Rate limit reached' },
    }),
    limited('the code is a list', {}, null, undefined, { error: { code: ['insufficient_quota'] } }),
    limited('the code is an object', {}, null, undefined, {
      error: { code: { insufficient_quota: true }, message: 'x' },
    }),
    limited('the code has more around it', {}, null, undefined, {
      error: { code: 'insufficient_quota_warning', message: 'x' },
    }),
    limited(
      'in plain text',
      { 'content-type': 'text/plain' },
      null,
      undefined,
      'insufficient_quota',
    ),
    limited('somewhere else in the body', {}, null, undefined, {
      meta: { hint: 'insufficient_quota' },
    }),
    limited('Google: RESOURCE_EXHAUSTED is a rate limit', {}, null, undefined, {
      error: {
        code: 429,
        status: 'RESOURCE_EXHAUSTED',
        message: 'Quota exceeded for quota metric',
      },
    }),
    limited('resets_in_seconds', {}, 7_139_000, undefined, {
      error: { type: 'usage_limit_reached', resets_in_seconds: 7139 },
    }),
    limited('resets_in_seconds is a text that is none', {}, null, undefined, {
      error: { type: 'usage_limit_reached', resets_in_seconds: 'soon' },
    }),
    limited('resets_in_seconds is negative', {}, null, undefined, {
      error: { type: 'usage_limit_reached', resets_in_seconds: -5 },
    }),
  ],
});
