// POST /v1/errors/classify: failures of calls that did not pass through the gateway, from the
// exercise's bare exceptions to statuses with headers, transport codes and JSON-RPC codes.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ErrorInfo } from '../../src/errors/error-info.js';
import { type Harness, startHarness } from '../support/harness.js';
import { type Expected, expectInfo, fails, imf } from './table.js';

type Bucket = 'unknown_tool' | 'transient' | 'validation' | 'tool_error' | 'unexpected';

type Line = readonly [name: string, report: object, bucket: Bucket, expected: Expected];

let harness: Harness;

beforeAll(async () => {
  const http = { url: 'http://127.0.0.1:9/' };
  harness = await startHarness({
    tools: [
      { name: 'search', http },
      { name: 'calculator', http: { ...http, method: 'POST' } },
      { name: 'mail.send', http: { ...http, method: 'POST' }, idempotent: true },
      {
        name: 'booking.cancel',
        http: { ...http, method: 'POST' },
        errors: [
          {
            when: { status: 409 },
            then: { declined: 'booking_not_cancellable', message: 'This fare is non-refundable.' },
          },
          {
            when: { transport: 'ECONNREFUSED' },
            then: { transient: 'down', retry_after_ms: 2000 },
          },
        ],
      },
    ],
  });
});

afterAll(() => harness.close());

function run(lines: readonly Line[]): void {
  it.each(lines)('%s', async (_name, payload, bucket, expected) => {
    const response = await harness.app.inject({
      method: 'POST',
      url: '/v1/errors/classify',
      payload,
    });
    expect(response.statusCode, response.body).toBe(200);
    const answer = response.json<{ error_info: ErrorInfo; bucket: string }>();
    expectInfo(answer.error_info, expected);
    expect(answer.bucket).toBe(bucket);
  });
}

/** A bare exception of a call that may be repeated. */
const thrown = (
  type: string | undefined,
  message: string | undefined,
  bucket: Bucket,
  code: string,
  details?: Record<string, unknown>,
): Line => {
  const transient = bucket === 'transient';
  return [
    `${type ?? 'no type'}: ${message ?? 'no message'}`,
    { error: { ...(type !== undefined && { type }), ...(message !== undefined && { message }) } },
    bucket,
    fails(code, transient, 'unknown', { details: { transient, ...details } }),
  ];
};

const limited = (type: string | undefined, message: string): Line =>
  thrown(type, message, 'transient', 'TOOL_RATE_LIMITED');
const late = (type: string | undefined, message: string): Line =>
  thrown(type, message, 'transient', 'TOOL_TIMEOUT');
const away = (type: string | undefined, message: string): Line =>
  thrown(type, message, 'transient', 'UPSTREAM_UNAVAILABLE');
const invalid = (type: string | undefined, message: string): Line =>
  thrown(type, message, 'validation', 'TOOL_VALIDATION_ERROR');
const failed = (type: string | undefined, message: string): Line =>
  thrown(type, message, 'tool_error', 'TOOL_EXECUTION_FAILED');
const unmapped = (type: string | undefined, message: string): Line =>
  thrown(type, message, 'unexpected', 'UNMAPPED_FAILURE');

const unknownTool = (name: string, report: object, more: Expected['details'] = {}): Line => [
  name,
  report,
  'unknown_tool',
  fails('TOOL_NOT_FOUND', false, 'not_sent', { details: { transient: false, ...more } }),
];

const status = (
  name: string,
  error: object,
  bucket: Bucket,
  expected: Expected,
  idempotent?: boolean,
): Line => [name, { error, ...(idempotent !== undefined && { idempotent }) }, bucket, expected];

/** A transport code, for a call that may be repeated and for one that may not. */
const transport = (
  code: string,
  taxonomy: string,
  transient: boolean,
  effect: 'not_sent' | 'unknown' | 'completed',
  other?: Bucket,
): Line[] => {
  const bucket = transient ? 'transient' : (other ?? 'unexpected');
  return [true, false].map((idempotent) => [
    `${code}, ${idempotent ? 'may' : 'may not'} be repeated`,
    { idempotent, error: { code, message: `request failed: ${code}` } },
    bucket,
    fails(taxonomy, transient && (idempotent || effect === 'not_sent'), effect, {
      details: { transient, classified_by: 'transport' },
    }),
  ]);
};

