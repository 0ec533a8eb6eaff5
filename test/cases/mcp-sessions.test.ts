// Sessions that an MCP server has lost (C17 of the case file and more of its kind), through the whole
// product: the answer proves that the call was not executed, so it is sent once more on a new session,
// whatever the tool does.
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import {
  type Exchange,
  type FaultyOptions,
  type FaultyServer,
  startFaultyServer,
} from '../fixtures/mcp/faulty-http.js';
import { type Harness, startHarness, type WireResult } from '../support/harness.js';
import { failed, says, sse, status } from './mcp-table.js';
import { expectInfo, fails } from './table.js';

let harness: Harness;
let server: FaultyServer;
/** Calls that the tool executed, by their session. */
let executed: (string | undefined)[];

async function stop(): Promise<void> {
  await harness.close();
  await server.close();
}

type Lost = (exchange: Exchange) => void;

/** A server that answers so on its first `lostSessions` sessions, and executes on later ones. */
async function start(
  lost: Lost,
  lostSessions = 1,
  more: FaultyOptions & { act?: Lost } = {},
): Promise<void> {
  executed = [];
  const { act = says('ok'), ...options } = more;
  server = await startFaultyServer({
    sessions: true,
    tools: () => ({ tools: [{ name: 'pay', inputSchema: { type: 'object' } }] }),
    onCall: (exchange) => {
      if (Number(exchange.session?.slice(1) ?? 1) <= lostSessions) {
        lost(exchange);
        return;
      }
      executed.push(exchange.session);
      act(exchange);
    },
    ...options,
  });
  harness = await startHarness({
    defaults: {
      timeout_ms: 2000,
      retry: false,
      breaker: { min_calls: 1, failure_rate: 1, open_ms: 60_000, scope: 'tool' },
    },
    mcp_servers: [{ name: 'srv', url: server.url }],
  });
}

const pay = (): Promise<WireResult> => harness.callOne('srv.pay');
const rpc = (code: number, message: string): object => ({
  jsonrpc: '2.0',
  id: null,
  error: { code, message },
});
const breakerState = (): string | undefined =>
  harness.gateway.find('srv.pay')?.pipeline.snapshot().breaker?.state;

const WORDS = [
  'Bad Request: No valid session ID provided',
  'Bad Request: Server not initialized',
  'Invalid session ID',
  'Invalid or missing session ID',
  'Invalid Mcp-Session-Id header',
  'Unknown session',
  'No session found for this id',
  'Session not found',
  'Session has expired',
  'Session terminated',
  'Session 1f2e is closed',
  'The session does not exist any more',
  'Session is no longer valid',
];

const ANSWERS: readonly (readonly [name: string, lost: Lost])[] = [
  ['404 with -32001', status(404, {}, rpc(-32001, 'Session not found'))],
  ['404 with -32000', status(404, {}, rpc(-32000, 'x'))],
  ['404 with -32600', status(404, {}, rpc(-32600, 'Session terminated'))],
  ['404 in plain text', status(404, {}, 'Not Found')],
  ['404 with an HTML page', status(404, { 'content-type': 'text/html' }, '<h1>404</h1>')],
  ['404 with nothing', status(404)],
  ['404 with Retry-After', status(404, { 'retry-after': '30' })],
  ...WORDS.map((words) => [`400: ${words}`, status(400, {}, rpc(-32000, words))] as const),
  ['400 in plain text', status(400, {}, 'Bad Request: No valid session ID provided\n')],
];

describe('a lost session is made anew, and the call sent again', () => {
  let answer: Lost = status(404);
  let lostSession: string | undefined = 's1';
  beforeAll(() =>
    start(status(404), 0, {
      onMessage: (exchange) => {
        if (exchange.method !== 'tools/call' || exchange.session !== lostSession) return false;
        answer(exchange);
        return true;
      },
    }),
  );
  afterAll(stop);

  it.each(ANSWERS)('%s', async (_name, lost) => {
    answer = lost;
    const handshakes = server.initializeCalls;
    lostSession = `s${handshakes}`;
    expect(await pay()).toMatchObject({ status: 'ok', attempts: 1, error_info: null });
    expect(executed.splice(0)).toEqual([`s${handshakes + 1}`]);
    expect(server.initializeSessions.at(-1)).toBeUndefined();
    expect(server.initializeCalls).toBe(handshakes + 1);
    expect(breakerState()).toBe('closed');
  });
});

