// The table of taxonomy.md "MCP", copied once more by hand.
import { describe, expect, it } from 'vitest';
import { classify } from '../../src/errors/classify.js';
import type { Classification } from '../../src/errors/error-info.js';
import type {
  FailedOutcome,
  McpConnectionOutcome,
  McpErrorOutcome,
  McpResultOutcome,
} from '../../src/errors/outcome.js';
import { coded, line, mcpSubject, response } from './helpers.js';

const of = (
  outcome: FailedOutcome,
  options: Parameters<typeof mcpSubject>[0] = {},
): Classification => classify(outcome, mcpSubject({ idempotent: false, ...options }), false);
const isError = (text: string, structuredContent?: unknown): McpResultOutcome => ({
  kind: 'mcp-result',
  problem: 'is_error',
  text,
  ...(structuredContent !== undefined && { structuredContent }),
});
const rpc = (code: number, more: Partial<McpErrorOutcome> = {}): McpErrorOutcome => ({
  kind: 'mcp-error',
  code,
  message: 'm',
  ...more,
});
const connection = (
  problem: McpConnectionOutcome['problem'],
  more: Partial<McpConnectionOutcome> = {},
): McpConnectionOutcome => ({ kind: 'mcp-connection', problem, ...more });

// prettier-ignore
const PAGE: readonly (readonly [name: string, outcome: FailedOutcome, row: string])[] = [
  ['isError', isError('no such file'), 'TOOL_EXECUTION_FAILED | no | completed | S'],
  ['input_required', { kind: 'mcp-result', problem: 'input_required', text: '' }, 'TOOL_INPUT_REQUIRED | no | completed | S'],
  ['unknown resultType', { kind: 'mcp-result', problem: 'unknown_result_type', text: '' }, 'TOOL_RESULT_ERROR | no | unknown | F'],
  ['not a CallToolResult', { kind: 'mcp-result', problem: 'not_a_result', text: '' }, 'TOOL_RESULT_ERROR | no | unknown | F'],
  ['not JSON', connection('not_json'), 'MCP_TRANSPORT_ERROR | no | unknown | F'],
  ['output schema', { kind: 'result-invalid', problem: 'schema', explanation: 'The result does not match.' }, 'TOOL_RESULT_ERROR | no | completed | S'],
  ['-32700', rpc(-32700), 'MCP_SERVER_ERROR | no | completed | S'],
  ['-32600', rpc(-32600), 'MCP_SERVER_ERROR | no | completed | S'],
  ['-32601', rpc(-32601), 'CONFIGURATION_ERROR | no | completed | N'],
  ['-32602, listed', rpc(-32602, { toolListed: true }), 'TOOL_ARGUMENT_ERROR | no | completed | S'],
  ['-32602, not asked', rpc(-32602), 'TOOL_ARGUMENT_ERROR | no | completed | S'],
  ['-32602, not listed', rpc(-32602, { toolListed: false }), 'TOOL_NOT_FOUND | no | completed | S'],
  ['-32603', rpc(-32603), 'MCP_SERVER_ERROR | yes | unknown | F'],
  ['-32042', rpc(-32042), 'TOOL_INPUT_REQUIRED | no | completed | S'],
  ['-32021', rpc(-32021), 'TOOL_INPUT_REQUIRED | no | completed | S'],
  ...[-32000, -32001, -32002, -32019, -32020, -32099, -1, 0, 1, 429, 1e9, Number.NaN].map((code) =>
    [String(code), rpc(code), 'MCP_SERVER_ERROR | no | unknown | N'] as const),
  ['HTTP 401', response(401), 'UPSTREAM_AUTH_FAILED | no | not_sent | N'],
  ['HTTP 403 insufficient_scope', response(403, { 'www-authenticate': 'Bearer error="insufficient_scope", scope="x"' }), 'UPSTREAM_AUTH_FAILED | no | not_sent | N'],
  ['HTTP 403', response(403), 'UPSTREAM_FORBIDDEN | no | completed | N'],
  ['HTTP 500', response(500), 'MCP_SERVER_ERROR | yes | unknown | F'],
  ['HTTP 504', response(504), 'MCP_TIMEOUT | yes | unknown | F'],
  ['HTTP 429', response(429), 'TOOL_RATE_LIMITED | yes | completed | N'],
  ['HTTP 503', response(503), 'UPSTREAM_UNAVAILABLE | yes | unknown | F'],
  ['HTTP 400', response(400), 'UPSTREAM_INVALID_REQUEST | no | completed | S'],
  ['HTTP 404 with -32601', response(404, {}, { jsonrpc: '2.0', id: 1, error: { code: -32601, message: 'm' } }), 'CONFIGURATION_ERROR | no | completed | N'],
  ['HTTP 404 on a session', response(404, {}, { jsonrpc: '2.0', id: null, error: { code: -32001, message: 'Session not found' } }), 'MCP_CONNECTION_FAILED | yes | not_sent | F'],
  ['the session lost again', connection('session_lost'), 'MCP_CONNECTION_FAILED | yes | not_sent | F'],
  ['connect fails', connection('connect_failed'), 'MCP_CONNECTION_FAILED | yes | not_sent | F'],
  ['initialize fails', connection('initialize_failed'), 'MCP_CONNECTION_FAILED | yes | not_sent | F'],
  ['stream ended', connection('stream_ended'), 'MCP_TRANSPORT_ERROR | yes | unknown | F'],
  ['202 to a request', connection('accepted_without_answer'), 'MCP_TRANSPORT_ERROR | yes | unknown | F'],
  ['child exited', connection('child_exited'), 'MCP_TRANSPORT_ERROR | yes | unknown | F'],
  ['our timer', { kind: 'timeout', scope: 'attempt', phase: 'awaiting_headers', timeoutMs: 30_000 }, 'MCP_TIMEOUT | yes | unknown | F'],
  ['our timer of silence', { kind: 'timeout', scope: 'idle', phase: 'reading_body', timeoutMs: 60_000 }, 'MCP_TIMEOUT | yes | unknown | F'],
  ['the deadline, in our queue', { kind: 'timeout', scope: 'deadline', phase: 'queued', timeoutMs: 5000 }, 'TOOL_TIMEOUT | yes | not_sent | N'],
];