const rpc = (
  jsonrpc_code: number,
  taxonomy: string,
  transient: boolean,
  effect: 'not_sent' | 'unknown' | 'completed',
  bucket: Bucket,
): Line => [
  String(jsonrpc_code),
  { error: { jsonrpc_code, message: 'MCP error' } },
  bucket,
  fails(taxonomy, transient, effect, { details: { transient } }),
];

describe('the five examples of the exercise', () => {
  run([
    unknownTool('1', { tool: 'web_search', error: { type: 'ValueError', message: 'bad' } }),
    [
      '2',
      { tool: 'search', error: { type: 'TimeoutError', message: 'request timed out' } },
      'transient',
      fails('TOOL_TIMEOUT', true, 'unknown', { details: { tool_name: 'search' } }),
    ],
    [
      '3',
      { tool: 'calculator', error: { type: 'ValueError', message: 'invalid operand' } },
      'validation',
      fails('TOOL_VALIDATION_ERROR', false, 'unknown'),
    ],
    [
      '4',
      { tool: 'search', error: { type: 'RuntimeError', message: 'upstream tool error' } },
      'tool_error',
      fails('TOOL_EXECUTION_FAILED', false, 'unknown'),
    ],
    [
      '5',
      { tool: 'search', error: { type: 'MemoryError', message: 'out of memory' } },
      'unexpected',
      fails('UNMAPPED_FAILURE', false, 'unknown'),
    ],
  ]);
});

describe('a tool that nobody knows', () => {
  run([
    unknownTool('before a time-out is looked at', {
      tool: 'web_search',
      error: { type: 'TimeoutError', message: 'timed out' },
    }),
    unknownTool('before a status', {
      tool: 'web_search',
      error: { status: 429, headers: { 'retry-after': '3' } },
    }),
    unknownTool('before a transport code', { tool: 'web_search', error: { code: 'ECONNREFUSED' } }),
    unknownTool('whatever is said of repeating', {
      tool: 'web_search',
      idempotent: true,
      error: { message: '503' },
    }),
    unknownTool(
      'a slip of the pen gets a suggestion',
      { tool: 'serach', error: {} },
      { suggestions: expect.arrayContaining(['search']) },
    ),
    unknownTool('another case is another name', { tool: 'Search', error: { status: 500 } }),
    unknownTool('an empty name', { tool: '', error: { status: 500 } }),
    unknownTool('a name of the prototype', { tool: 'constructor', error: { status: 500 } }),
  ]);
});

describe('text: transient', () => {
  run([
    late('TimeoutError', ''),
    late('TimeoutError', 'no reason given'),
    late('Error', 'Request timed out after 30 s'),
    late('Error', 'Read TIMEOUT'),
    late(undefined, 'the socket timed out'),
    late('RuntimeError', 'request timed out'),
    late('ValueError', 'timeout must be positive'),
    late('KeyError', 'timeout'),
    late('ToolError', 'tool error: timed out'),
    limited('RateLimitError', ''),
    limited('RateLimitError', 'slow down'),
    limited('Error', 'Rate limit reached for model'),
    limited('Error', 'Too Many Requests'),
    limited('Error', 'HTTP 429'),
    limited('HTTPError', '429 Client Error for url'),
    limited('Error', 'status=429, retry later'),
    limited('Error', 'failed (429)'),
    limited('RuntimeError', 'tool error: rate limit'),
    limited('ValueError', 'invalid response: 429'),
    away('ConnectionError', ''),
    away('ConnectionError', 'connection refused'),
    away('ServiceUnavailableError', ''),
    away('Error', 'Service temporarily unavailable'),
    away('Error', 'upstream returned 503'),
    away('Error', '503'),
    away('Error', 'got "503": try later'),
    away('Error', 'HTTP/1.1 503 Service Unavailable'),
    away('ValueError', 'required service is temporarily unavailable'),
  ]);
});

