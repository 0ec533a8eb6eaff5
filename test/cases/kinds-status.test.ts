// Every status of the taxonomy's table, for a call that may be repeated and for one that may not, and
// what real services put around it: empty bodies, HTML pages, prose full of numbers, machine codes.
import {
  answer,
  bytes,
  type Effect,
  fails,
  GET,
  POST,
  type Row,
  row,
  runRows,
  type Verdict,
} from './table.js';

type Line = readonly [
  statuses: readonly number[],
  code: string,
  transient: boolean,
  effect: Effect,
  breaker: Verdict,
];

/** The table, line by line; what depends on more than the status stands below. */
const TABLE: readonly Line[] = [
  [[300, 301, 302, 303, 304, 307, 308], 'UPSTREAM_REJECTED', false, 'completed', 'success'],
  [
    [400, 411, 413, 414, 415, 416, 417, 422, 431],
    'UPSTREAM_INVALID_REQUEST',
    false,
    'completed',
    'success',
  ],
  [[401, 407], 'UPSTREAM_AUTH_FAILED', false, 'completed', 'neutral'],
  [[402, 404, 410], 'UPSTREAM_REJECTED', false, 'completed', 'success'],
  [[403], 'UPSTREAM_FORBIDDEN', false, 'completed', 'neutral'],
  [[406, 426, 428], 'UPSTREAM_REJECTED', false, 'completed', 'neutral'],
  [[405, 501, 505, 506, 510], 'CONFIGURATION_ERROR', false, 'completed', 'neutral'],
  [[408, 504, 524, 598, 599], 'TOOL_TIMEOUT', true, 'unknown', 'failure'],
  [[409, 412, 423, 424], 'UPSTREAM_REJECTED', false, 'completed', 'success'],
  [
    [418, 420, 430, 440, 449, 450, 451, 460, 498],
    'UPSTREAM_REJECTED',
    false,
    'completed',
    'success',
  ],
  [[425], 'UPSTREAM_UNAVAILABLE', true, 'not_sent', 'neutral'],
  [[429], 'TOOL_RATE_LIMITED', true, 'completed', 'neutral'],
  [[444, 499], 'TOOL_TRANSPORT_ERROR', true, 'unknown', 'failure'],
  [[500, 509, 527, 555, 561, 589], 'UPSTREAM_SERVER_ERROR', true, 'unknown', 'failure'],
  [[502, 503, 520, 522, 529, 530], 'UPSTREAM_UNAVAILABLE', true, 'unknown', 'failure'],
  [[507, 508], 'UPSTREAM_REJECTED', false, 'unknown', 'failure'],
  [[511], 'CONFIGURATION_ERROR', false, 'not_sent', 'failure'],
  [[521, 523, 525], 'UPSTREAM_UNAVAILABLE', true, 'unknown', 'failure'],
  [[526], 'CONFIGURATION_ERROR', false, 'not_sent', 'neutral'],
];

/** Refused before it was executed: repeating is safe whatever the tool does. */
const REFUSED_FIRST = new Set([425, 429]);

function safely(status: number, effect: Effect): boolean {
  return effect === 'not_sent' || REFUSED_FIRST.has(status);
}

const byTable = (idempotent: boolean): Row[] =>
  TABLE.flatMap(([statuses, code, transient, effect, breaker]) =>
    statuses.map((status) =>
      row(
        String(status),
        idempotent ? GET : POST,
        answer(status),
        fails(code, transient && (idempotent || safely(status, effect)), effect, {
          breaker,
          details: { transient, classified_by: 'status', upstream_status: status },
        }),
      ),
    ),
  );

const html = (title: string): string =>
  `<!DOCTYPE html>\n<html><head><title>${title}</title></head><body><center><h1>${title}</h1></center><hr><center>nginx/1.25.3</center></body></html>`;
const HTML = { 'content-type': 'text/html; charset=utf-8' };

