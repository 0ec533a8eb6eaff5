// MCP servers that cannot be connected, through the whole product: at the start or at the first call,
// before they ever told their tools and after. The call was never sent, and why is said.
import { createServer } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import {
  type Exchange,
  type FaultyServer,
  startFaultyServer,
} from '../fixtures/mcp/faulty-http.js';
import { refusedPort } from '../support/faulty-server.js';
import { type Harness, startHarness } from '../support/harness.js';
import { type Act, rpcError, says, status } from './mcp-table.js';
import { type Expected, expectInfo, fails, succeeds, expectResult } from './table.js';

let harness: Harness | undefined;
let server: FaultyServer | undefined;

afterEach(async () => {
  await harness?.close();
  await server?.close();
  harness = server = undefined;
});

const POLICY = { timeout_ms: 2000, retry: false, breaker: false };

async function start(entry: object): Promise<Harness> {
  harness = await startHarness({
    defaults: POLICY,
    mcp_servers: [{ name: 'srv', ...entry }],
  });
  return harness;
}

const tools = (): Record<string, unknown> => ({
  tools: [{ name: 'pay', inputSchema: { type: 'object' } }],
});

const unreached = (more: object = {}): Expected =>
  fails('MCP_CONNECTION_FAILED', true, 'not_sent', more);

const HANDSHAKES: readonly (readonly [name: string, act: Act, expected: Expected])[] = [
  [
    '401',
    status(401, { 'www-authenticate': 'Bearer' }),
    fails('UPSTREAM_AUTH_FAILED', false, 'not_sent'),
  ],
  ['403', status(403), fails('UPSTREAM_FORBIDDEN', false, 'completed')],
  [
    '403 insufficient_scope',
    status(403, { 'www-authenticate': 'Bearer error="insufficient_scope"' }),
    fails('UPSTREAM_AUTH_FAILED', false, 'not_sent'),
  ],
  ['407', status(407), fails('UPSTREAM_AUTH_FAILED', false, 'not_sent')],
  [
    '429 with Retry-After',
    status(429, { 'retry-after': '9' }),
    fails('TOOL_RATE_LIMITED', true, 'completed', { retry: 9000 }),
  ],
  [
    '429 out of money',
    status(429, {}, { error: { code: 'insufficient_quota' } }),
    fails('UPSTREAM_QUOTA_EXHAUSTED', false, 'completed'),
  ],
  ['500', status(500), unreached({ details: { upstream_status: 500 } })],
  ['502', status(502), unreached()],
  [
    '503 with Retry-After',
    status(503, { 'retry-after': '30' }),
    unreached({ retry: 30_000, details: { upstream_status: 503 } }),
  ],
  ['504', status(504), unreached()],
  ['a login page elsewhere', status(302, { location: 'https://sso.example.com' }), unreached()],
  [
    'an HTML page',
    status(200, { 'content-type': 'text/html' }, '<html>CANARY</html>'),
    unreached({ secret: ['CANARY'] }),
  ],
  ['-32603', rpcError(-32603, 'CANARY'), unreached({ secret: ['CANARY'] })],
  ['a reset', ({ request }) => request.socket.resetAndDestroy(), unreached()],
];

describe.each(['lazy', 'eager'] as const)(
  'a server, %s, that answers the handshake with',
  (connect) => {
    const servers: FaultyServer[] = [];
    let shared: Harness;

    beforeAll(async () => {
      for (const [, act] of HANDSHAKES) {
        const onMessage = (exchange: Exchange): boolean => {
          act(exchange);
          return true;
        };
        servers.push(await startFaultyServer({ tools, onMessage }));
      }
      shared = await startHarness({
        defaults: POLICY,
        mcp_servers: servers.map(({ url }, index) => ({ name: `srv${index}`, url, connect })),
      });
    });

    afterAll(async () => {
      await shared.close();
      await Promise.all(servers.map((each) => each.close()));
    });

    it.each(HANDSHAKES.map((line, index) => [...line, index] as const))(
      '%s',
      async (_name, _act, expected, index) => {
        const name = `srv${index}`;
        const { error_info: info } = await shared.callOne(`${name}.pay`);
        expectInfo(info, expected);
        expect(info?.details).toMatchObject({ tool_name: `${name}.pay`, server_name: name });
        for (const secret of expected.secret ?? [])
          expect(JSON.stringify(info)).not.toContain(secret);
      },
    );
  },
);

const CONFIGURED: readonly (readonly [name: string, entry: () => object, expected: Expected])[] = [
  [
    'an address that may not be dialled',
    () => ({ url: 'http://169.254.169.254/mcp' }),
    fails('CONFIGURATION_ERROR', false, 'not_sent'),
  ],
  [
    'a command that does not exist',
    () => ({ command: ['no-such-command-of-any-kind'] }),
    unreached(),
  ],
  [
    'a command that ends at once',
    () => ({ command: [process.execPath, '-e', 'process.exit(3)'] }),
    unreached({ details: { exit_code: 3 } }),
  ],
  [
    'a command that is killed at once',
    () => ({ command: [process.execPath, '-e', 'process.kill(process.pid, "SIGKILL")'] }),
    unreached({ details: { exit_signal: 'SIGKILL' } }),
  ],
];

describe('a server that is configured with', () => {
  it.each(CONFIGURED)('%s', async (_name, entry, expected) => {
    const { callOne } = await start(entry());
    expectInfo((await callOne('srv.pay')).error_info, expected);
  });

  it('a port that nobody listens on', async () => {
    const { callOne } = await start({ url: `http://127.0.0.1:${await refusedPort()}/mcp` });
    const expected = unreached({ details: { system_code: 'ECONNREFUSED' } });
    expectInfo((await callOne('srv.pay')).error_info, expected);
  });

  it('TLS where plain HTTP is spoken', async () => {
    const plain = createServer((socket) => {
      socket
        .on('error', () => undefined)
        .once('data', () => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'));
    });
    await new Promise<void>((resolve) => plain.listen(0, '127.0.0.1', resolve));
    const { port } = plain.address() as { port: number };
    const { callOne } = await start({ url: `https://127.0.0.1:${port}/mcp` });
    expectInfo(
      (await callOne('srv.pay')).error_info,
      fails('CONFIGURATION_ERROR', false, 'not_sent'),
    );
    plain.close();
  });
});

it('a handshake that never ends takes the call no longer than its time', async () => {
  server = await startFaultyServer({ tools, onMessage: () => true });
  const { callOne } = await start({ url: server.url, connect: 'lazy' });
  expectInfo((await callOne('srv.pay', {}, { timeout_ms: 150 })).error_info, unreached());
});

it('a server that went away after it had told its tools: never sent, and found again', async () => {
  let away = false;
  server = await startFaultyServer({
    tools,
    onCall: says('ok'),
    onMessage: ({ request }) => away && request.socket.resetAndDestroy() === request.socket,
  });
  const { callOne, gateway } = await start({ url: server.url });
  expectResult(await callOne('srv.pay'), succeeds(undefined));
  away = true;
  expectInfo((await callOne('srv.pay')).error_info, fails('MCP_TRANSPORT_ERROR', false, 'unknown'));
  away = false;
  expectResult(await callOne('srv.pay'), succeeds(undefined));
  await vi.waitFor(() => expect(gateway.mcp.all()[0]?.server.status().state).toBe('connected'));
});