describe('MCP evidence', () => {
  it.each(PAGE)('%s', (_name, outcome, row) => {
    const c = of(outcome);
    expect(line(c)).toBe(row);
    expect(c.info.details['server_name']).toBe('srv');
    expect(c.info.message).not.toBe('');
  });
});

describe('isError texts', () => {
  it('keep the words of the tool, capped', () => {
    expect(of(isError('no such file: /a')).info.message).toBe(
      'The tool reported an error: no such file: /a',
    );
    expect(of(isError('')).info.message).toBe('The tool reported an error.');
    expect(of(isError('é'.repeat(70_000))).info.message.length).toBeLessThanOrEqual(500);
  });

  it('keep structured content, scrubbed and bounded', () => {
    const c = classify(
      isError('x', { key: 'SECRET-VALUE-1', list: new Array(5000).fill(1) }),
      mcpSubject({ secrets: ['SECRET-VALUE-1'] }),
      false,
    );
    expect(JSON.stringify(c.info)).not.toContain('SECRET-VALUE-1');
    expect((c.info.details['content'] as { list: unknown[] }).list.length).toBeLessThan(1100);
  });

  // prettier-ignore
  it.each([
    ['Request timed out', 'TOOL_TIMEOUT'],
    ['connection timeout while reading page', 'TOOL_TIMEOUT'],
    ['Timeout', 'TOOL_TIMEOUT'],
    ['timeout of 5000ms exceeded', 'TOOL_TIMEOUT'],
    ['TimeoutError: navigation', 'TOOL_TIMEOUT'],
    ['Request failed with status code 429', 'TOOL_RATE_LIMITED'],
    ['Error: rate limit exceeded, slow down', 'TOOL_RATE_LIMITED'],
    ['HTTP 429: Too Many Requests', 'TOOL_RATE_LIMITED'],
    ['API error: status code: 429', 'TOOL_RATE_LIMITED'],
    ['429 Too Many Requests', 'TOOL_RATE_LIMITED'],
    ['Service temporarily unavailable', 'UPSTREAM_UNAVAILABLE'],
    ['upstream returned status 503', 'UPSTREAM_UNAVAILABLE'],
  ])('of an idempotent tool may be plainly transient: %s', (text, code) => {
    const c = of(isError(text), { idempotent: true });
    expect([c.info.code, c.info.retryable, c.info.details.classified_by, c.breaker]).toEqual([code, true, 'text', 'success']);
    expect(line(of(isError(text), { idempotent: false }))).toBe('TOOL_EXECUTION_FAILED | no | completed | S');
  });

  // prettier-ignore
  it.each([
    'timeout column is required; 429 rows', '429 rows affected, none changed', 'the timeout field is unknown',
    'set the timeout value first', 'no row with id 14293', 'found 503 files but none matched', 'rate limit must be a number',
    'invalid timeout', 'validation of request timeout failed', 'no such file', 'anchor not found', 'room 503 is taken', '',
  ])('that only mention a number or a word stay the tool\'s own failure: %j', (text) => {
    expect(line(of(isError(text), { idempotent: true }))).toBe('TOOL_EXECUTION_FAILED | no | completed | S');
  });
});

