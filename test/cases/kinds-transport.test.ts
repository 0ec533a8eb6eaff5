// Where a call dies: before it was sent, while it was sent, before the answer, in the middle of it;
// by time, by reset, by an orderly close, by bytes that are no HTTP. And whether it may be repeated.
import {
  type Act,
  answer,
  bytes,
  bytesThen,
  fails,
  GET,
  GET3,
  hang,
  hangUp,
  ok,
  POST,
  POST3,
  QUICK_RETRY,
  reset,
  type Row,
  row,
  runRows,
  succeeds,
  type ToolConfig,
} from './table.js';

const SHORT = { timeout_ms: 60 };
/** Where an answer must come in time on a busy machine. */
const ROOMY = { timeout_ms: 400 };
const KEY = { idempotency: { header: 'Idempotency-Key' } };
const withKey = { call: { idempotency_key: 'order-1' } };

const three = (method: string, more: object = {}): ToolConfig => ({
  method,
  retry: QUICK_RETRY,
  ...more,
});

/** Whether each kind of tool is repeated when nobody knows whether it had its effect. */
const REPEATED: readonly (readonly [
  name: string,
  tool: ToolConfig,
  repeated: boolean,
  call?: object,
])[] = [
  ['GET', GET3, true],
  ['HEAD', three('HEAD'), true],
  ['PUT', three('PUT'), true],
  ['DELETE', three('DELETE'), true],
  ['POST', POST3, false],
  ['PATCH', three('PATCH'), false],
  ['POST declared idempotent', three('POST', { idempotent: true }), true],
  ['POST that only reads', three('POST', { read_only: true }), true],
  ['PUT declared not idempotent', three('PUT', { idempotent: false }), false],
  ['GET declared not idempotent', three('GET', { idempotent: false }), false],
  ['POST with a key that goes upstream', three('POST', KEY), true, withKey],
  ['PATCH with a key that goes upstream', three('PATCH', KEY), true, withKey],
  ['POST with a header for a key, and no key', three('POST', KEY), false],
  ['POST with a key that stays here', POST3, false, withKey],
];

const deaths = (
  script: Act,
  code: string,
  details: Record<string, unknown>,
  more: object = {},
): Row[] =>
  REPEATED.map(([name, tool, repeated, call]) =>
    row(
      name,
      { ...tool, ...more },
      script,
      fails(code, repeated, 'unknown', {
        requests: repeated ? 3 : 1,
        details: {
          ...details,
          transient: true,
          retry_stopped_by: repeated ? 'max_attempts' : 'unsafe_to_repeat',
        },
        breaker: 'failure',
      }),
      call,
    ),
  );

const HEAD = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n';

/** Head and half of the body of an error. */
const failing = (status: number, headers = ''): string =>
  `HTTP/1.1 ${status} No\r\ncontent-type: application/json\r\n${headers}content-length: 100\r\n\r\n{"mess`;

const drip: Act = (request) => {
  request.socket.write(`${HEAD}content-length: 1000\r\n\r\n`);
  const timer = setInterval(() => request.socket.write('.'), 10);
  request.socket.on('close', () => {
    clearInterval(timer);
  });
};

/** No HTTP: repeating will not mend it, even where it would be safe. */
const garbage = (name: string, text: string): Row =>
  row(
    name,
    GET3,
    bytesThen(text, 'fin'),
    fails('TOOL_TRANSPORT_ERROR', false, 'unknown', {
      details: { transient: false, retry_stopped_by: 'not_retryable' },
      breaker: 'failure',
    }),
  );

/** Never left this house. */
const unsent = (
  name: string,
  tool: ToolConfig,
  attempts: number,
  details: Record<string, unknown> = {},
): Row =>
  row(
    name,
    tool,
    ok,
    fails('TOOL_CONNECTION_FAILED', true, 'not_sent', {
      requests: 0,
      attempts,
      breaker: 'failure',
      details: { system_code: 'ECONNREFUSED', transient: true, ...details },
    }),
  );

const misconfigured = (name: string, origin: string, tool: ToolConfig = GET3): Row =>
  row(
    name,
    { ...tool, origin },
    ok,
    fails('CONFIGURATION_ERROR', false, 'not_sent', {
      requests: 0,
      breaker: 'neutral',
      details: { transient: false },
    }),
  );

