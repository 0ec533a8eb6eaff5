// Handshakes of TLS that fail, are broken off or stand still, through the whole product: the call was
// never sent, so that what may be tried again is so even where it moves money.
import { createServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { type Harness, startHarness } from '../support/harness.js';
import { selfSigned } from '../support/self-signed.js';
import { type Expected, expectResult, fails, QUICK_RETRY } from './table.js';

/** A listener that treats every connection so, before a word of TLS or HTTP is said. */
type Treat = (socket: Socket) => void;
const onData =
  (then: Treat): Treat =>
  (socket) =>
    void socket.once('data', () => then(socket));

const HANDSHAKES: readonly (readonly [
  name: string,
  treat: Treat | 'self-signed',
  expected: Expected,
])[] = [
  [
    'signed by nobody',
    'self-signed',
    fails('CONFIGURATION_ERROR', false, 'not_sent', { attempts: 1 }),
  ],
  [
    'reset',
    onData((socket) => socket.resetAndDestroy()),
    fails('TOOL_CONNECTION_FAILED', true, 'not_sent', { attempts: 3 }),
  ],
  [
    'closed in order',
    onData((socket) => socket.end()),
    fails('TOOL_CONNECTION_FAILED', true, 'not_sent', { attempts: 3 }),
  ],
  [
    'closed at once',
    (socket) => socket.destroy(),
    fails('TOOL_CONNECTION_FAILED', true, 'not_sent', { attempts: 3 }),
  ],
  [
    'answered in plain HTTP',
    onData((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')),
    fails('CONFIGURATION_ERROR', false, 'not_sent', { attempts: 1 }),
  ],
  [
    'refused with an alert',
    onData((socket) => socket.end(Buffer.from([0x15, 3, 3, 0, 2, 2, 40]))),
    fails('CONFIGURATION_ERROR', false, 'not_sent', { attempts: 1 }),
  ],
  [
    'never answered',
    () => undefined,
    fails('TOOL_TIMEOUT', true, 'not_sent', { attempts: 3, details: { phase: 'connecting' } }),
  ],
];

const METHODS = ['GET', 'POST'] as const;
const servers: { close: () => unknown }[] = [];
let harness: Harness;

const pair = (name: string, url: string, more: object = {}): object[] =>
  METHODS.map((method) => ({
    name: `${name}-${method}`,
    description: name,
    input_schema: { type: 'object' },
    http: { method, url },
    ...more,
  }));

async function listen(treat: Treat | 'self-signed'): Promise<string> {
  const server: Server =
    treat === 'self-signed'
      ? createTlsServer(selfSigned)
      : createServer((socket) => {
          sockets.add(socket.on('error', () => undefined));
          treat(socket);
        });
  const sockets = new Set<Socket>();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  servers.push({
    close: () => {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  });
  return `https://localhost:${(server.address() as { port: number }).port}/`;
}

beforeAll(async () => {
  const tools = await Promise.all(
    HANDSHAKES.map(async ([, treat, { code }], index) => {
      // What stands still is waited for three times.
      const limit = code === 'TOOL_TIMEOUT' ? { timeout_ms: 80 } : {};
      return pair(`handshake${index}`, await listen(treat), limit);
    }),
  );
  harness = await startHarness({
    defaults: { timeout_ms: 1000, retry: QUICK_RETRY, breaker: false },
    tools: tools.flat(),
  });
});

afterAll(async () => {
  await harness.close();
  for (const server of servers) server.close();
});

describe.each(HANDSHAKES.map((line, index) => [...line, index] as const))(
  'a handshake of TLS that is %s',
  (_name, _treat, expected, index) => {
    it.each(METHODS)('%s: never sent', async (method) => {
      expectResult(await harness.callOne(`handshake${index}-${method}`), expected);
    });
  },
);