describe('text: numbers count only as words of their own', () => {
  run([
    unmapped('Error', 'id 14293 not there'),
    unmapped('Error', 'order 5031 is closed'),
    unmapped('Error', 'req_429abc crashed'),
    unmapped('Error', 'port 15030'),
    unmapped('Error', 'a4290b'),
    unmapped('Error', 'sku_503_x'),
    unmapped('Error', '1429'),
    invalid('ValueError', 'item 4290 has no price'),
    failed('RuntimeError', 'job 50311 crashed'),
  ]);
});

describe('text: validation', () => {
  run([
    invalid('ValidationError', ''),
    invalid('ValueError', 'bad'),
    invalid('TypeError', 'x is not a function'),
    invalid('KeyError', 'city'),
    invalid('RangeError', 'out of range'),
    invalid('SyntaxError', 'unexpected token'),
    invalid('Error', 'Invalid city'),
    invalid('Error', 'schema VALIDATION failed'),
    invalid('Error', 'city is required'),
    invalid('Error', 'Missing argument: city'),
    invalid(undefined, 'invalid'),
    invalid('RuntimeError', 'invalid state'),
    invalid('ToolError', 'tool error: field required'),
    invalid('MemoryError', 'required pages'),
  ]);
});

describe('text: tool errors, and nothing at all', () => {
  run([
    failed('ToolError', ''),
    failed('ToolError', 'no such page'),
    failed('RuntimeError', 'boom'),
    failed('Error', 'Tool Error: no such page'),
    failed(undefined, 'a tool error occurred'),
    unmapped('MemoryError', 'out of memory'),
    unmapped('Error', 'boom'),
    unmapped('Error', ''),
    unmapped(undefined, 'boom'),
    unmapped('timeouterror', 'the type is another'),
    unmapped('MyTimeoutErrors', 'x'),
    ['nothing is said', { error: {} }, 'unexpected', fails('UNMAPPED_FAILURE', false, 'unknown')],
  ]);
});

describe('text makes a call retryable only where it may be repeated', () => {
  const words = { type: 'TimeoutError', message: 'timed out' };
  const is = (retryable: boolean): Expected =>
    fails('TOOL_TIMEOUT', retryable, 'unknown', { details: { transient: true } });
  run([
    ['no tool, nothing said', { error: words }, 'transient', is(true)],
    ['no tool, true', { idempotent: true, error: words }, 'transient', is(true)],
    ['no tool, false', { idempotent: false, error: words }, 'transient', is(false)],
    ['a GET tool', { tool: 'search', error: words }, 'transient', is(true)],
    [
      'a GET tool, false',
      { tool: 'search', idempotent: false, error: words },
      'transient',
      is(false),
    ],
    ['a POST tool', { tool: 'calculator', error: words }, 'transient', is(false)],
    [
      'a POST tool, true',
      { tool: 'calculator', idempotent: true, error: words },
      'transient',
      is(true),
    ],
    ['a POST tool declared idempotent', { tool: 'mail.send', error: words }, 'transient', is(true)],
    [
      'a POST tool declared idempotent, false',
      { tool: 'mail.send', idempotent: false, error: words },
      'transient',
      is(false),
    ],
    [
      'a rate limit in words is no proof of a refusal',
      { idempotent: false, error: { message: 'rate limit' } },
      'transient',
      {
        status: 'error',
        code: 'TOOL_RATE_LIMITED',
        retryable: false,
        details: { transient: true },
      },
    ],
  ]);
});

