// What clients of HTTP APIs and of gRPC attach to the errors that module tools throw: statuses, headers,
// bodies, machine codes.
import { error, named, runThrown } from './thrown-table.js';

const cyclic = new Error('round');
cyclic.cause = cyclic;

const grpc = (code: number, said: string) =>
  error(`${code} ${said}: x`, { code, details: 'x', metadata: { internalRepr: new Map() } });
const axios = (status: number, data: unknown = {}, headers: object = {}) =>
  named('AxiosError', `Request failed with status code ${status}`, {
    code: 'ERR_BAD_REQUEST',
    response: { status, headers, data },
  });
const sdk = (name: string, httpStatusCode: number) =>
  named(name, 'x', { $metadata: { httpStatusCode } });

runThrown({
  'statuses, and what stands beside them': [
    [
      'axios 429',
      axios(429, {}, { 'retry-after': '7' }),
      'TOOL_RATE_LIMITED',
      true,
      { retry: 7000 },
    ],
    ['axios 401', axios(401), 'UPSTREAM_AUTH_FAILED', false],
    ['axios 404', axios(404), 'UPSTREAM_REJECTED', false],
    ['axios 422', axios(422, { message: '503' }), 'UPSTREAM_INVALID_REQUEST', false],
    ['axios 503', axios(503), 'UPSTREAM_UNAVAILABLE', true],
    ['axios 500', axios(500), 'UPSTREAM_SERVER_ERROR', true],
    ['axios 504', axios(504), 'TOOL_TIMEOUT', true],
    [
      'gaxios 403 with a reason',
      axios(403, { error: { errors: [{ reason: 'rateLimitExceeded' }] } }),
      'TOOL_RATE_LIMITED',
      true,
    ],
    [
      'gaxios 403',
      axios(403, { error: { status: 'PERMISSION_DENIED' } }),
      'UPSTREAM_FORBIDDEN',
      false,
    ],
    [
      'got, body as a text',
      error('x', {
        response: { statusCode: 400, headers: {}, body: '{"__type":"ThrottlingException"}' },
      }),
      'TOOL_RATE_LIMITED',
      true,
    ],
    [
      'a body that has no JSON',
      error('x', { response: { status: 500, data: { cyclic } } }),
      'UPSTREAM_SERVER_ERROR',
      true,
    ],
    [
      'Octokit, nothing left',
      named('HttpError', 'x', {
        status: 403,
        response: { headers: { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '59' } },
      }),
      'TOOL_RATE_LIMITED',
      true,
      { retry: 59_000 },
    ],
    [
      'OpenAI, out of money',
      named('RateLimitError', '429 You exceeded your current quota', {
        status: 429,
        code: 'insufficient_quota',
        error: { code: 'insufficient_quota' },
      }),
      'UPSTREAM_QUOTA_EXHAUSTED',
      false,
    ],
    [
      'a code of the error beside a body that has none',
      named('RateLimitError', 'x', {
        status: 429,
        code: 'insufficient_quota',
        response: { data: {} },
      }),
      'UPSTREAM_QUOTA_EXHAUSTED',
      false,
    ],
    [
      'Anthropic, overloaded',
      named('APIError', '529', {
        status: 529,
        error: { type: 'error', error: { type: 'overloaded_error' } },
      }),
      'UPSTREAM_UNAVAILABLE',
      true,
    ],
    [
      'Stripe, declined',
      named('StripeCardError', 'Your card was declined.', {
        statusCode: 402,
        code: 'card_declined',
        type: 'StripeCardError',
      }),
      'UPSTREAM_REJECTED',
      false,
    ],
    ['AWS, throttled', sdk('ThrottlingException', 400), 'TOOL_RATE_LIMITED', true],
    ['AWS, token expired', sdk('ExpiredTokenException', 400), 'UPSTREAM_AUTH_FAILED', false],
    ['AWS, invalid', sdk('ValidationException', 400), 'UPSTREAM_INVALID_REQUEST', false],
    ['http-errors', error('x', { status: 409, expose: true }), 'UPSTREAM_REJECTED', false],
    [
      'a Response itself',
      () => new Response('x', { status: 503, headers: { 'retry-after': '3' } }),
      'UPSTREAM_UNAVAILABLE',
      true,
      { retry: 3000 },
    ],
  ],

  gRPC: [
    [
      'UNAVAILABLE',
      grpc(14, 'UNAVAILABLE'),
      'UPSTREAM_UNAVAILABLE',
      true,
      { details: { upstream_code: 'UNAVAILABLE' } },
    ],
    ['RESOURCE_EXHAUSTED', grpc(8, 'RESOURCE_EXHAUSTED'), 'TOOL_RATE_LIMITED', true],
    ['DEADLINE_EXCEEDED', grpc(4, 'DEADLINE_EXCEEDED'), 'TOOL_TIMEOUT', true],
    ['UNAUTHENTICATED', grpc(16, 'UNAUTHENTICATED'), 'UPSTREAM_AUTH_FAILED', false],
    ['PERMISSION_DENIED', grpc(7, 'PERMISSION_DENIED'), 'UPSTREAM_FORBIDDEN', false],
    ['INVALID_ARGUMENT', grpc(3, 'INVALID_ARGUMENT'), 'UPSTREAM_INVALID_REQUEST', false],
    ['NOT_FOUND', grpc(5, 'NOT_FOUND'), 'UPSTREAM_REJECTED', false],
    ['INTERNAL', grpc(13, 'INTERNAL'), 'UPSTREAM_SERVER_ERROR', true],
    ['UNIMPLEMENTED', grpc(12, 'UNIMPLEMENTED'), 'CONFIGURATION_ERROR', false],
    ['a number alone is none', error('x', { code: 14 }), 'UNMAPPED_FAILURE', false],
    ['OK is none', grpc(0, 'OK'), 'UNMAPPED_FAILURE', false],
  ],
});
