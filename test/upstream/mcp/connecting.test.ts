// Handshakes: one for all, the fallbacks, credentials, a server that comes and goes.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it, vi } from 'vitest';
import {
  type Exchange,
  type FaultyOptions,
  startFaultyServer,
} from '../../fixtures/mcp/faulty-http.js';
import { codeOf, http, onEnd, startServer, until } from './setup.js';

async function upstreamOf(options: FaultyOptions = {}) {
  const upstream = await startFaultyServer(options);
  onEnd(() => upstream.close());
  return upstream;
}

afterEach(() => vi.useRealTimers());

describe('a handshake', () => {
  it('is shared by callers that come together', async () => {
    const upstream = await upstreamOf();
    const { call } = startServer(http(upstream.url));
    const outcomes = await Promise.all(Array.from({ length: 20 }, () => call('t').outcome));
    expect(outcomes.every(({ kind }) => kind === 'ok')).toBe(true);
    expect(upstream.initializeCalls).toBe(1);
  });

  it('outlives the caller that began it', async () => {
    let release: (() => void) | undefined;
    const upstream = await upstreamOf({
      onMessage: (exchange) => {
        if (exchange.method !== 'server/discover') return false;
        release = () => exchange.error(-32601, 'no');
        return true;
      },
    });
    const { call } = startServer(http(upstream.url));
    const first = call('t');
    const second = call('t');
    first.attempt.abort({ kind: 'cancelled', reason: 'client_left' });
    expect((await first.outcome).kind).toBe('cancelled');
    await until(() => release !== undefined, 'it is probed');
    release?.();
    expect((await second.outcome).kind).toBe('ok');
    expect(upstream.initializeCalls).toBe(1);
    expect(upstream.toolCalls).toBe(1);
  });

  it.each([500, 404, 200])(
    'survives a server that answers the probe with %i and no sense',
    async (status) => {
      const upstream = await upstreamOf({
        onMessage: (exchange) => {
          if (exchange.method !== 'server/discover') return false;
          exchange.raw(status, { 'content-type': 'text/html' }, '<html>');
          return true;
        },
      });
      expect((await startServer(http(upstream.url)).call('t').outcome).kind).toBe('ok');
    },
  );

  it('takes a server that never answers the probe for an old one', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const probes: string[] = [];
    const upstream = await upstreamOf({
      onMessage: ({ method }) => {
        if (method === 'server/discover') probes.push(method);
        return method === 'server/discover';
      },
    });
    const connecting = startServer(http(upstream.url)).server.connect();
    while (probes.length === 0) await new Promise((resolve) => setImmediate(resolve));
    await vi.advanceTimersByTimeAsync(5_100);
    vi.useRealTimers();
    await connecting;
    expect(upstream.initializeCalls).toBe(1);
  });

  it.each([
    [401, 'UPSTREAM_AUTH_FAILED'],
    [429, 'TOOL_RATE_LIMITED'],
    [503, 'MCP_CONNECTION_FAILED'],
    [400, 'MCP_CONNECTION_FAILED'],
  ])('that gets a %i says so', async (status, code) => {
    const upstream = await upstreamOf({
      onMessage: (exchange) => {
        exchange.raw(status, { 'retry-after': '3' }, 'CANARY');
        return true;
      },
    });
    const outcome = await startServer(http(upstream.url)).call('t').outcome;
    const { info } = codeOf(outcome);
    expect(info).toMatchObject({ code, effect: status === 429 ? 'completed' : 'not_sent' });
    if (status === 429) expect(info.retry_after_ms).toBe(3_000);
    expect(upstream.toolCalls).toBe(0);
  });

  it('that is refused says nothing of what the server wrote', async () => {
    const upstream = await upstreamOf({
      onMessage: (exchange) => {
        exchange.error(-32600, 'CANARY');
        return true;
      },
    });
    const outcome = await startServer(http(upstream.url)).call('t').outcome;
    expect(outcome).toMatchObject({ kind: 'mcp-connection', problem: 'initialize_failed' });
    expect((outcome as { error: Error }).error.message).not.toContain('CANARY');
  });

  it('to a closed port is a connection that failed', async () => {
    const upstream = await startFaultyServer();
    await upstream.close();
    const outcome = await startServer(http(upstream.url)).call('t').outcome;
    expect(outcome).toMatchObject({ kind: 'mcp-connection', problem: 'connect_failed' });
    expect(codeOf(outcome).info).toMatchObject({
      code: 'MCP_CONNECTION_FAILED',
      details: { system_code: 'ECONNREFUSED' },
    });
  });
});

