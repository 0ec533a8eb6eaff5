// What a series of answers of an MCP server makes of the breaker (C13 of the case file and more of its
// kind), of the list of tools and of the rules that the operator wrote, through the whole product.
import { afterEach, describe, expect, it, vi } from 'vitest';
import { type FaultyServer, startFaultyServer } from '../fixtures/mcp/faulty-http.js';
import { type Harness, startHarness } from '../support/harness.js';
import { type Act, content, failed, rpcError, says, sse, status } from './mcp-table.js';
import { expectInfo, expectResult, fails, succeeds } from './table.js';

let harness: Harness | undefined;
let server: FaultyServer | undefined;

afterEach(async () => {
  await harness?.close();
  await server?.close();
  harness = server = undefined;
});

interface Given {
  readonly act: () => Act;
  readonly tools?: () => object[];
  readonly config?: object;
}

const TOOL = { name: 'edit', inputSchema: { type: 'object' } };

async function start({ act, tools, config }: Given): Promise<Harness> {
  server = await startFaultyServer({
    onCall: (exchange) => act()(exchange),
    tools: () => ({ tools: tools?.() ?? [TOOL] }),
  });
  harness = await startHarness({
    defaults: {
      timeout_ms: 150,
      retry: false,
      breaker: { min_calls: 5, failure_rate: 0.5, open_ms: 60_000 },
    },
    mcp_servers: [{ name: 'srv', url: server.url, ...config }],
  });
  return harness;
}

const ANSWERS_OF_ITS_OWN: readonly (readonly [string, Act])[] = [
  ['isError', failed('anchor not found')],
  ['isError that speaks of 503', failed('503 Service Unavailable')],
  ['-32602', rpcError(-32602, 'bad')],
  ['-32600', rpcError(-32600, 'bad')],
  ['-32000', rpcError(-32000, 'no such note')],
  ['-32002', rpcError(-32002, 'Resource not found')],
  ['-32042', rpcError(-32042, 'connect first')],
  ['401', status(401)],
  ['403', status(403)],
  ['429', status(429)],
  ['400', status(400)],
  ['404', status(404)],
];

const INFRASTRUCTURE: readonly (readonly [string, Act, string])[] = [
  ['-32603', rpcError(-32603, 'x'), 'MCP_SERVER_ERROR'],
  ['500', status(500), 'MCP_SERVER_ERROR'],
  ['502', status(502), 'UPSTREAM_UNAVAILABLE'],
  ['503', status(503), 'UPSTREAM_UNAVAILABLE'],
  ['504', status(504), 'MCP_TIMEOUT'],
  ['streams without an answer', sse(': x\n\n', 'end'), 'MCP_TRANSPORT_ERROR'],
  ['202', status(202), 'MCP_TRANSPORT_ERROR'],
];

describe('the breaker of a server', () => {
  it.each(ANSWERS_OF_ITS_OWN)('stays closed over ten times %s (C13)', async (_name, answer) => {
    let act = answer;
    const { callOne, gateway } = await start({ act: () => act });
    for (let i = 0; i < 10; i++) {
      expect((await callOne('srv.edit')).error_info?.code).not.toBe('TOOL_CIRCUIT_OPEN');
    }
    act = says('hit');
    expectResult(await callOne('srv.edit'), succeeds(content('hit')));
    expect(gateway.find('srv.edit')?.pipeline.snapshot().breaker?.state).toBe('closed');
  });

  it.each(INFRASTRUCTURE)(
    'opens at five times %s, and the sixth is not sent',
    async (_name, answer, code) => {
      const { callOne } = await start({ act: () => answer });
      for (let i = 0; i < 5; i++) expect((await callOne('srv.edit')).error_info?.code).toBe(code);
      expectInfo(
        (await callOne('srv.edit')).error_info,
        fails('TOOL_CIRCUIT_OPEN', true, 'not_sent', {
          retry: [1, 60_000],
          details: { failure_count: 5 },
        }),
      );
      expect(server?.toolCalls).toBe(5);
    },
  );
});

