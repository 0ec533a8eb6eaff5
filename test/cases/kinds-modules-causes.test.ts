// Connections, names, TLS, classes and words in what module tools throw.
import { coded, error, fetched, named, runThrown } from './thrown-table.js';

const hostile = new Proxy(
  {},
  {
    get: () => {
      throw new Error('no');
    },
  },
);
const cyclic = new Error('round');
cyclic.cause = cyclic;

runThrown({
  'connections, names and TLS': [
    ['fetch, refused', fetched('ECONNREFUSED'), 'TOOL_CONNECTION_FAILED', true],
    [
      'both addresses refused',
      () => new AggregateError([coded('ECONNREFUSED')(), coded('ECONNREFUSED')()]),
      'TOOL_CONNECTION_FAILED',
      true,
    ],
    ['fetch, reset', fetched('ECONNRESET'), 'TOOL_TRANSPORT_ERROR', true],
    ['socket closed by the other side', fetched('UND_ERR_SOCKET'), 'TOOL_TRANSPORT_ERROR', true],
    ['EPIPE', coded('EPIPE'), 'TOOL_TRANSPORT_ERROR', true],
    ['no headers in time', fetched('UND_ERR_HEADERS_TIMEOUT'), 'TOOL_TIMEOUT', true],
    [
      'connecting took too long',
      fetched('UND_ERR_CONNECT_TIMEOUT'),
      'TOOL_CONNECTION_FAILED',
      true,
    ],
    ['no such host', fetched('ENOTFOUND'), 'TOOL_CONNECTION_FAILED', false],
    ['the resolver is busy', fetched('EAI_AGAIN'), 'TOOL_CONNECTION_FAILED', true],
    ['certificate expired', fetched('CERT_HAS_EXPIRED'), 'CONFIGURATION_ERROR', false],
    ['self-signed', fetched('DEPTH_ZERO_SELF_SIGNED_CERT'), 'CONFIGURATION_ERROR', false],
    [
      'self-signed in its chain',
      fetched('SELF_SIGNED_CERT_IN_CHAIN'),
      'CONFIGURATION_ERROR',
      false,
    ],
    ['of another host', fetched('ERR_TLS_CERT_ALTNAME_INVALID'), 'CONFIGURATION_ERROR', false],
    ['unknown issuer', fetched('UNABLE_TO_GET_ISSUER_CERT_LOCALLY'), 'CONFIGURATION_ERROR', false],
    [
      'plain HTTP where TLS is spoken',
      fetched('ERR_SSL_WRONG_VERSION_NUMBER'),
      'CONFIGURATION_ERROR',
      false,
    ],
    [
      'axios, its time is up',
      named('AxiosError', 'timeout of 1000ms exceeded', { code: 'ECONNABORTED' }),
      'TOOL_TRANSPORT_ERROR',
      true,
    ],
    [
      'Stripe keeps the cause in detail',
      named('StripeConnectionError', 'An error occurred with our connection', {
        detail: coded('ECONNRESET')(),
      }),
      'TOOL_TRANSPORT_ERROR',
      true,
    ],
    [
      'OpenAI, no connection',
      () =>
        Object.assign(named('APIConnectionError', 'Connection error.')() as Error, {
          cause: fetched('ECONNREFUSED')(),
        }),
      'TOOL_CONNECTION_FAILED',
      true,
    ],
    ['no file handles left', coded('EMFILE'), 'RESOURCE_EXHAUSTED', true],
  ],

  'names and words': [
    [
      'AbortSignal.timeout',
      () => new DOMException('The operation was aborted due to timeout', 'TimeoutError'),
      'TOOL_TIMEOUT',
      true,
    ],
    [
      'an abort that is none of ours',
      () => new DOMException('This operation was aborted', 'AbortError'),
      'UNMAPPED_FAILURE',
      false,
    ],
    [
      'MCP client',
      error('MCP error -32001: Request timed out', { code: -32001 }),
      'TOOL_TIMEOUT',
      true,
    ],
    [
      'zod',
      named('ZodError', '[{"code":"invalid_type","path":["a"]}]'),
      'TOOL_VALIDATION_ERROR',
      false,
    ],
    [
      'a bug',
      () => new TypeError("Cannot read properties of undefined (reading 'id')"),
      'TOOL_VALIDATION_ERROR',
      false,
    ],
    ['a numbered file', error('crashed at handler.mjs:429:15'), 'UNMAPPED_FAILURE', false],
    [
      'no such file',
      coded('ENOENT', 'ENOENT: no such file or directory'),
      'UNMAPPED_FAILURE',
      false,
    ],
    ['disk full', coded('ENOSPC', 'write failed'), 'UNMAPPED_FAILURE', false],
    [
      'PostgreSQL, unique',
      coded('23505', 'duplicate key value violates unique constraint'),
      'UNMAPPED_FAILURE',
      false,
    ],
    ['a text', () => 'rate limit exceeded', 'TOOL_RATE_LIMITED', true],
    ['null', () => null, 'UNMAPPED_FAILURE', false],
    ['nothing', () => undefined, 'UNMAPPED_FAILURE', false],
    ['a number', () => 429, 'TOOL_RATE_LIMITED', true],
    ['an object', () => ({ message: 'temporarily unavailable' }), 'UPSTREAM_UNAVAILABLE', true],
    ['a symbol', () => Symbol('x'), 'UNMAPPED_FAILURE', false],
    ['a proxy that throws at every look', () => hostile, 'UNMAPPED_FAILURE', false],
    ['its own cause', () => cyclic, 'UNMAPPED_FAILURE', false],
    [
      'a password in its words',
      error('postgres://app:CANARY-hunter2@db/x timed out'),
      'TOOL_TIMEOUT',
      true,
      { secret: ['CANARY-hunter2'] },
    ],
  ],
});