describe('details', () => {
  it('of a connection that failed: CHUK names', () => {
    const { details } = of(connection('connect_failed', { error: coded('ECONNREFUSED') })).info;
    expect(details).toMatchObject({
      server_name: 'srv',
      reason: 'Connection refused',
      system_code: 'ECONNREFUSED',
    });
  });

  it('of a child that died', () => {
    const { details } = of(connection('child_exited', { exitSignal: 'SIGKILL' })).info;
    expect(details).toMatchObject({ exit_signal: 'SIGKILL', transient: true });
    expect(of(connection('child_exited', { exitCode: 1 })).info.details).toMatchObject({
      exit_code: 1,
    });
  });

  it('of a time-out: CHUK names, seconds', () => {
    const outcome = {
      kind: 'timeout',
      scope: 'attempt',
      phase: 'awaiting_headers',
      timeoutMs: 30_000,
    } as const;
    expect(of(outcome).info.details).toMatchObject({
      server_name: 'srv',
      operation: 'tool_call',
      timeout: 30,
    });
  });

  it('of a JSON-RPC error: its code', () => {
    expect(of(rpc(-32603)).info.details).toMatchObject({
      upstream_code: -32603,
      classified_by: 'mcp',
    });
    expect(of(rpc(-32602)).info.details['validation_type']).toBe('arguments');
  });

  it('of an input request: where to send the user', () => {
    const data = {
      elicitations: [
        { mode: 'url', url: 'https://example.com/auth?token=abc', elicitationId: '1' },
      ],
    };
    const { details } = of(rpc(-32042, { data })).info;
    expect(details['input_request']).toMatchObject({ elicitations: [{ mode: 'url' }] });
    expect(JSON.stringify(details)).not.toContain('token=abc');
  });
});

describe('connecting', () => {
  it.each([
    ['CERT_HAS_EXPIRED', 'CONFIGURATION_ERROR | no | not_sent | N'],
    ['ENOTFOUND', 'MCP_CONNECTION_FAILED | no | not_sent | F'],
    ['ECONNREFUSED', 'MCP_CONNECTION_FAILED | yes | not_sent | F'],
    ['ENOENT', 'MCP_CONNECTION_FAILED | yes | not_sent | F'],
  ])('fails with %s: %s', (code, row) => {
    expect(line(of(connection('connect_failed', { error: coded(code) })))).toBe(row);
  });

  it.each([
    Object.assign(new Error('x'), { code: 401 }),
    Object.assign(new Error('x'), { status: 403 }),
    Object.assign(new Error('x'), { name: 'UnauthorizedError' }),
  ])("without a valid credential is the operator's business: %o", (error) => {
    expect(line(of(connection('initialize_failed', { error })))).toBe(
      'UPSTREAM_AUTH_FAILED | no | not_sent | N',
    );
  });

  it('a lost session proves that the call was not run', () => {
    const c = of(connection('session_lost'));
    expect([c.refusedBeforeExecution, c.info.retryable]).toEqual([true, true]);
  });
});
