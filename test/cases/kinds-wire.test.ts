// What happens on the wire below HTTP, for a tool that reads and for one that moves money: kept
// connections that the upstream gives up, answers before their time, and with more around them.
import { afterAll, beforeAll, describe, it } from 'vitest';
import {
  type Behaviour,
  type FaultyServer,
  hangUp,
  json,
  raw,
  reset,
  startFaultyServer,
} from '../support/faulty-server.js';
import { type Harness, startHarness } from '../support/harness.js';
import { type Expected, expectResult, fails, QUICK_RETRY, succeeds } from './table.js';

const OK = json({ fine: true });
const FINE = succeeds({ fine: true });
const HEAD =
  'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 13\r\n\r\n{"fine":true}';

/** What the second request of a kept connection gets; the first is answered. */
const second =
  (then: Behaviour): Behaviour =>
  (socket, request) => {
    (request.onConnection === 1 ? OK : then)(socket, request);
  };
const once =
  (first: Behaviour): Behaviour =>
  (socket, request) => {
    (request.nth === 1 ? first : OK)(socket, request);
  };

const sentAndLost = fails('TOOL_TRANSPORT_ERROR', false, 'unknown', {
  attempts: 1,
  details: { transient: true, retry_stopped_by: 'unsafe_to_repeat' },
});

type Line = readonly [name: string, behaviour: Behaviour, reads: Expected, writes: Expected];

/** The tool is called twice; what is told is of the second call. */
const KEPT: readonly Line[] = [
  ['reset at the second request', second(reset), FINE, sentAndLost],
  ['closed in order at the second request', second(hangUp), FINE, sentAndLost],
  [
    'closed in order after each answer',
    (s, r) => {
      OK(s, r);
      s.end();
    },
    FINE,
    FINE,
  ],
  [
    'reset a moment after each answer',
    (s, r) => {
      OK(s, r);
      setTimeout(() => reset(s, r), 5);
    },
    FINE,
    FINE,
  ],
  [
    'that says close, and stays',
    raw(HEAD.replace('\r\n', '\r\nconnection: close\r\n')),
    FINE,
    FINE,
  ],
  [
    'that says it is kept for a second',
    raw(HEAD.replace('\r\n', '\r\nkeep-alive: timeout=1\r\n')),
    FINE,
    FINE,
  ],
];

const ANSWERS: readonly Line[] = [
  // undici 7 takes it for a broken answer; the safe reading of it.
  [
    'after 100 Continue that nobody asked for',
    raw(`HTTP/1.1 100 Continue\r\n\r\n${HEAD}`),
    fails('TOOL_TRANSPORT_ERROR', true, 'unknown', { attempts: 3 }),
    sentAndLost,
  ],
  [
    'after 103 Early Hints',
    raw(`HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n${HEAD}`),
    FINE,
    FINE,
  ],
  [
    'of HTTP/1.0',
    (s) => s.end('HTTP/1.0 200 OK\r\ncontent-type: application/json\r\n\r\n{"fine":true}'),
    FINE,
    FINE,
  ],
  ['reset once, then whole', once(reset), FINE, sentAndLost],
  ['closed once, then whole', once(hangUp), FINE, sentAndLost],
  ['twice', raw(HEAD + HEAD), FINE, FINE],
  ['longer than it says', raw(`${HEAD}xyz`), FINE, FINE],
  [
    'shorter than it says',
    (s) => s.end(HEAD.replace('13', '99')),
    fails('TOOL_TRANSPORT_ERROR', true, 'unknown', { attempts: 3 }),
    sentAndLost,
  ],
  [
    'with two lengths',
    raw(HEAD.replace('\r\n', '\r\ncontent-length: 9\r\n')),
    fails('TOOL_TRANSPORT_ERROR', false, 'unknown'),
    fails('TOOL_TRANSPORT_ERROR', false, 'unknown'),
  ],
  [
    '100 Continue and no more',
    (s) => s.end('HTTP/1.1 100 Continue\r\n\r\n'),
    fails('TOOL_TRANSPORT_ERROR', true, 'unknown', { attempts: 3 }),
    sentAndLost,
  ],
];

const servers: { close: () => unknown }[] = [];
let harness: Harness;
const waiting: (() => Promise<object[]>)[] = [];

const pair = (name: string, url: string): object[] =>
  (['GET', 'POST'] as const).map((method) => ({
    name: `${name}-${method}`,
    description: name,
    input_schema: { type: 'object' },
    http: { method, url },
  }));

/** One server a method, so that neither tool hears what the other did. */
async function faulty(name: string, behaviour: Behaviour): Promise<object[]> {
  const both = await Promise.all([startFaultyServer(behaviour), startFaultyServer(behaviour)]);
  servers.push(...both);
  return both.flatMap(({ origin }: FaultyServer, index) =>
    pair(name, `${origin}/`).slice(index, index + 1),
  );
}

KEPT.forEach(([, behaviour], index) => waiting.push(() => faulty(`kept${index}`, behaviour)));
ANSWERS.forEach(([, behaviour], index) => waiting.push(() => faulty(`answer${index}`, behaviour)));

beforeAll(async () => {
  const tools = (await Promise.all(waiting.map((make) => make()))).flat();
  harness = await startHarness({
    defaults: { timeout_ms: 300, retry: QUICK_RETRY, breaker: false },
    tools,
  });
});

afterAll(async () => {
  await harness.close();
  for (const server of servers) await server.close();
});

const METHODS = ['GET', 'POST'] as const;

describe.each(KEPT.map((line, index) => [...line, index] as const))(
  'a kept connection, %s',
  (_name, _behaviour, reads, writes, index) => {
    it.each(METHODS)('%s', async (method) => {
      const tool = `kept${index}-${method}`;
      expectResult(await harness.callOne(tool), FINE);
      await new Promise((resolve) => setTimeout(resolve, 20));
      expectResult(await harness.callOne(tool), method === 'GET' ? reads : writes);
    });
  },
);

describe.each(ANSWERS.map((line, index) => [...line, index] as const))(
  'an answer %s',
  (_name, _behaviour, reads, writes, index) => {
    it.each(METHODS)('%s', async (method) => {
      expectResult(
        await harness.callOne(`answer${index}-${method}`),
        method === 'GET' ? reads : writes,
      );
    });
  },
);