describe('a status', () => {
  const page = { 'content-type': 'text/html' };
  run([
    status(
      'wins over words',
      { status: 500, type: 'TimeoutError', message: 'rate limit, 429' },
      'transient',
      fails('UPSTREAM_SERVER_ERROR', true, 'unknown', {
        details: { upstream_status: 500, classified_by: 'status' },
      }),
    ),
    status(
      '400 wins over "timed out"',
      { status: 400, message: 'timed out' },
      'validation',
      fails('UPSTREAM_INVALID_REQUEST', false, 'completed'),
    ),
    status('401', { status: 401 }, 'unexpected', fails('UPSTREAM_AUTH_FAILED', false, 'completed')),
    status('403', { status: 403 }, 'unexpected', fails('UPSTREAM_FORBIDDEN', false, 'completed')),
    status(
      '403 with remaining 0',
      { status: 403, headers: { 'X-RateLimit-Remaining': '0', 'X-RateLimit-Reset': '9' } },
      'transient',
      fails('TOOL_RATE_LIMITED', true, 'completed', { retry: 9000 }),
    ),
    status(
      '404 is not an unknown tool',
      { status: 404 },
      'tool_error',
      fails('UPSTREAM_REJECTED', false, 'completed'),
    ),
    status('405', { status: 405 }, 'unexpected', fails('CONFIGURATION_ERROR', false, 'completed')),
    status(
      '408, may not be repeated',
      { status: 408 },
      'transient',
      fails('TOOL_TIMEOUT', false, 'unknown'),
      false,
    ),
    status('409', { status: 409 }, 'tool_error', fails('UPSTREAM_REJECTED', false, 'completed')),
    status(
      '422',
      { status: 422 },
      'validation',
      fails('UPSTREAM_INVALID_REQUEST', false, 'completed'),
    ),
    status(
      '425, may not be repeated',
      { status: 425 },
      'transient',
      fails('UPSTREAM_UNAVAILABLE', true, 'not_sent'),
      false,
    ),
    status(
      '429, may not be repeated',
      { status: 429, headers: { 'retry-after': '3' } },
      'transient',
      fails('TOOL_RATE_LIMITED', true, 'completed', { retry: 3000 }),
      false,
    ),
    status(
      'a header whose value is a number',
      { status: 429, headers: { 'retry-after': 3 } },
      'transient',
      fails('TOOL_RATE_LIMITED', true, 'completed', { retry: 3000 }),
      false,
    ),
    status(
      '429 out of money',
      { status: 429, body: { error: { code: 'insufficient_quota' } } },
      'unexpected',
      fails('UPSTREAM_QUOTA_EXHAUSTED', false, 'completed', {
        details: { upstream_code: 'insufficient_quota' },
      }),
    ),
    status(
      '429, the body as a JSON text',
      {
        status: 429,
        body: '{"error":{"code":"insufficient_quota"}}',
        headers: { 'content-type': 'application/json' },
      },
      'unexpected',
      fails('UPSTREAM_QUOTA_EXHAUSTED', false, 'completed'),
    ),
    status('500', { status: 500 }, 'transient', fails('UPSTREAM_SERVER_ERROR', true, 'unknown')),
    status(
      '500, may not be repeated',
      { status: 500 },
      'transient',
      fails('UPSTREAM_SERVER_ERROR', false, 'unknown'),
      false,
    ),
    status('501', { status: 501 }, 'unexpected', fails('CONFIGURATION_ERROR', false, 'completed')),
    status(
      '502 as a page',
      { status: 502, headers: page, body: '<h1>502 Bad Gateway</h1>' },
      'transient',
      fails('UPSTREAM_UNAVAILABLE', true, 'unknown'),
    ),
    status(
      '503 with a time, may not be repeated',
      { status: 503, headers: { 'retry-after': '2' } },
      'transient',
      fails('UPSTREAM_UNAVAILABLE', false, 'unknown', { retry: 2000 }),
      false,
    ),
    status('504', { status: 504 }, 'transient', fails('TOOL_TIMEOUT', true, 'unknown')),
    status('507', { status: 507 }, 'tool_error', fails('UPSTREAM_REJECTED', false, 'unknown')),
    status(
      '521 of Cloudflare, may not be repeated',
      { status: 521, headers: { Server: 'cloudflare' } },
      'transient',
      fails('UPSTREAM_UNAVAILABLE', true, 'not_sent'),
      false,
    ),
    status(
      '521 of anybody, may not be repeated',
      { status: 521 },
      'transient',
      fails('UPSTREAM_UNAVAILABLE', false, 'unknown'),
      false,
    ),
    status('526', { status: 526 }, 'unexpected', fails('CONFIGURATION_ERROR', false, 'not_sent')),
    status(
      '301',
      { status: 301, headers: { location: '/x' } },
      'tool_error',
      fails('UPSTREAM_REJECTED', false, 'completed'),
    ),
    status(
      'names of headers in any case, values as lists',
      { status: 429, headers: { 'Retry-After': ['5', '12'] } },
      'transient',
      fails('TOOL_RATE_LIMITED', true, 'completed', { retry: 12_000 }),
    ),
    status(
      'a date measured against Date',
      { status: 503, headers: { date: imf(0), 'retry-after': imf(40_000) } },
      'transient',
      fails('UPSTREAM_UNAVAILABLE', true, 'unknown', { retry: 40_000 }),
    ),
    status(
      'RetryInfo',
      {
        status: 429,
        body: {
          error: {
            status: 'RESOURCE_EXHAUSTED',
            details: [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '1.5s' }],
          },
        },
      },
      'transient',
      fails('TOOL_RATE_LIMITED', true, 'completed', { retry: 1500 }),
    ),
    status(
      '400 of AWS that throttles',
      { status: 400, body: { __type: 'ThrottlingException' } },
      'transient',
      fails('TOOL_RATE_LIMITED', true, 'completed'),
    ),
    status(
      'wrong-typed body',
      { status: 400, body: [1, null, { error: 5 }] },
      'validation',
      fails('UPSTREAM_INVALID_REQUEST', false, 'completed'),
    ),
    status(
      'body null',
      { status: 502, body: null },
      'transient',
      fails('UPSTREAM_UNAVAILABLE', true, 'unknown'),
    ),
    status(
      'an upstream that speaks the taxonomy',
      {
        status: 500,
        body: {
          error_info: {
            code: 'TOOL_DECLINED',
            category: 'declined',
            reason: 'no',
            message: 'No.',
            retryable: false,
            retry_after_ms: null,
            effect: 'completed',
            details: { tool_name: 'x', attempts: 1, transient: false, classified_by: 'author' },
          },
        },
      },
      'tool_error',
      fails('TOOL_DECLINED', false, 'completed', { reason: 'no' }),
    ),
    [
      "a tool's own rule",
      { tool: 'booking.cancel', error: { status: 409 } },
      'tool_error',
      {
        status: 'declined',
        code: 'TOOL_DECLINED',
        retryable: false,
        effect: 'completed',
        reason: 'booking_not_cancellable',
        message: /non-refundable/,
      },
    ],
    [
      "a tool's own rule for a transport code",
      { tool: 'booking.cancel', error: { code: 'ECONNREFUSED' } },
      'transient',
      { status: 'error', retryable: true, effect: 'not_sent', reason: 'down', retry: 2000 },
    ],
    [
      'a POST tool and a 500',
      { tool: 'calculator', error: { status: 500 } },
      'transient',
      fails('UPSTREAM_SERVER_ERROR', false, 'unknown', { details: { tool_name: 'calculator' } }),
    ],
    status(
      '429 with a machine code beside it',
      { status: 429, code: 'insufficient_quota', message: 'x' },
      'unexpected',
      fails('UPSTREAM_QUOTA_EXHAUSTED', false, 'completed'),
    ),
    status('999', { status: 999 }, 'unexpected', fails('UNMAPPED_FAILURE', false, 'unknown')),
  ]);
});