runRows({
  'a call that may be repeated': byTable(true),
  'a call that may not': byTable(false),

  'only Cloudflare itself proves that the origin was not reached': [
    ...[521, 523, 525].flatMap((status) => [
      row(
        `${status} of Cloudflare, POST`,
        POST,
        answer(
          status,
          { server: 'cloudflare', 'cf-ray': '8a1b2c3d4e5f-FRA' },
          `error code: ${status}`,
        ),
        fails('UPSTREAM_UNAVAILABLE', true, 'not_sent', { breaker: 'failure' }),
      ),
      row(
        `${status} of something else, POST`,
        POST,
        answer(status, { server: 'nginx' }),
        fails('UPSTREAM_UNAVAILABLE', false, 'unknown', { details: { transient: true } }),
      ),
    ]),
    ...[520, 522, 524, 530].map((status) =>
      row(
        `${status} of Cloudflare, POST: the origin may have it`,
        POST,
        answer(status, { server: 'cloudflare' }, `error code: ${status}`),
        fails(status === 524 ? 'TOOL_TIMEOUT' : 'UPSTREAM_UNAVAILABLE', false, 'unknown', {
          breaker: 'failure',
        }),
      ),
    ),
  ],

  'what the method says about repeating, and what the author says': [
    ...(
      [
        ['PUT', true],
        ['DELETE', true],
        ['HEAD', true],
        ['OPTIONS', true],
        ['PATCH', false],
        ['POST', false],
      ] as const
    ).map(([method, retryable]) =>
      row(
        `${method} 500`,
        { method, retry: false },
        answer(500),
        fails('UPSTREAM_SERVER_ERROR', retryable, 'unknown', { details: { transient: true } }),
      ),
    ),
    row(
      'GET that is declared not idempotent, 502',
      { ...GET, idempotent: false },
      answer(502),
      fails('UPSTREAM_UNAVAILABLE', false, 'unknown', { details: { transient: true } }),
    ),
    row(
      'DELETE that is declared not idempotent, 504',
      { method: 'DELETE', retry: false, idempotent: false },
      answer(504),
      fails('TOOL_TIMEOUT', false, 'unknown', { details: { transient: true } }),
    ),
    row(
      'POST that is declared idempotent, 408',
      { ...POST, idempotent: true },
      answer(408),
      fails('TOOL_TIMEOUT', true, 'unknown'),
    ),
    row(
      'POST that only reads, 503',
      { ...POST, read_only: true },
      answer(503),
      fails('UPSTREAM_UNAVAILABLE', true, 'unknown'),
    ),
    row(
      'PATCH declared idempotent, 400: idempotent does not make a definite no retryable',
      { method: 'PATCH', retry: false, idempotent: true },
      answer(400),
      fails('UPSTREAM_INVALID_REQUEST', false, 'completed'),
    ),
    row(
      'POST with a key that goes upstream, 502',
      { ...POST, idempotency: { header: 'Idempotency-Key' } },
      answer(502),
      fails('UPSTREAM_UNAVAILABLE', true, 'unknown'),
      { call: { idempotency_key: 'k-1' } },
    ),
    row(
      'POST with a header for the key and a call without one, 502',
      { ...POST, idempotency: { header: 'Idempotency-Key' } },
      answer(502),
      fails('UPSTREAM_UNAVAILABLE', false, 'unknown', { details: { transient: true } }),
    ),
    row(
      'POST with a key that stays in the gateway, 502',
      POST,
      answer(502),
      fails('UPSTREAM_UNAVAILABLE', false, 'unknown', { details: { transient: true } }),
      { call: { idempotency_key: 'k-2' } },
    ),
  ],

  'numbers and words in a body are not a status': [
    row(
      'nginx 502 page that speaks of a time-out',
      GET,
      answer(502, HTML, html('504 Gateway Time-out')),
      fails('UPSTREAM_UNAVAILABLE', true, 'unknown'),
    ),
    row(
      '400 in plain text: rate limit exceeded, 429',
      GET,
      answer(
        400,
        { 'content-type': 'text/plain' },
        'Error 429: rate limit exceeded, too many requests',
      ),
      fails('UPSTREAM_INVALID_REQUEST', false, 'completed', { breaker: 'success' }),
    ),
    row(
      '404 that says timeout',
      GET,
      answer(404, {}, { message: 'route "timeout" timed out of the index' }),
      fails('UPSTREAM_REJECTED', false, 'completed', { breaker: 'success' }),
    ),
    row(
      '422 that says temporarily unavailable',
      GET,
      answer(422, {}, { message: 'This product is temporarily unavailable', code: 503 }),
      fails('UPSTREAM_INVALID_REQUEST', false, 'completed', { breaker: 'success' }),
    ),
    row(
      '409 that says retry later',
      GET,
      answer(409, {}, { error: { message: 'Please retry in 5 seconds (503)' } }),
      fails('UPSTREAM_REJECTED', false, 'completed', { breaker: 'success' }),
    ),
    row(
      '500 with a JSON body that names 429 as its status',
      GET,
      answer(500, {}, { status: 429, message: 'Too Many Requests' }),
      fails('UPSTREAM_SERVER_ERROR', true, 'unknown', { breaker: 'failure' }),
    ),
    row(
      '500 with insufficient_quota in prose',
      GET,
      answer(500, {}, { message: 'insufficient_quota: check your plan' }),
      fails('UPSTREAM_SERVER_ERROR', true, 'unknown'),
    ),
    row(
      '429 with a quota in prose only',
      GET,
      answer(
        429,
        {},
        { error: { message: 'You exceeded your current quota (insufficient_quota)' } },
      ),
      fails('TOOL_RATE_LIMITED', true, 'completed', { breaker: 'neutral' }),
    ),
    row(
      '400 in prose: your credit balance is too low',
      POST,
      answer(
        400,
        { 'request-id': 'req_011CSHoEeqs5C35K2UUqR7Fy' },
        {
          type: 'error',
          error: {
            type: 'invalid_request_error',
            message: 'Your credit balance is too low to access the Anthropic API.',
          },
        },
      ),
      fails('UPSTREAM_INVALID_REQUEST', false, 'completed', {
        details: { upstream_code: 'invalid_request_error' },
      }),
    ),
    row(
      '404 page of 200 KB',
      GET,
      answer(404, HTML, html('404 Not Found') + ' '.repeat(200_000)),
      fails('UPSTREAM_REJECTED', false, 'completed'),
    ),
    row(
      '503 with a body that is no JSON although it says so',
      GET,
      answer(
        503,
        { 'content-type': 'application/json' },
        'upstream connect error or disconnect/reset',
      ),
      fails('UPSTREAM_UNAVAILABLE', true, 'unknown', { breaker: 'failure' }),
    ),
    row(
      '500 with a JSON null',
      POST,
      answer(500, { 'content-type': 'application/json' }, 'null'),
      fails('UPSTREAM_SERVER_ERROR', false, 'unknown'),
    ),
    row(
      '400 with a JSON array of numbers',
      GET,
      answer(400, { 'content-type': 'application/json' }, '[1,2,3]'),
      fails('UPSTREAM_INVALID_REQUEST', false, 'completed'),
    ),
    row(
      '401 with content-length 0',
      GET,
      answer(401, { 'content-length': '0', 'www-authenticate': 'Bearer realm="api"' }),
      fails('UPSTREAM_AUTH_FAILED', false, 'completed', { breaker: 'neutral' }),
    ),
  ],

  'numbers that are no status of HTTP': [
    // LinkedIn answers robots with 999.
    ...[600, 999].map((status) =>
      row(
        String(status),
        GET,
        bytes(
          `HTTP/1.1 ${status} Request denied\r\ncontent-length: 0\r\nconnection: close\r\n\r\n`,
        ),
        fails('UNMAPPED_FAILURE', false, 'unknown', { breaker: 'neutral' }),
      ),
    ),
  ],

  'machine codes of real services': [
    row(
      'GitHub 422 validation failed',
      POST,
      answer(
        422,
        {},
        {
          message: 'Validation Failed',
          errors: [{ resource: 'Issue', field: 'title', code: 'missing_field' }],
          documentation_url: 'https://docs.github.com/rest',
        },
      ),
      fails('UPSTREAM_INVALID_REQUEST', false, 'completed', { message: /Validation Failed/ }),
    ),
    row(
      'OpenAI 400 context_length_exceeded',
      POST,
      answer(
        400,
        {},
        {
          error: {
            message: "This model's maximum context length is 8192 tokens.",
            type: 'invalid_request_error',
            param: 'messages',
            code: 'context_length_exceeded',
          },
        },
      ),
      fails('UPSTREAM_INVALID_REQUEST', false, 'completed', {
        details: { upstream_code: 'context_length_exceeded' },
        message: /maximum context length/,
      }),
    ),
    row(
      'OpenAI 401 invalid_api_key',
      POST,
      answer(
        401,
        {},
        {
          error: {
            message: 'Incorrect API key provided.',
            type: 'invalid_request_error',
            code: 'invalid_api_key',
          },
        },
      ),
      fails('UPSTREAM_AUTH_FAILED', false, 'completed', {
        details: { upstream_code: 'invalid_api_key' },
        breaker: 'neutral',
      }),
    ),
    row(
      'OpenAI error whose code is null: its type is the code',
      POST,
      answer(
        500,
        {},
        {
          error: {
            message: 'The server had an error',
            type: 'server_error',
            param: null,
            code: null,
          },
        },
      ),
      fails('UPSTREAM_SERVER_ERROR', false, 'unknown', {
        details: { upstream_code: 'server_error' },
      }),
    ),
    row(
      'Anthropic 529 overloaded_error',
      POST,
      answer(
        529,
        {},
        { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } },
      ),
      fails('UPSTREAM_UNAVAILABLE', false, 'unknown', {
        details: { upstream_code: 'overloaded_error', transient: true },
        breaker: 'failure',
      }),
    ),
    row(
      'Stripe 402 card_declined',
      POST,
      answer(
        402,
        {},
        {
          error: {
            code: 'card_declined',
            decline_code: 'generic_decline',
            message: 'Your card was declined.',
            type: 'card_error',
          },
        },
      ),
      fails('UPSTREAM_REJECTED', false, 'completed', {
        details: { upstream_code: 'card_declined' },
        breaker: 'success',
      }),
    ),
    row(
      'Google Cloud 404 NOT_FOUND with ErrorInfo',
      GET,
      answer(
        404,
        {},
        {
          error: {
            code: 404,
            message: 'Requested entity was not found.',
            status: 'NOT_FOUND',
            details: [
              {
                '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
                reason: 'RESOURCE_MISSING',
                domain: 'googleapis.com',
              },
            ],
          },
        },
      ),
      fails('UPSTREAM_REJECTED', false, 'completed', { message: /was not found/ }),
    ),
    row(
      'Google Cloud 503 UNAVAILABLE',
      GET,
      answer(
        503,
        {},
        {
          error: {
            code: 503,
            message: 'The service is currently unavailable.',
            status: 'UNAVAILABLE',
          },
        },
      ),
      fails('UPSTREAM_UNAVAILABLE', true, 'unknown', { details: { upstream_code: 'UNAVAILABLE' } }),
    ),
    row(
      'gRPC gateway 500 with a number as its code',
      GET,
      answer(500, {}, { code: 13, message: 'internal', details: [] }),
      fails('UPSTREAM_SERVER_ERROR', true, 'unknown'),
    ),
    row(
      'AWS 400 ValidationException',
      POST,
      answer(
        400,
        { 'x-amzn-errortype': 'ValidationException' },
        { message: 'One or more parameter values were invalid' },
      ),
      fails('UPSTREAM_INVALID_REQUEST', false, 'completed', {
        details: { upstream_code: 'ValidationException' },
        breaker: 'success',
      }),
    ),
    row(
      'AWS 404 ResourceNotFoundException with its namespace',
      POST,
      answer(
        404,
        { 'content-type': 'application/x-amz-json-1.0' },
        JSON.stringify({
          __type: 'com.amazonaws.dynamodb.v20120810#ResourceNotFoundException',
          message: 'Requested resource not found',
        }),
      ),
      fails('UPSTREAM_REJECTED', false, 'completed', { message: /not found/i }),
    ),
    row(
      'Azure 409 Conflict',
      { method: 'PUT', retry: false },
      answer(
        409,
        {},
        {
          error: {
            code: 'AnotherOperationInProgress',
            message: 'Another operation is in progress.',
          },
        },
      ),
      fails('UPSTREAM_REJECTED', false, 'completed', {
        details: { upstream_code: 'AnotherOperationInProgress' },
        breaker: 'success',
      }),
    ),
    row(
      'problem+json: the type is the code and the detail the message',
      POST,
      answer(
        403,
        { 'content-type': 'application/problem+json' },
        JSON.stringify({
          type: 'https://example.com/probs/out-of-credit',
          title: 'You do not have enough credit.',
          detail: 'Your current balance is 30, but that costs 50.',
          status: 403,
        }),
      ),
      fails('UPSTREAM_FORBIDDEN', false, 'completed', {
        details: { upstream_code: 'https://example.com/probs/out-of-credit' },
        message: /balance is 30/,
        breaker: 'neutral',
      }),
    ),
    row(
      'problem+json whose status member contradicts the status line',
      GET,
      answer(
        500,
        { 'content-type': 'application/problem+json; charset=utf-8' },
        JSON.stringify({
          type: 'about:blank',
          title: 'Not Found',
          status: 404,
        }),
      ),
      fails('UPSTREAM_SERVER_ERROR', true, 'unknown'),
    ),
    row(
      'JSON:API errors',
      GET,
      answer(
        400,
        { 'content-type': 'application/vnd.api+json' },
        JSON.stringify({
          errors: [
            {
              status: '400',
              code: 'bad_filter',
              title: 'Unknown filter',
              detail: 'There is no filter "colour".',
            },
          ],
        }),
      ),
      fails('UPSTREAM_INVALID_REQUEST', false, 'completed', {
        details: { upstream_code: 'bad_filter' },
      }),
    ),
    row(
      'Atlassian errorMessages',
      GET,
      answer(
        404,
        {},
        {
          errorMessages: ['Issue does not exist or you do not have permission to see it.'],
          errors: {},
        },
      ),
      fails('UPSTREAM_REJECTED', false, 'completed'),
    ),
    row(
      'Slack 200 with ok: false is an answer',
      POST,
      answer(200, {}, { ok: false, error: 'channel_not_found' }),
      { status: 'ok', result: { ok: false, error: 'channel_not_found' }, breaker: 'success' },
    ),
    row(
      '200 with an error member is an answer',
      GET,
      answer(200, {}, { error: { code: 429, status: 'RESOURCE_EXHAUSTED' } }),
      { status: 'ok', result: { error: { code: 429, status: 'RESOURCE_EXHAUSTED' } } },
    ),
    row('207 Multi-Status is an answer', GET, answer(207, {}, { responses: [{ status: 423 }] }), {
      status: 'ok',
      result: { responses: [{ status: 423 }] },
    }),
    row('201 and 202 are answers', POST, answer(202, {}, { job: 7 }), {
      status: 'ok',
      result: { job: 7 },
    }),
    row(
      'wrong-typed: code is an object, message a number, type a list',
      GET,
      answer(
        400,
        {},
        { error: { code: { a: 1 }, message: 7, type: ['x'] }, code: [], message: null },
      ),
      fails('UPSTREAM_INVALID_REQUEST', false, 'completed'),
    ),
    row(
      'wrong-typed: error is a text',
      GET,
      answer(401, {}, { error: 'invalid_token', error_description: 'The token expired' }),
      fails('UPSTREAM_AUTH_FAILED', false, 'completed'),
    ),
    row(
      'wrong-typed: errors is a list of null and numbers',
      GET,
      answer(422, {}, { errors: [null, 3, [], {}] }),
      fails('UPSTREAM_INVALID_REQUEST', false, 'completed'),
    ),
    row(
      'a message of 20 KB is cut to 500 characters',
      GET,
      answer(400, {}, { code: 'too_long', message: 'x'.repeat(20_000) }),
      fails('UPSTREAM_INVALID_REQUEST', false, 'completed', { message: /^.{1,500}$/s }),
    ),
  ],
});
