// Redirects are answers, except to the same origin for a method that only reads, where asked for.
import { afterEach, describe, expect, it } from 'vitest';
import type { Outcome } from '../../../src/errors/outcome.js';
import { answer, json, startFaultyServer, type FaultyServer } from '../../support/faulty-server.js';
import { HttpBench, httpTool } from '../support.js';

let bench = new HttpBench();
const servers: FaultyServer[] = [];

async function serve(): Promise<FaultyServer> {
  const server = await startFaultyServer();
  servers.push(server);
  return server;
}

afterEach(async () => {
  await Promise.all([...servers.splice(0).map((server) => server.close()), bench.pools.close()]);
  bench = new HttpBench();
});

const to = (location: string, status = 302): ReturnType<typeof answer> =>
  answer(status, { location }, 'moved');

function run(server: FaultyServer, method = 'GET'): Promise<Outcome> {
  const http = {
    method,
    followRedirects: 'same_origin',
    headers: { 'x-api-key': 'CANARY' },
  } as const;
  return bench.run(httpTool(`${server.origin}/a/b?x=1`, http, { idempotent: true }));
}

describe('a redirect', () => {
  it('is an answer by default', async () => {
    const server = await serve();
    server.behave(to('/c'), json({}));
    expect(await bench.run(httpTool(server.origin))).toMatchObject({
      kind: 'response',
      status: 302,
      headers: { location: '/c' },
    });
    expect(server.requests).toHaveLength(1);
  });

  it.each([301, 302, 303, 307, 308])(
    '%i within the origin is followed, headers and all',
    async (status) => {
      const server = await serve();
      server.behave(to('../c?y=2#part', status), json({ ok: 1 }));
      expect(await run(server)).toMatchObject({ kind: 'ok' });
      expect(server.requests.map((request) => request.target)).toEqual(['/a/b?x=1', '/c?y=2']);
      expect(server.requests[1]!.headers['x-api-key']).toBe('CANARY');
    },
  );

  it('to itself by its full name is within the origin', async () => {
    const server = await serve();
    server.behave(to(`${server.origin}/c`), json({}));
    expect(await run(server)).toMatchObject({ kind: 'ok' });
  });

  it.each(['port', 'scheme', 'host', 'userinfo', 'protocol-relative', 'not http'])(
    'to another %s is an answer, and nobody else hears of the call',
    async (what) => {
      const [server, other] = [await serve(), await serve()];
      other.behave(json({}));
      const location = {
        port: `${other.origin}/`,
        scheme: server.origin.replace('http:', 'https:'),
        host: server.origin.replace('127.0.0.1', 'localhost'),
        userinfo: server.origin.replace('://', '://user@'),
        'protocol-relative': `//127.0.0.1:${other.port}/`,
        'not http': 'javascript:alert(1)',
      }[what]!;
      server.behave(to(location));
      expect(await run(server)).toMatchObject({ kind: 'response', status: 302 });
      expect(server.requests).toHaveLength(1);
      expect(other.accepted).toBe(0);
    },
  );

  it('of a method that writes is an answer', async () => {
    const server = await serve();
    server.behave(to('/c', 307), json({}));
    expect(await run(server, 'POST')).toMatchObject({ kind: 'response', status: 307 });
    expect(server.requests).toHaveLength(1);
  });

  it('in a circle ends after five', async () => {
    const server = await serve();
    server.behave(to('/a/b?x=1'));
    expect(await run(server)).toMatchObject({ kind: 'response', status: 302 });
    expect(server.requests).toHaveLength(6);
  });

  it.each([304, 300, 305])('%i is none', async (status) => {
    const server = await serve();
    server.behave(to('/c', status));
    expect(await run(server)).toMatchObject({ kind: 'response', status });
    expect(server.requests).toHaveLength(1);
  });

  it('without a place, or with a bad one, is an answer', async () => {
    const server = await serve();
    server.behave(answer(302, {}));
    expect(await run(server)).toMatchObject({ kind: 'response', status: 302 });
    server.behave(to('http://[bad/'));
    expect(await run(server)).toMatchObject({ kind: 'response', status: 302 });
  });
});
