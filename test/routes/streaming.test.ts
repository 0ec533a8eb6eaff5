// Streams, disconnects and cancels over real sockets.
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { request as httpRequest } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { type Harness, startHarness, type WireResult } from '../support/harness.js';
import { type ScriptedUpstream, startScriptedUpstream } from '../support/scripted-upstream.js';

let upstream: ScriptedUpstream;
let harness: Harness;
let url: string;

beforeAll(async () => {
  upstream = await startScriptedUpstream();
  harness = await startHarness({
    tools: [
      {
        name: 'get',
        description: 'get',
        input_schema: { type: 'object' },
        retry: { max_attempts: 1 },
        http: { method: 'GET', url: `${upstream.url}/` },
      },
    ],
  });
  url = await harness.app.listen({ host: '127.0.0.1', port: 0 });
});

afterEach(() => {
  upstream.script({ status: 200, body: { ok: true } });
  upstream.requests.length = 0;
});

afterAll(async () => {
  await harness.close();
  await upstream.close();
});

const body = (...ids: string[]): string =>
  JSON.stringify({ calls: ids.map((id) => ({ id, tool: 'get' })) });

const mcpBody = (...ids: string[]): string =>
  JSON.stringify(
    ids.map((id) => ({ jsonrpc: '2.0', id, method: 'tools/call', params: { name: 'get' } })),
  );

async function post(
  accept: string,
  payload: string,
  headers: Record<string, string> = {},
): Promise<Response> {
  return fetch(`${url}/v1/tool-calls`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept, ...headers },
    body: payload,
  });
}

describe('application/x-ndjson', () => {
  it('gives one result a line as each completes, and closes with a count', async () => {
    upstream.script(
      {
        status: 200,
        body: '{\n "pretty": 1\n}',
        headers: { 'content-type': 'application/json' },
        delayMs: 80,
      },
      { status: 200, body: { fast: true } },
    );
    const response = await post('application/x-ndjson', body('slow', 'fast'));
    expect(response.headers.get('content-type')).toMatch(/^application\/x-ndjson/);
    const lines = (await response.text())
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines.map(({ id }) => id)).toEqual(['fast', 'slow', undefined]);
    expect(lines[1].result).toEqual({ pretty: 1 });
    expect(lines[2]).toEqual({
      batch_id: response.headers.get('x-batch-id'),
      done: true,
      calls: 2,
    });
  });
});