describe('a tool that the server no longer has', () => {
  it('and announced to be gone: the gateway knows no such tool', async () => {
    let tools: object[] = [TOOL, { ...TOOL, name: 'editor' }];
    const { callOne, gateway } = await start({
      tools: () => tools,
      act: () => (exchange) => {
        const send = exchange.stream();
        tools = tools.slice(1);
        send({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' });
        send({ jsonrpc: '2.0', id: exchange.id, result: content('last') });
        exchange.response.end();
      },
    });
    expect((await callOne('srv.edit')).status).toBe('ok');
    await vi.waitFor(() => expect(gateway.find('srv.edit')).toBeUndefined());
    const { error_info: info } = await callOne('srv.edit');
    expectInfo(info, fails('TOOL_NOT_FOUND', false, 'not_sent'));
    expect(info?.details['suggestions']).toContain('srv.editor');
    expect(server?.toolCalls).toBe(1);
  });

  it('and did not announce it: -32602 is asked about', async () => {
    let tools: object[] = [TOOL];
    const { callOne } = await start({
      tools: () => tools,
      act: () => rpcError(-32602, 'Unknown tool: edit'),
    });
    expectInfo(
      (await callOne('srv.edit')).error_info,
      fails('TOOL_ARGUMENT_ERROR', false, 'completed'),
    );
    tools = [];
    // A list of the last second is not asked for again.
    await new Promise((resolve) => setTimeout(resolve, 1010));
    expectInfo((await callOne('srv.edit')).error_info, fails('TOOL_NOT_FOUND', false, 'completed'));
  });
});

describe('what the operator says of the server', () => {
  const rules = [
    { when: { is_error: true, text: 'not found' }, then: { declined: 'no_such_note' } },
    { when: { mcp_code: -32000 }, then: { transient: 'busy', retry_after_ms: 2000 } },
    { when: { mcp_code: -32001 }, then: { permanent: 'gone' } },
    { when: { status: 403 }, then: { code: 'UPSTREAM_AUTH_FAILED' } },
  ];

  it.each([
    [
      'declined',
      failed('anchor not found'),
      { status: 'declined', error_info: { code: 'TOOL_DECLINED', reason: 'no_such_note' } },
    ],
    [
      'not declined',
      failed('anchor lost'),
      { status: 'error', error_info: { code: 'TOOL_EXECUTION_FAILED' } },
    ],
    [
      'transient, of a tool that may not be repeated',
      rpcError(-32000, 'x'),
      { error_info: { reason: 'busy', retryable: false, retry_after_ms: 2000, effect: 'unknown' } },
    ],
    ['permanent', rpcError(-32001, 'x'), { error_info: { reason: 'gone', retryable: false } }],
    ['a code', status(403), { error_info: { code: 'UPSTREAM_AUTH_FAILED', retryable: false } }],
  ] as const)('%s', async (_name, answer, expected) => {
    const { callOne } = await start({ act: () => answer, config: { errors: rules } });
    expect(await callOne('srv.edit')).toMatchObject(expected);
  });

  it('that its tools may be repeated, against its annotations', async () => {
    const tools = (): object[] => [{ ...TOOL, annotations: { readOnlyHint: false } }];
    const { callOne } = await start({
      act: () => status(502),
      tools,
      config: { idempotent: true },
    });
    expectInfo(
      (await callOne('srv.edit')).error_info,
      fails('UPSTREAM_UNAVAILABLE', true, 'unknown'),
    );
  });

  it('that its tools may not, against its annotations', async () => {
    const tools = (): object[] => [{ ...TOOL, annotations: { readOnlyHint: true } }];
    const config = { idempotent: false, trusted: true };
    const { callOne } = await start({ act: () => status(502), tools, config });
    expectInfo(
      (await callOne('srv.edit')).error_info,
      fails('UPSTREAM_UNAVAILABLE', false, 'unknown'),
    );
  });

  it('that broken promises only are noted (C21)', async () => {
    const tools = (): object[] => [{ ...TOOL, outputSchema: { type: 'object', required: ['id'] } }];
    const made = { ...content('created'), structuredContent: {} };
    const act = (): Act => (exchange) => exchange.result(made);
    const { callOne } = await start({ act, tools, config: { result: { validation: 'warn' } } });
    expect(await callOne('srv.edit')).toMatchObject({
      status: 'ok',
      result: made,
      warnings: ['TOOL_RESULT_ERROR'],
    });
  });
});
