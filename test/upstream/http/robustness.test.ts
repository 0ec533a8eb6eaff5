// Whatever the peer does, a call ends with one outcome, and nothing is left behind.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  answer,
  chunked,
  drip,
  gzipBomb,
  hang,
  hangUp,
  json,
  reset,
  startFaultyServer,
  thenHangUp,
  type Behaviour,
  type FaultyServer,
} from '../../support/faulty-server.js';
import { HttpBench, httpTool } from '../support.js';

let server: FaultyServer;
const unhandled: unknown[] = [];
const note = (reason: unknown): void => {
  unhandled.push(reason);
};

beforeAll(async () => {
  server = await startFaultyServer();
  process.on('unhandledRejection', note);
  process.on('uncaughtExceptionMonitor', note);
});

afterAll(async () => {
  await server.close();
  process.off('unhandledRejection', note);
  process.off('uncaughtExceptionMonitor', note);
  expect(unhandled).toEqual([]);
});

function randomInts(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

const ANSWERS = [
  'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 13\r\n\r\n{"ok": [1,2]}',
  'HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n',
  'HTTP/1.1 103 Early\r\n\r\nHTTP/1.1 500 No\r\nretry-after: 7\r\ncontent-length: 2\r\n\r\n{}',
  'HTTP/1.1 302 Found\r\nlocation: /next\r\ncontent-length: 0\r\n\r\n',
  'HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-type: application/json\r\ncontent-length: 4\r\n\r\nabcd',
];
const PIECES = [
  '\r\n',
  '\r\n\r\n',
  '\0',
  ':',
  ' ',
  '\u00ff',
  '{',
  '9999999999',
  '-1',
  'HTTP/1.1 200 OK',
  'chunked',
  'gzip, br',
  'content-length: 3\r\n',
  '__proto__: 1\r\n',
  '101',
  '204',
  '\n',
  '0x7',
];

describe('robustness', () => {
  it('300 mangled answers, each closed or reset after, end in an outcome each', async () => {
    const bench = new HttpBench();
    const int = randomInts(7);
    const mangle = (): string => {
      let text = ANSWERS[int(ANSWERS.length)]!;
      for (let edits = 1 + int(3); edits > 0; edits--) {
        const at = int(text.length + 1);
        text =
          text.slice(0, at) +
          (int(3) > 0 ? PIECES[int(PIECES.length)]! : '') +
          text.slice(at + int(8));
      }
      return text;
    };
    server.behave((socket, request) => {
      socket.write(Buffer.from(mangle(), 'latin1'));
      // Some connections stay open for the next call, with whatever stands on them.
      const ending = int(4);
      if (ending === 0) setTimeout(() => reset(socket, request), 2);
      else if (ending < 3) setTimeout(() => socket.end(), 2);
      else setTimeout(() => socket.end(), 100);
    });
    const kinds = new Set<string>();
    for (let round = 0; round < 30; round++) {
      const calls = Array.from({ length: 10 }, (_, index) => {
        const http = {
          method: index % 2 === 0 ? 'GET' : 'POST',
          followRedirects: 'same_origin',
        } as const;
        return bench.run(httpTool(server.origin, http));
      });
      for (const outcome of await Promise.all(calls)) kinds.add(outcome.kind);
    }
    for (const kind of kinds) {
      expect(['ok', 'response', 'transport', 'result-invalid', 'result-too-large']).toContain(kind);
    }
    expect(kinds).toContain('transport');
    await bench.pools.close();
    await server.idle();
  });

  it('1 000 calls that end in every way leave no socket and no listener behind', async () => {
    const bench = new HttpBench();
    const behaviours: Behaviour[] = [
      json({ ok: true }),
      json({ ok: true }),
      json({}, 500),
      reset,
      hangUp,
      hang,
      drip(1),
      gzipBomb(3_000_000),
      chunked('text/plain', ['x'.repeat(2_000_000)]),
      answer(500, {}, 'x'.repeat(200_000)),
      answer(200, { 'content-type': 'image/png' }, 'x'),
      thenHangUp(json({ ok: true })),
    ];
    server.behave((socket, request) => {
      behaviours[request.nth % behaviours.length]!(socket, request);
    });
    const tool = httpTool(server.origin);
    for (let round = 0; round < 20; round++) {
      const running = Array.from({ length: 50 }, () => bench.start(tool));
      const timer = setTimeout(() => {
        for (const { attempt } of running) {
          attempt.abort({ kind: 'timeout', scope: 'attempt', timeoutMs: 30 });
        }
      }, 30);
      const outcomes = await Promise.all(running.map(({ outcome }) => outcome));
      clearTimeout(timer);
      expect(outcomes).toHaveLength(50);
      expect(running.every(({ attempt }) => attempt.onAbort === undefined)).toBe(true);
    }
    server.behave(json({ ok: true }));
    expect(await bench.run(tool)).toMatchObject({ kind: 'ok' });
    await bench.pools.close();
    await server.idle();
    expect(server.sockets.size).toBe(0);
  });
});