describe('text/event-stream', () => {
  it('gives the same as events', async () => {
    const response = await post('text/event-stream', body('a'));
    const events = (await response.text()).trimEnd().split('\n\n');
    expect(events[0]).toMatch(/^event: result\ndata: \{"id":"a"/);
    expect(events[1]).toMatch(/^event: done\ndata: \{"batch_id":/);
  });

  it('a faulty order of calls is still a problem document', async () => {
    const response = await post(
      'text/event-stream',
      JSON.stringify({ calls: [{ id: 'a', tool: 'get', depends_on: ['a'] }] }),
    );
    expect(response.status).toBe(400);
    expect(response.headers.get('content-type')).toMatch(/problem\+json/);
  });
});

it('return_order: completion gives results as they completed', async () => {
  upstream.script({ status: 200, body: {}, delayMs: 80 }, { status: 200, body: {} });
  const payload = JSON.stringify({
    ...JSON.parse(body('slow', 'fast')),
    return_order: 'completion',
  });
  const response = await post('application/json', payload);
  const { results } = (await response.json()) as { results: WireResult[] };
  expect(results.map(({ id }) => id)).toEqual(['fast', 'slow']);
});

describe('a client that leaves', () => {
  it('cancels its calls: the upstream connection is closed', async () => {
    upstream.script({ hang: true });
    const { port } = new URL(url);
    const request = httpRequest({
      host: '127.0.0.1',
      port,
      path: '/v1/tool-calls',
      method: 'POST',
      headers: { 'content-type': 'application/json' },
    });
    request.on('error', () => undefined);
    request.end(body('a'));
    await vi.waitFor(() => {
      expect(upstream.requests).toHaveLength(1);
    });
    const open = upstream.sockets.size;
    request.destroy();
    await vi.waitFor(() => {
      expect(upstream.sockets.size).toBe(open - 1);
    });
    await vi.waitFor(() => {
      expect(harness.gateway.running.size).toBe(0);
    });
  });

  it('that stays is not cancelled because its body has been read', async () => {
    upstream.script({ status: 200, body: { late: true }, delayMs: 100 });
    const { results } = (await (await post('application/json', body('a'))).json()) as {
      results: WireResult[];
    };
    expect(results[0]?.status).toBe('ok');
  });
});

describe('a client that does not read', () => {
  let patient: Harness;

  beforeAll(async () => {
    const tool = {
      name: 'get',
      input_schema: { type: 'object' },
      http: { method: 'GET', url: `${upstream.url}/` },
    };
    patient = await startHarness({ tools: [tool] }, { stalledClientMs: 200 });
    await patient.app.listen({ host: '127.0.0.1', port: 0 });
  });

  afterAll(() => patient.close());

  const REQUESTS: [string, string, string][] = [
    ['JSON', '/v1/tool-calls', 'application/json'],
    ['NDJSON', '/v1/tool-calls', 'application/x-ndjson'],
    ['MCP', '/mcp', 'application/json, text/event-stream'],
  ];

  it.each(REQUESTS)('is let go: %s', async (_name, path, accept) => {
    const { server } = patient.app;
    const connection = once(server, 'connection') as Promise<[Socket]>;
    upstream.script({ status: 200, body: { text: 'x'.repeat(1_000_000) } });
    const ids = Array.from({ length: 20 }, (_, index) => `c${index}`);
    const payload = path === '/mcp' ? mcpBody(...ids) : body(...ids);
    const client = connect((server.address() as AddressInfo).port, '127.0.0.1').pause();
    client.write(
      `POST ${path} HTTP/1.1\r\nHost: localhost\r\nAccept: ${accept}\r\n` +
        `Content-Type: application/json\r\nContent-Length: ${payload.length}\r\n\r\n${payload}`,
    );
    const [socket] = await connection;
    await once(socket, 'close');
    expect(upstream.requests.length).toBeGreaterThan(0);
    expect(patient.gateway.running.size).toBe(0);
    client.destroy();
  });

  it('is none while it is its calls that take their time', async () => {
    const { port } = patient.app.server.address() as AddressInfo;
    upstream.script({ status: 200, body: { late: true }, delayMs: 400 });
    for (const accept of ['application/json', 'text/event-stream']) {
      const response = await fetch(`http://127.0.0.1:${port}/v1/tool-calls`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', accept },
        body: body('a'),
      });
      expect(await response.text()).toContain('"late":true');
    }
  });
});

describe('POST /v1/batches/{batch_id}/cancel', () => {
  it('ends the calls that run; the batch is answered', async () => {
    upstream.script({ hang: true });
    const answer = post('application/json', body('a', 'b'), { 'x-batch-id': 'mine-1' });
    await vi.waitFor(() => {
      expect(upstream.requests).toHaveLength(2);
    });
    const cancelled = await fetch(`${url}/v1/batches/mine-1/cancel`, { method: 'POST' });
    expect(cancelled.status).toBe(202);
    const { results } = (await (await answer).json()) as { results: WireResult[] };
    expect(results.map((r) => r.error_info?.code)).toEqual(['TOOL_CANCELLED', 'TOOL_CANCELLED']);
    expect(results[0]?.error_info).toMatchObject({
      retryable: false,
      effect: 'unknown',
      details: { cancel_reason: 'cancelled_by_request' },
    });
    expect((await fetch(`${url}/v1/batches/mine-1/cancel`, { method: 'POST' })).status).toBe(404);
  });

  it('an id is its client’s own: another neither cancels nor meets it', async () => {
    const clients = ['a', 'b'].map((id) => ({
      id,
      key_sha256: createHash('sha256').update(id).digest('hex'),
      tools: ['*'],
    }));
    const http = { method: 'GET', url: `${upstream.url}/` };
    const get = { name: 'get', description: 'get', input_schema: { type: 'object' }, http };
    const own = await startHarness({ clients, tools: [get] });
    const request = async (
      client: string,
      path: string,
    ): Promise<{ statusCode: number; body: string }> =>
      own.app.inject({
        method: 'POST',
        url: path,
        headers: { 'x-api-key': client, 'x-batch-id': 'mine', 'content-type': 'application/json' },
        payload: body('x'),
      });
    const cancel = '/v1/batches/mine/cancel';
    const statusOf = async (client: string, path: string): Promise<number> =>
      (await request(client, path)).statusCode;
    upstream.script({ hang: true });
    const first = request('a', '/v1/tool-calls');
    await vi.waitFor(() => {
      expect(upstream.requests).toHaveLength(1);
    });
    expect(await statusOf('b', cancel)).toBe(404);
    expect(await statusOf('a', '/v1/tool-calls')).toBe(400);
    const second = request('b', '/v1/tool-calls');
    await vi.waitFor(() => {
      expect(upstream.requests).toHaveLength(2);
    });
    // Each ends its own, and leaves the other's alone.
    expect(await statusOf('b', cancel)).toBe(202);
    expect((await second).body).toContain('TOOL_CANCELLED');
    expect(own.gateway.running.size).toBe(1);
    expect(await statusOf('b', cancel)).toBe(404);
    expect(await statusOf('a', cancel)).toBe(202);
    expect((await first).body).toContain('TOOL_CANCELLED');
    expect(own.gateway.running.size).toBe(0);
    await own.close();
  });
});
