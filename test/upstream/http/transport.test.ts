// What a peer can do to a connection, and what is known of the request when it does.
import { once } from 'node:events';
import { createServer as createTlsServer } from 'node:tls';
import { createServer, type AddressInfo } from 'node:net';
import { setImmediate as turn, setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import type { TransportOutcome } from '../../../src/errors/outcome.js';
import { createHttpUpstream } from '../../../src/upstream/http/index.js';
import { TestAttempt } from '../../support/attempt.js';
import {
  answer,
  chunked,
  drip,
  hang,
  hangUp,
  json,
  raw,
  refusedPort,
  reset,
  startFaultyServer,
  thenHangUp,
  thenReset,
  type Behaviour,
  type FaultyServer,
} from '../../support/faulty-server.js';
import { selfSigned } from '../../support/self-signed.js';
import { contextWith, HttpBench, httpTool, start } from '../support.js';

let bench = new HttpBench();
const servers: FaultyServer[] = [];

async function serve(...behaviours: Behaviour[]): Promise<FaultyServer> {
  const server = await startFaultyServer(...behaviours);
  servers.push(server);
  return server;
}

afterEach(async () => {
  await Promise.all([...servers.splice(0).map((server) => server.close()), bench.pools.close()]);
  bench = new HttpBench();
});

function codeOf(outcome: unknown): unknown {
  const { error } = outcome as TransportOutcome;
  // A parser error has a name, and often no code.
  return (error as { code?: unknown }).code ?? (error as Error).name;
}

const OK = json({ ok: true });

/** undici lets a connection be used again after a turn of the event loop. */
async function becomeIdle(): Promise<void> {
  await turn();
  await turn();
}

describe('before anything was sent', () => {
  it('a refused connection is a transport error while connecting', async () => {
    const outcome = await bench.run(httpTool(`http://127.0.0.1:${await refusedPort()}/`));
    expect(outcome).toMatchObject({ kind: 'transport', phase: 'connecting' });
    expect(codeOf(outcome)).toBe('ECONNREFUSED');
  });

  it('an unknown name is one too', async () => {
    const outcome = await bench.run(httpTool('http://nobody.invalid/'));
    expect(outcome).toMatchObject({ kind: 'transport', phase: 'connecting' });
    expect(codeOf(outcome)).toMatch(/^(ENOTFOUND|EAI_AGAIN)$/);
  });

  it('so is a TLS peer that does not speak TLS', async () => {
    const listener = createServer((socket) => {
      socket.on('error', () => undefined);
      socket.once('data', () => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'));
    });
    listener.listen(0, '127.0.0.1');
    await once(listener, 'listening');
    const { port } = listener.address() as AddressInfo;
    const outcome = await bench.run(httpTool(`https://127.0.0.1:${port}/`));
    expect(outcome).toMatchObject({ kind: 'transport', phase: 'connecting' });
    expect(codeOf(outcome)).toMatch(/^(ERR_SSL_|EPROTO)/);
    listener.close();
  });

  it('a pool that is closed lets nothing through', async () => {
    const server = await serve(OK);
    const tool = httpTool(server.origin);
    const first = bench.start(tool);
    await first.outcome;
    const { pools } = bench;
    const invoke = createHttpUpstream(tool, {}, pools);
    await pools.close();
    const outcome = await first.attempt.run(invoke, { id: 'c', tool, arguments: {} });
    expect(outcome).toMatchObject({ kind: 'transport', phase: 'connecting' });
    expect(codeOf(outcome)).toMatch(/^UND_ERR_(CLOSED|DESTROYED)$/);
    expect(server.requests).toHaveLength(1);
  });
});

describe('after the request left', () => {
  it.each([
    ['a reset', reset, 'ECONNRESET', 'awaiting_headers'],
    ['an orderly close', hangUp, 'UND_ERR_SOCKET', 'awaiting_headers'],
    ['a reset within the head', thenReset(raw('HTTP/1.1 200 O')), 'ECONNRESET', 'awaiting_headers'],
    ['garbage', raw('\u0000\u0001garbage\r\n\r\n'), 'HTTPParserError', 'awaiting_headers'],
    [
      'an answer to nobody: HTTP/0.9',
      raw('<html>hello</html>'),
      'HTTPParserError',
      'awaiting_headers',
    ],
    [
      'an invalid header',
      raw('HTTP/1.1 200 OK\r\nbad header\u0000: x\r\n\r\n'),
      'HTTPParserError',
      'awaiting_headers',
    ],
    [
      'two lengths',
      raw('HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nab'),
      /^UND_ERR_RES_CONTENT_LENGTH_MISMATCH$|^HTTPParserError$/,
      'awaiting_headers',
    ],
    [
      'a head without end',
      raw(`HTTP/1.1 200 OK\r\nx: ${'y'.repeat(40_000)}\r\n\r\n`),
      'UND_ERR_HEADERS_OVERFLOW',
      'awaiting_headers',
    ],
    [
      'an upgrade nobody asked for',
      raw('HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n'),
      'UND_ERR_SOCKET',
      'awaiting_headers',
    ],
    [
      'a body shorter than declared',
      thenHangUp(answer(200, { 'content-type': 'text/plain', 'content-length': '50' }, 'short')),
      /^UND_ERR_(RES_CONTENT_LENGTH_MISMATCH|SOCKET)$/,
      'reading_body',
    ],
    [
      'a chunked body without end',
      thenHangUp(chunked('application/json', ['{"a":1}'], false)),
      /^UND_ERR_SOCKET$|^HTTPParserError$/,
      'reading_body',
    ],
    [
      'a broken chunk',
      raw('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n'),
      'HTTPParserError',
      'reading_body',
    ],
  ] as [string, Behaviour, string | RegExp, string][])(
    '%s is a transport error with its phase',
    async (_name, behaviour, code, phase) => {
      const server = await serve(behaviour);
      const tool = httpTool(server.origin, { method: 'POST' });
      const outcome = await bench.run(tool, { a: 1 });
      expect(outcome).toMatchObject({ kind: 'transport', phase });
      expect(String(codeOf(outcome))).toMatch(code);
      expect(server.requests).toHaveLength(1);
    },
  );

  it('a reset within the body is one too', async () => {
    const head = { 'content-type': 'text/plain', 'content-length': '50' };
    const server = await serve(answer(200, head, 'short'));
    const { attempt, outcome } = bench.start(httpTool(server.origin, { method: 'POST' }));
    await expect.poll(() => attempt.phase, { interval: 5 }).toBe('reading_body');
    for (const socket of server.sockets) socket.resetAndDestroy();
    const ended = await outcome;
    expect(ended).toMatchObject({ kind: 'transport', phase: 'reading_body' });
    expect(codeOf(ended)).toBe('ECONNRESET');
  });

  it('interim answers are passed over', async () => {
    const early = 'HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n';
    const server = await serve((socket, request) => {
      socket.write(early.repeat(3));
      OK(socket, request);
    });
    expect(await bench.run(httpTool(server.origin))).toMatchObject({ kind: 'ok' });
  });

  it('trailers are passed over', async () => {
    const server = await serve(
      raw(
        'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n' +
          'trailer: x-sum\r\n\r\n2\r\n{}\r\n0\r\nx-sum: 1\r\n\r\n',
      ),
    );
    expect(await bench.run(httpTool(server.origin))).toEqual({
      kind: 'ok',
      result: { kind: 'json', text: '{}' },
    });
  });

  it('a body that ends with the connection is whole', async () => {
    const server = await serve(
      thenHangUp(raw('HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\n\r\nhello')),
    );
    expect(await bench.run(httpTool(server.origin))).toEqual({
      kind: 'ok',
      result: { kind: 'text', text: 'hello' },
    });
  });

  it('a second answer that nobody asked for harms no later call', async () => {
    const server = await serve((socket, request) => {
      OK(socket, request);
      if (request.nth === 1) json({ stolen: true })(socket, request);
    });
    const tool = httpTool(server.origin);
    expect(await bench.run(tool)).toMatchObject({ result: { text: '{"ok":true}' } });
    expect(await bench.run(tool)).toMatchObject({ result: { text: '{"ok":true}' } });
  });
});

describe('an attempt that is aborted', () => {
  const TIMEOUT = { kind: 'timeout', scope: 'attempt', timeoutMs: 100 } as const;

  it('before it starts sends nothing', async () => {
    const server = await serve(OK);
    const tool = httpTool(server.origin);
    const attempt = new TestAttempt(contextWith(), 1, performance.now() + 1_000);
    attempt.abort(TIMEOUT);
    const invoke = createHttpUpstream(tool, {}, bench.pools);
    expect(await attempt.run(invoke, { id: 'c', tool, arguments: {} })).toMatchObject({
      kind: 'timeout',
      phase: 'queued',
    });
    expect(server.accepted).toBe(0);
  });

  it.each([
    ['while it waits for headers', hang, 'awaiting_headers'],
    ['while a body drips', drip(5), 'reading_body'],
  ])('%s tears the connection down and ends at once', async (_name, behaviour, phase) => {
    const server = await serve(behaviour);
    const { attempt, outcome } = bench.start(httpTool(server.origin, { method: 'POST' }));
    await expect.poll(() => server.requests.length, { interval: 5 }).toBe(1);
    if (phase === 'reading_body') {
      await expect.poll(() => attempt.phase, { interval: 5 }).toBe('reading_body');
    }
    attempt.abort({ kind: 'cancelled', reason: 'client_left' });
    expect(await outcome).toEqual({ kind: 'cancelled', reason: 'client_left', phase });
    await server.idle();
    expect(attempt.onAbort).toBeUndefined();
    // undici's own abort would connect anew, for nobody.
    await sleep(50);
    expect(server.accepted).toBe(1);
  });

  it('while connecting destroys the socket and forgets the connection', async () => {
    // A TCP listener that accepts and never answers the TLS handshake: connecting takes for ever.
    let closed = 0;
    const listener = createServer((socket) => {
      socket.on('error', () => undefined);
      socket.on('close', () => closed++);
      socket.resume();
    });
    listener.listen(0, '127.0.0.1');
    await once(listener, 'listening');
    const { port } = listener.address() as AddressInfo;
    const { attempt, outcome } = bench.start(httpTool(`https://127.0.0.1:${port}/`));
    await once(listener, 'connection');
    expect(attempt.phase).toBe('connecting');
    attempt.abort(TIMEOUT);
    expect(await outcome).toEqual({ ...TIMEOUT, phase: 'connecting' });
    await expect.poll(() => closed).toBe(1);
    // The pool waits for nobody.
    await bench.pools.close();
    listener.close();
  });

  it('before the connection stands never sends, even if the connection then does', async () => {
    const server = await serve(OK);
    const { attempt, outcome } = bench.start(httpTool(server.origin));
    attempt.abort(TIMEOUT);
    expect(await outcome).toMatchObject({ kind: 'timeout', phase: 'connecting' });
    await sleep(50);
    expect(server.requests).toEqual([]);
  });

  it('on a connection that stood idle sends nothing', async () => {
    const server = await serve(OK);
    const tool = httpTool(server.origin);
    await bench.run(tool);
    await becomeIdle();
    const { attempt, outcome } = bench.start(tool);
    attempt.abort(TIMEOUT);
    expect(await outcome).toMatchObject({ kind: 'timeout' });
    await sleep(50);
    expect(server.requests).toHaveLength(1);
    expect(await bench.run(tool)).toMatchObject({ kind: 'ok' });
  });
});

describe('an idle connection that the peer gave up', () => {
  /** Answers the first request of a connection, and resets it at the second. */
  const resetSecond: Behaviour = (socket, request) => {
    (request.onConnection === 1 ? OK : reset)(socket, request);
  };

  it.each([
    ['GET', {}],
    ['POST', { method: 'POST' }],
  ])('after the request was read is unknown, and sent once: %s', async (_name, http) => {
    const server = await serve(resetSecond);
    const tool = httpTool(server.origin, http);
    await bench.run(tool);
    await becomeIdle();
    // Whether to repeat it, and at what cost, is the retry layer's to decide.
    expect(await bench.run(tool)).toMatchObject({ kind: 'transport', phase: 'awaiting_headers' });
    expect(server.requests).toHaveLength(2);
  });

  it('that was reset before the next call is simply replaced', async () => {
    const server = await serve(OK);
    const tool = httpTool(server.origin, { method: 'POST' });
    for (let round = 0; round < 20; round++) {
      expect(await bench.run(tool)).toMatchObject({ kind: 'ok' });
      await becomeIdle();
      for (const socket of server.sockets) socket.resetAndDestroy();
    }
    expect(server.requests).toHaveLength(20);
  });
});

describe('connections', () => {
  it('one per call in flight, none queued; reused when idle', async () => {
    const waiting: (() => void)[] = [];
    const server = await serve((socket, request) => {
      waiting.push(() => {
        OK(socket, request);
      });
      if (waiting.length === 50) for (const go of waiting.splice(0)) go();
    });
    const tool = httpTool(server.origin);
    const calls = await Promise.all(Array.from({ length: 50 }, () => bench.run(tool)));
    expect(calls.every((outcome) => outcome.kind === 'ok')).toBe(true);
    expect(server.accepted).toBe(50);
    server.behave(OK);
    for (let round = 0; round < 10; round++) {
      await becomeIdle();
      await bench.run(tool);
    }
    expect(server.accepted).toBe(50);
  });

  it('an error answer that is not read to its end does not block the next call', async () => {
    const big = answer(500, { 'content-type': 'text/plain' }, 'x'.repeat(300_000));
    const server = await serve(big);
    const tool = httpTool(server.origin);
    for (let round = 0; round < 20; round++) {
      const outcome = await bench.run(tool);
      expect(outcome).toMatchObject({ kind: 'response', status: 500, bodyTruncated: true });
    }
    expect(server.requests).toHaveLength(20);
    await server.idle();
  });

  it('421 is tried once more, over a fresh connection, whatever the method', async () => {
    const server = await serve(json({}, 421), OK);
    const tool = httpTool(server.origin, { method: 'POST' });
    expect(await bench.run(tool)).toMatchObject({ kind: 'ok' });
    expect(server.requests.map((request) => request.connection)).toEqual([1, 2]);
    server.behave(json({}, 421));
    expect(await bench.run(tool)).toMatchObject({ kind: 'response', status: 421 });
    expect(server.requests).toHaveLength(4);
  });

  it('those to an origin that no tool calls any more are closed, idle or in use', async () => {
    const server = await serve(OK);
    const tool = httpTool(server.origin);
    const other = httpTool('http://other.invalid/');
    await bench.run(tool);
    await becomeIdle();
    const pool = bench.pools.get(server.origin);
    bench.pools.keepFor([other, tool]);
    expect([pool.idleCount, bench.pools.get(server.origin)]).toEqual([1, pool]);
    const invoke = createHttpUpstream(tool, {}, bench.pools);
    bench.pools.keepFor([other]);
    expect(pool.idleCount).toBe(0);
    await server.idle();
    // A call of the past may still be sent, and leaves no connection behind.
    expect(await start(invoke, tool).outcome).toMatchObject({ kind: 'ok' });
    await becomeIdle();
    expect(pool.idleCount).toBe(0);
    await server.idle();
    expect(bench.pools.get(server.origin)).not.toBe(pool);
  });

  it('an idle one that the peer closed is forgotten', async () => {
    const server = await serve(OK);
    await bench.run(httpTool(server.origin));
    await becomeIdle();
    const pool = bench.pools.get(server.origin);
    const before = pool.take();
    before.release();
    expect(pool.take()).toBe(before);
    before.release();
    for (const socket of server.sockets) socket.end();
    await server.idle();
    await expect.poll(() => pool.idleCount, { interval: 5 }).toBe(0);
  });

  it('a certificate that nobody signed is found while connecting', async () => {
    const server = createTlsServer(selfSigned, () => undefined);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const outcome = await bench.run(httpTool(`https://localhost:${port}/`));
    expect(outcome).toMatchObject({ kind: 'transport', phase: 'connecting' });
    expect(codeOf(outcome)).toMatch(/^(DEPTH_ZERO_SELF_SIGNED_CERT|CERT_NOT_YET_VALID)$/);
    server.close();
  });
});