runRows({
  'time runs out before any header': deaths(
    hang,
    'TOOL_TIMEOUT',
    { scope: 'attempt', phase: 'awaiting_headers', timeout: 0.06 },
    SHORT,
  ),

  'time runs out later': [
    row(
      'headers, then silence, GET',
      { ...GET3, ...SHORT },
      bytes(`${HEAD}content-length: 100\r\n\r\n{"a":`),
      fails('TOOL_TIMEOUT', true, 'unknown', {
        requests: 3,
        details: { scope: 'attempt' },
        breaker: 'failure',
      }),
    ),
    row(
      'headers, then silence, POST',
      { ...POST3, ...SHORT },
      bytes(`${HEAD}content-length: 100\r\n\r\n{"a":`),
      fails('TOOL_TIMEOUT', false, 'unknown', {
        details: { transient: true, retry_stopped_by: 'unsafe_to_repeat' },
        breaker: 'failure',
      }),
    ),
    row(
      'half of the headers, then silence, POST',
      { ...POST3, ...SHORT },
      bytes('HTTP/1.1 200 OK\r\ncontent-ty'),
      fails('TOOL_TIMEOUT', false, 'unknown', { breaker: 'failure' }),
    ),
    row(
      'a body that comes byte by byte and never ends',
      { ...GET, ...SHORT },
      drip,
      fails('TOOL_TIMEOUT', true, 'unknown', { breaker: 'failure' }),
    ),
    row(
      'an interim answer is no answer',
      { ...POST3, ...SHORT },
      bytes('HTTP/1.1 102 Processing\r\n\r\n'),
      fails('TOOL_TIMEOUT', false, 'unknown', { breaker: 'failure' }),
    ),
    row(
      'an interim answer before the answer',
      GET,
      bytes(`HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n${HEAD}content-length: 2\r\n\r\n{}`),
      succeeds({}),
    ),
    row(
      'silence once, then an answer',
      { ...GET3, ...ROOMY },
      [hang, ok],
      succeeds({ fine: true }, { requests: 2, attempts: 2 }),
    ),
    row(
      'silence, then a definite no',
      { ...GET3, ...ROOMY },
      [hang, answer(404)],
      fails('UPSTREAM_REJECTED', false, 'completed', {
        requests: 2,
        details: {
          attempt_log: [{ code: 'TOOL_TIMEOUT' }, { code: 'UPSTREAM_REJECTED', status: 404 }],
        },
      }),
    ),
    row(
      "the call's own time, GET: no time is left to repeat it",
      GET3,
      hang,
      fails('TOOL_TIMEOUT', true, 'unknown', { requests: 1 }),
      { call: { timeout_ms: 60 } },
    ),
    row(
      "the call's own time, POST",
      POST3,
      hang,
      fails('TOOL_TIMEOUT', false, 'unknown', { requests: 1, details: { transient: true } }),
      { call: { timeout_ms: 60 } },
    ),
    row(
      "the batch's time, GET",
      GET3,
      hang,
      fails('TOOL_TIMEOUT', true, 'unknown', { requests: 1, details: { scope: 'deadline' } }),
      { envelope: { deadline_ms: 60 } },
    ),
    row(
      "the batch's time, POST",
      POST3,
      hang,
      fails('TOOL_TIMEOUT', false, 'unknown', {
        requests: 1,
        details: { scope: 'deadline', transient: true },
      }),
      { envelope: { deadline_ms: 60 } },
    ),
    row(
      'a call may not ask for more than the batch has',
      POST3,
      hang,
      fails('TOOL_TIMEOUT', false, 'unknown', { requests: 1, details: { scope: 'deadline' } }),
      { envelope: { deadline_ms: 60 }, call: { timeout_ms: 5000 } },
    ),
  ],

  'reset once the request was read': deaths(reset, 'TOOL_TRANSPORT_ERROR', {
    system_code: 'ECONNRESET',
  }),

  'closed in order without an answer': deaths(hangUp, 'TOOL_TRANSPORT_ERROR', {}),

  'broken off in the answer': [
    ...(['fin', 'rst'] as const).flatMap((end) => [
      row(
        `in the status line, ${end}, POST`,
        POST3,
        bytesThen('HTTP/1.1 20', end),
        fails('TOOL_TRANSPORT_ERROR', false, 'unknown', { breaker: 'failure' }),
      ),
      row(
        `in the headers, ${end}, POST`,
        POST3,
        bytesThen(HEAD, end),
        fails('TOOL_TRANSPORT_ERROR', false, 'unknown', { breaker: 'failure' }),
      ),
      row(
        `in a body with a length, ${end}, POST`,
        POST3,
        bytesThen(`${HEAD}content-length: 100\r\n\r\n{"id": 7`, end),
        fails('TOOL_TRANSPORT_ERROR', false, 'unknown', { breaker: 'failure' }),
      ),
      row(
        `in a body in chunks, ${end}, POST`,
        POST3,
        bytesThen(`${HEAD}transfer-encoding: chunked\r\n\r\n5\r\n{"id"\r\n`, end),
        fails('TOOL_TRANSPORT_ERROR', false, 'unknown', { breaker: 'failure' }),
      ),
    ]),
    row(
      'in a body with a length, reset, GET',
      GET3,
      bytesThen(`${HEAD}content-length: 100\r\n\r\n{"id": 7`, 'rst'),
      fails('TOOL_TRANSPORT_ERROR', true, 'unknown', { requests: 3, breaker: 'failure' }),
    ),
    row(
      'in a body in chunks, reset, GET, then whole',
      GET3,
      [bytesThen(`${HEAD}transfer-encoding: chunked\r\n\r\n5\r\n{"id"\r\n`, 'rst'), ok],
      succeeds({ fine: true }, { requests: 2 }),
    ),
    row(
      'a body without a length ends with the connection',
      GET,
      bytesThen(`${HEAD}connection: close\r\n\r\n{"a":1}`, 'fin'),
      succeeds({ a: 1 }),
    ),
    row(
      'reset once, then an answer, GET',
      GET3,
      [reset, ok],
      succeeds({ fine: true }, { requests: 2, attempts: 2 }),
    ),
    row(
      'reset once, POST with a key',
      three('POST', KEY),
      [reset, ok],
      succeeds({ fine: true }, { requests: 2 }),
      withKey,
    ),
    row(
      'reset, POST: the answer that a second try would get is not asked for',
      POST3,
      [reset, ok],
      fails('TOOL_TRANSPORT_ERROR', false, 'unknown', { details: { transient: true } }),
    ),
  ],

  'broken off in the body of an error: the status and its headers had come whole': [
    row(
      'a rate limit with its time, POST',
      POST,
      bytesThen(failing(429, 'retry-after: 9\r\n'), 'rst'),
      fails('TOOL_RATE_LIMITED', true, 'completed', { retry: 9000, breaker: 'neutral' }),
    ),
    row(
      'a definite no, POST',
      POST,
      bytesThen(failing(404), 'fin'),
      fails('UPSTREAM_REJECTED', false, 'completed', { breaker: 'success' }),
    ),
    row(
      'invalid, GET: nothing to repeat',
      GET3,
      bytesThen(failing(400), 'rst'),
      fails('UPSTREAM_INVALID_REQUEST', false, 'completed', { breaker: 'success' }),
    ),
    row(
      'unavailable, GET',
      GET,
      bytesThen(failing(503), 'rst'),
      fails('UPSTREAM_UNAVAILABLE', true, 'unknown', { breaker: 'failure' }),
    ),
  ],

  'bytes that are no HTTP': [
    garbage('SSH', 'SSH-2.0-OpenSSH_9.6\r\n'),
    garbage('SMTP', '220 mail.example.com ESMTP Postfix\r\n'),
    garbage('a status that is no number', 'HTTP/1.1 abc OK\r\n\r\n'),
    garbage('a length that is no number', 'HTTP/1.1 200 OK\r\ncontent-length: many\r\n\r\nx'),
    garbage(
      'two lengths',
      'HTTP/1.1 200 OK\r\ncontent-length: 3\r\ncontent-length: 5\r\n\r\nabcde',
    ),
    garbage(
      'a chunk size that is none',
      'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n',
    ),
    garbage('a header line without a colon', 'HTTP/1.1 200 OK\r\nthis is no header\r\n\r\n'),
    garbage('TLS bytes', '\u0015\u0003\u0001\u0000\u0002\u0002F'),
    garbage('headers of 200 KB', `HTTP/1.1 200 OK\r\nx-long: ${'a'.repeat(200_000)}\r\n\r\n`),
  ],

  'never sent': [
    unsent('POST, refused', { ...POST3, origin: 'http://REFUSED' }, 3, {
      retry_stopped_by: 'max_attempts',
    }),
    unsent('PATCH, refused', three('PATCH', { origin: 'http://REFUSED' }), 3),
    unsent('GET, refused', { ...GET, origin: 'http://REFUSED' }, 1),
    unsent(
      'GET that is declared not idempotent, refused',
      three('GET', { idempotent: false, origin: 'http://REFUSED' }),
      3,
    ),
    unsent('POST over TLS, refused', { ...POST3, origin: 'https://REFUSED' }, 3),
    unsent(
      'POST with secrets in its URL, refused',
      { ...POST, origin: 'http://user:pass-word-1@REFUSED' },
      1,
    ),
    misconfigured('TLS towards a port that speaks plain HTTP', 'https://HOST'),
    misconfigured('TLS towards plain HTTP, POST', 'https://HOST', POST3),
    misconfigured('the metadata service', 'http://169.254.169.254'),
    misconfigured('the metadata service, in hex', 'http://0xA9FEA9FE'),
    misconfigured('the metadata service, as one number', 'http://2852039166'),
    misconfigured('the metadata service, v4-mapped', 'http://[::ffff:169.254.169.254]'),
    misconfigured('a link-local address', 'http://[fe80::1]', POST3),
  ],
});