describe('a session that is made anew', () => {
  afterEach(stop);

  it('is so once for twenty callers, each of whom is executed once', async () => {
    await start(status(404));
    const results = await harness.call(Array.from({ length: 20 }, () => ({ tool: 'srv.pay' })));
    expect(results.map((result) => [result.status, result.attempts])).toEqual(
      Array.from({ length: 20 }, () => ['ok', 1]),
    );
    expect(executed).toHaveLength(20);
    expect(server.initializeCalls).toBe(2);
  });

  it('may be lost in mid use, between two calls that succeed', async () => {
    await start(status(500), 0);
    await pay();
    server.lost.add('s1');
    expect((await pay()).status).toBe('ok');
    expect(executed).toEqual(['s1', 's2']);
  });

  it('serves as any other: what the tool says then counts', async () => {
    await start(status(404), 1, { act: failed('card declined') });
    expectInfo((await pay()).error_info, fails('TOOL_EXECUTION_FAILED', false, 'completed'));
    expect(executed).toHaveLength(1);
  });

  it('serves as any other: what becomes of that exchange counts', async () => {
    await start(status(404), 1, { act: sse(': x\n\n', 'end') });
    expectInfo((await pay()).error_info, fails('MCP_TRANSPORT_ERROR', false, 'unknown'));
    expect(executed).toHaveLength(1);
  });
});

describe('a session that cannot be had', () => {
  afterEach(stop);

  it('is lost a second time: never sent, and no third handshake in one attempt', async () => {
    await start(status(404), 99);
    expectInfo((await pay()).error_info, fails('MCP_CONNECTION_FAILED', true, 'not_sent'));
    expect(server.initializeCalls).toBe(2);
    expect(breakerState()).toBe('open');
    expect(executed).toEqual([]);
  });

  it.each([
    ['503', status(503), 'MCP_CONNECTION_FAILED', true],
    ['401', status(401), 'UPSTREAM_AUTH_FAILED', false],
    [
      'a JSON-RPC error',
      status(200, { 'content-type': 'application/json' }, rpc(-32603, 'x')),
      'MCP_CONNECTION_FAILED',
      true,
    ],
  ] as const)(
    'because the handshake is answered with %s',
    async (_name, refuse, code, retryable) => {
      let handshakes = 0;
      await start(status(404), 1, {
        onMessage: (exchange) => {
          if (exchange.method !== 'initialize' || ++handshakes === 1) return false;
          refuse(exchange);
          return true;
        },
      });
      expectInfo((await pay()).error_info, fails(code, retryable, 'not_sent'));
      expect(executed).toEqual([]);
    },
  );
});

describe('what is no lost session', () => {
  afterEach(stop);

  it.each([
    ['404 with -32601', status(404, {}, rpc(-32601, 'Method not found')), 'CONFIGURATION_ERROR'],
    [
      '400 with -32602 about an argument',
      status(400, {}, rpc(-32602, 'invalid session name')),
      'TOOL_ARGUMENT_ERROR',
    ],
    [
      '400 that says nothing of it',
      status(400, {}, rpc(-32600, 'bad request')),
      'MCP_SERVER_ERROR',
    ],
    ['400 in plain text', status(400, {}, 'Bad Request'), 'UPSTREAM_INVALID_REQUEST'],
    ['410', status(410, {}, 'session expired'), 'UPSTREAM_REJECTED'],
    ['200 with the words', says('Session not found'), undefined],
  ] as const)('%s', async (_name, answer, code) => {
    await start(answer, 99);
    const result = await pay();
    expect(result.error_info?.code).toBe(code);
    expect(result.error_info?.retryable ?? false).toBe(false);
    expect(server.initializeCalls).toBe(1);
  });

  it('404 of a server that gave no session', async () => {
    await start(status(404), 99, { sessions: false });
    expectInfo((await pay()).error_info, fails('UPSTREAM_REJECTED', false, 'completed'));
    expect(server.initializeCalls).toBe(1);
  });
});