describe('a server that comes and goes', () => {
  it('is connected again in the background where it is eager', async () => {
    const upstream = await startFaultyServer();
    const { server, call } = startServer(http(upstream.url), { connect: 'eager' });
    await server.connect();
    const port = Number(new URL(upstream.url).port);
    await upstream.close();
    await call('t').outcome;
    await call('t').outcome;
    expect(server.status().state).not.toBe('connected');
    const back = createServer((request, response) => fresh.handle(request, response));
    await new Promise<void>((resolve) => back.listen(port, '127.0.0.1', resolve));
    const fresh = await upstreamOf();
    onEnd(async () => {
      back.closeAllConnections();
      await new Promise((resolve) => back.close(resolve));
    });
    await until(() => server.status().state === 'connected', 'it is back');
  });

  it('is pinged while it is silent, and missed when it is gone', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] });
    let pings = 0;
    const upstream = await startFaultyServer({
      onMessage: ({ method }) => {
        if (method === 'ping') pings += 1;
        return false;
      },
    });
    const { server } = startServer(http(upstream.url));
    await server.connect();
    await vi.advanceTimersByTimeAsync(31_000);
    const settled = async (condition: () => boolean): Promise<void> => {
      for (let turns = 0; turns < 2_000 && !condition(); turns += 1) {
        await new Promise((resolve) => setTimeout(resolve, 1));
      }
    };
    await settled(() => pings === 1);
    expect(pings).toBe(1);
    expect(server.status().state).toBe('connected');
    await upstream.close();
    await vi.advanceTimersByTimeAsync(31_000);
    await settled(() => server.status().state !== 'connected');
    expect(server.status().state).toBe('disconnected');
  });
});

describe('credentials', () => {
  it('sends the configured headers with every request', async () => {
    const seen = new Set<string | undefined>();
    const note = ({ request }: Pick<Exchange, 'request'>): false => {
      seen.add(request.headers.authorization);
      return false;
    };
    const upstream = await upstreamOf({
      onMessage: note,
      onGet: (request, response) => {
        note({ request });
        response.writeHead(405).end();
      },
    });
    const { call } = startServer(
      http(upstream.url, { headers: { Authorization: 'Bearer fixed' } }),
    );
    expect((await call('t').outcome).kind).toBe('ok');
    expect(seen).toEqual(new Set(['Bearer fixed']));
  });

  async function tokenEndpoint(answer: (count: number) => { status: number; body: object }) {
    const requests: { authorization: string | undefined; body: string }[] = [];
    const endpoint = createServer((request, response) => {
      let body = '';
      request.on('data', (chunk: Buffer) => (body += chunk.toString()));
      request.on('end', () => {
        requests.push({ authorization: request.headers.authorization, body });
        const { status, body: json } = answer(requests.length);
        setTimeout(() => response.writeHead(status).end(JSON.stringify(json)), 20);
      });
    });
    await new Promise<void>((resolve) => endpoint.listen(0, '127.0.0.1', resolve));
    onEnd(() => new Promise((resolve) => endpoint.close(resolve)));
    const { port } = endpoint.address() as AddressInfo;
    const oauth = {
      tokenUrl: `http://127.0.0.1:${port}/token`,
      clientId: 'id:1',
      clientSecret: 's ecret',
      scope: 'tools',
    };
    return { oauth, requests };
  }

  it('gets one token by client credentials, and another when it is refused, each once for all', async () => {
    const { oauth, requests } = await tokenEndpoint((count) => ({
      status: 200,
      body: { access_token: `t${count}`, token_type: 'Bearer', expires_in: 3600 },
    }));
    let good = 't1';
    const upstream = await upstreamOf({
      onMessage: (exchange) => {
        if (exchange.request.headers.authorization === `Bearer ${good}`) return false;
        exchange.raw(401, { 'www-authenticate': 'Bearer' }, '');
        return true;
      },
    });
    const { call } = startServer(http(upstream.url, { oauth }));
    expect((await call('t').outcome).kind).toBe('ok');
    expect(requests).toEqual([
      {
        authorization: `Basic ${Buffer.from('id%3A1:s%20ecret').toString('base64')}`,
        body: 'grant_type=client_credentials&scope=tools',
      },
    ]);
    good = 't2';
    const outcomes = await Promise.all(Array.from({ length: 20 }, () => call('t').outcome));
    expect(outcomes.every(({ kind }) => kind === 'ok')).toBe(true);
    expect(requests).toHaveLength(2);
    good = 'nothing';
    const refused = await call('t').outcome;
    expect(refused).toMatchObject({ kind: 'response', status: 401 });
    expect(requests).toHaveLength(3);
  });

  it('gets a new token before the old one expires', async () => {
    const { oauth, requests } = await tokenEndpoint((count) => ({
      status: 200,
      body: { access_token: `t${count}`, expires_in: 3600 },
    }));
    const upstream = await upstreamOf();
    const { call } = startServer(http(upstream.url, { oauth }));
    await call('t').outcome;
    const now = performance.now();
    vi.spyOn(performance, 'now').mockImplementation(() => now + 3_590_000);
    await call('t').outcome;
    vi.restoreAllMocks();
    expect(requests).toHaveLength(2);
  });

  it.each([
    [401, 'UPSTREAM_AUTH_FAILED'],
    [500, 'MCP_CONNECTION_FAILED'],
  ])('says so where the token endpoint answers %i', async (status, code) => {
    const { oauth } = await tokenEndpoint(() => ({ status, body: { error: 'CANARY' } }));
    const upstream = await upstreamOf();
    const outcome = await startServer(http(upstream.url, { oauth })).call('t').outcome;
    expect(codeOf(outcome).info).toMatchObject({ code, effect: 'not_sent' });
    expect(upstream.initializeCalls).toBe(0);
  });
});