describe('a transport code', () => {
  run([
    ...transport('ECONNREFUSED', 'TOOL_CONNECTION_FAILED', true, 'not_sent'),
    ...transport('EHOSTUNREACH', 'TOOL_CONNECTION_FAILED', true, 'not_sent'),
    ...transport('ENETUNREACH', 'TOOL_CONNECTION_FAILED', true, 'not_sent'),
    ...transport('EHOSTDOWN', 'TOOL_CONNECTION_FAILED', true, 'not_sent'),
    ...transport('EADDRNOTAVAIL', 'TOOL_CONNECTION_FAILED', true, 'not_sent'),
    ...transport('EAI_AGAIN', 'TOOL_CONNECTION_FAILED', true, 'not_sent'),
    ...transport('UND_ERR_CONNECT_TIMEOUT', 'TOOL_CONNECTION_FAILED', true, 'not_sent'),
    ...transport('UND_ERR_PRX_TLS', 'TOOL_CONNECTION_FAILED', true, 'not_sent'),
    ...transport('ENOTFOUND', 'TOOL_CONNECTION_FAILED', false, 'not_sent'),
    ...transport('ECONNRESET', 'TOOL_TRANSPORT_ERROR', true, 'unknown'),
    ...transport('EPIPE', 'TOOL_TRANSPORT_ERROR', true, 'unknown'),
    ...transport('UND_ERR_SOCKET', 'TOOL_TRANSPORT_ERROR', true, 'unknown'),
    ...transport('ETIMEDOUT', 'TOOL_TIMEOUT', true, 'unknown'),
    ...transport('UND_ERR_HEADERS_TIMEOUT', 'TOOL_TIMEOUT', true, 'unknown'),
    ...transport('UND_ERR_BODY_TIMEOUT', 'TOOL_TIMEOUT', true, 'unknown'),
    ...transport('CERT_HAS_EXPIRED', 'CONFIGURATION_ERROR', false, 'not_sent'),
    ...transport('DEPTH_ZERO_SELF_SIGNED_CERT', 'CONFIGURATION_ERROR', false, 'not_sent'),
    ...transport('SELF_SIGNED_CERT_IN_CHAIN', 'CONFIGURATION_ERROR', false, 'not_sent'),
    ...transport('UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'CONFIGURATION_ERROR', false, 'not_sent'),
    ...transport('UNABLE_TO_GET_ISSUER_CERT_LOCALLY', 'CONFIGURATION_ERROR', false, 'not_sent'),
    ...transport('ERR_TLS_CERT_ALTNAME_INVALID', 'CONFIGURATION_ERROR', false, 'not_sent'),
    ...transport('ERR_SSL_WRONG_VERSION_NUMBER', 'CONFIGURATION_ERROR', false, 'not_sent'),
    ...transport('EPROTO', 'CONFIGURATION_ERROR', false, 'not_sent'),
    ...transport('HPE_INVALID_CONSTANT', 'TOOL_TRANSPORT_ERROR', false, 'unknown'),
    ...transport('UND_ERR_HEADERS_OVERFLOW', 'TOOL_TRANSPORT_ERROR', false, 'unknown'),
    ...transport('UND_ERR_RES_CONTENT_LENGTH_MISMATCH', 'TOOL_TRANSPORT_ERROR', false, 'unknown'),
    ...transport(
      'UND_ERR_RES_EXCEEDED_MAX_SIZE',
      'TOOL_RESULT_TOO_LARGE',
      false,
      'completed',
      'validation',
    ),
    ...transport('UND_ERR_DESTROYED', 'RESOURCE_EXHAUSTED', true, 'not_sent'),
    ...transport('UND_ERR_CLOSED', 'RESOURCE_EXHAUSTED', true, 'not_sent'),
    ...transport('EMFILE', 'RESOURCE_EXHAUSTED', true, 'not_sent'),
    ...transport('ENFILE', 'RESOURCE_EXHAUSTED', true, 'not_sent'),
    ...transport('ENOMEM', 'RESOURCE_EXHAUSTED', true, 'not_sent'),
    ...transport('ENOBUFS', 'RESOURCE_EXHAUSTED', true, 'not_sent'),
    ...transport('UND_ERR_INVALID_ARG', 'CONFIGURATION_ERROR', false, 'not_sent'),
    ...transport('ERR_INVALID_URL', 'CONFIGURATION_ERROR', false, 'not_sent'),
    ...transport('UND_ERR_NOT_SUPPORTED', 'CONFIGURATION_ERROR', false, 'not_sent'),
    [
      'UND_ERR_ABORTED: an abort that is not ours',
      { error: { code: 'UND_ERR_ABORTED', message: 'aborted' } },
      'unexpected',
      fails('UNMAPPED_FAILURE', false, 'unknown'),
    ],
    [
      'wins over words',
      { error: { code: 'ECONNRESET', type: 'TimeoutError', message: 'rate limit, timed out' } },
      'transient',
      fails('TOOL_TRANSPORT_ERROR', true, 'unknown'),
    ],
    [
      'a parser whose code is missing is known by its name',
      {
        error: {
          type: 'HTTPParserError',
          message: 'Response does not match the HTTP/1.1 protocol',
        },
      },
      'unexpected',
      fails('TOOL_TRANSPORT_ERROR', false, 'unknown'),
    ],
  ]);
});

describe('a JSON-RPC code', () => {
  run([
    rpc(-32700, 'MCP_SERVER_ERROR', false, 'completed', 'tool_error'),
    rpc(-32600, 'MCP_SERVER_ERROR', false, 'completed', 'tool_error'),
    rpc(-32601, 'CONFIGURATION_ERROR', false, 'completed', 'unexpected'),
    rpc(-32602, 'TOOL_ARGUMENT_ERROR', false, 'completed', 'validation'),
    rpc(-32603, 'MCP_SERVER_ERROR', true, 'unknown', 'transient'),
    rpc(-32000, 'MCP_SERVER_ERROR', false, 'unknown', 'tool_error'),
    rpc(-32001, 'MCP_SERVER_ERROR', false, 'unknown', 'tool_error'),
    rpc(-32019, 'MCP_SERVER_ERROR', false, 'unknown', 'tool_error'),
    rpc(-32021, 'TOOL_INPUT_REQUIRED', false, 'completed', 'validation'),
    rpc(-32042, 'TOOL_INPUT_REQUIRED', false, 'completed', 'validation'),
    rpc(1001, 'MCP_SERVER_ERROR', false, 'unknown', 'tool_error'),
    rpc(0, 'MCP_SERVER_ERROR', false, 'unknown', 'tool_error'),
    [
      '-32603, may not be repeated',
      { idempotent: false, error: { jsonrpc_code: -32603 } },
      'transient',
      fails('MCP_SERVER_ERROR', false, 'unknown', { details: { transient: true } }),
    ],
    [
      '-32602 wins over "timed out"',
      { error: { jsonrpc_code: -32602, message: 'timed out' } },
      'validation',
      fails('TOOL_ARGUMENT_ERROR', false, 'completed'),
    ],
    [
      'over HTTP that went well',
      { error: { status: 200, jsonrpc_code: -32603 } },
      'transient',
      fails('MCP_SERVER_ERROR', true, 'unknown'),
    ],
  ]);
});

describe('nothing secret, nothing unbounded comes back', () => {
  const token = 'sk-proj-abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGH';
  it.each([
    ['in a message', { message: `request with key ${token} failed` }],
    [
      'in a body',
      { status: 401, body: { error: { message: `Incorrect API key provided: ${token}` } } },
    ],
    ['in a body as text', { status: 500, body: `Authorization: Bearer ${token}` }],
    ['in a type', { type: `Error ${token}` }],
  ])('a token %s', async (_name, error) => {
    const response = await harness.app.inject({
      method: 'POST',
      url: '/v1/errors/classify',
      payload: { error },
    });
    expect(response.statusCode).toBe(200);
    expect(response.body).not.toContain(token);
  });

  it('a message of 100 KB', async () => {
    const response = await harness.app.inject({
      method: 'POST',
      url: '/v1/errors/classify',
      payload: { error: { message: 'y'.repeat(100_000) } },
    });
    expect(
      response.json<{ error_info: ErrorInfo }>().error_info.message.length,
    ).toBeLessThanOrEqual(500);
  });
});

describe('a report that is none', () => {
  it.each<[string, unknown]>([
    ['no error', {}],
    ['error is a text', { error: 'timed out' }],
    ['error is null', { error: null }],
    ['error is a list', { error: [] }],
    ['status is a text', { error: { status: '503' } }],
    ['status is a fraction', { error: { status: 503.5 } }],
    ['an unknown field', { error: { staus: 503 } }],
    ['an unknown field beside it', { error: {}, idempotant: true }],
    ['idempotent is a text', { error: {}, idempotent: 'false' }],
    ['tool is a number', { tool: 5, error: {} }],
    ['headers are a text', { error: { status: 500, headers: 'retry-after: 3' } }],
    ['a list', []],
    ['null', null],
  ])('%s', async (_name, payload) => {
    const response = await harness.app.inject({
      method: 'POST',
      url: '/v1/errors/classify',
      headers: { 'content-type': 'application/json' },
      payload: JSON.stringify(payload),
    });
    expect(response.statusCode).toBe(400);
    expect(response.headers['content-type']).toContain('application/problem+json');
    expect(response.json()).toMatchObject({
      error_info: {
        code: 'PARSER_INVALID_FORMAT',
        category: 'validation',
        retryable: false,
        effect: 'not_sent',
      },
    });
  });
});
