// POST /mcp: the gateway as an MCP server, as the official client sees it in both kinds of revision.
import type { AddressInfo } from 'node:net';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterEach, describe, expect, it } from 'vitest';
import { mcpRoutes } from '../../routes/mcp.js';
import { buildApp } from '../../src/app.js';
import { Gateway } from '../../src/gateway/gateway.js';
import { loadConfig } from '../../src/tools/load.js';
import { startFaultyServer } from '../fixtures/mcp/faulty-http.js';
import { type ScriptedUpstream, startScriptedUpstream } from '../support/scripted-upstream.js';

type Config = Record<string, unknown>;

const closers: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

async function serve(config: Config): Promise<{ url: string; gateway: Gateway }> {
  const text = JSON.stringify({ version: 1, ...config });
  const loaded = loadConfig({ file: 'test.json', text }, {});
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.faults));
  const gateway = new Gateway(loaded.config);
  await gateway.start();
  const app = await buildApp({ gateway });
  if (!app.hasRoute({ method: 'POST', url: '/mcp' })) mcpRoutes(app);
  await app.listen({ port: 0, host: '127.0.0.1' });
  closers.push(async () => {
    // A client that gave up leaves a connection without a request, which is not idle for Node.
    app.server.closeAllConnections();
    await app.close();
    await gateway.close();
  });
  return { url: `http://127.0.0.1:${(app.server.address() as AddressInfo).port}/mcp`, gateway };
}

async function upstreamOf(
  ...steps: Parameters<typeof startScriptedUpstream>
): Promise<ScriptedUpstream> {
  const upstream = await startScriptedUpstream(...steps);
  closers.push(() => upstream.close());
  return upstream;
}

type Mode = 'legacy' | { pin: string };

async function connect(
  url: string,
  mode: Mode,
  headers: Record<string, string> = {},
): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } });
  await client.connect(
    new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }),
  );
  closers.push(() => client.close());
  return client;
}

const object = (properties: object, required: string[] = []): object => ({
  type: 'object',
  properties,
  required,
});

function weather(upstream: ScriptedUpstream, more: object = {}): object {
  return {
    name: 'weather.forecast',
    description: 'The weather.',
    input_schema: object({ city: { type: 'string' } }, ['city']),
    http: { method: 'GET', url: `${upstream.url}/{city}` },
    retry: { max_attempts: 1 },
    ...more,
  };
}

const MODES: [string, Mode][] = [
  ['2025-11-25', 'legacy'],
  ['2026-07-28', { pin: '2026-07-28' }],
];

describe.each(MODES)('in revision %s', (revision, mode) => {
  it('lists every tool with its schemas and hints, in pages', async () => {
    const upstream = await upstreamOf({ status: 200, body: {} });
    const output = object({ temp: { type: 'number' } }, ['temp']);
    const many = Array.from({ length: 600 }, (_, index) =>
      weather(upstream, { name: `t${index}` }),
    );
    const { url } = await serve({ tools: [weather(upstream, { output_schema: output }), ...many] });
    const client = await connect(url, mode);
    expect(client.getNegotiatedProtocolVersion()).toBe(revision);
    // No changes are announced, so none are promised: clients would rely on it and never ask again.
    expect(client.getServerCapabilities()?.tools?.listChanged ?? false).toBe(false);
    const { tools } = await client.listTools();
    expect(tools).toHaveLength(601);
    expect(tools[0]).toMatchObject({
      name: 'weather.forecast',
      description: 'The weather.',
      inputSchema: object({ city: { type: 'string' } }, ['city']),
      outputSchema: output,
      annotations: { readOnlyHint: true, idempotentHint: true },
    });
  });

  it('calls, with structured content where it was promised', async () => {
    const upstream = await upstreamOf({ status: 200, body: { temp: 3 } });
    const output_schema = object({ temp: { type: 'number' } }, ['temp']);
    const { url } = await serve({
      tools: [weather(upstream, { output_schema }), weather(upstream, { name: 'plain' })],
    });
    const client = await connect(url, mode);
    await client.listTools();
    const promised = await client.callTool({
      name: 'weather.forecast',
      arguments: { city: 'Oslo' },
    });
    expect(promised).toMatchObject({
      content: [{ type: 'text', text: '{"temp":3}' }],
      structuredContent: { temp: 3 },
    });
    const plain = await client.callTool({ name: 'plain', arguments: { city: 'Oslo' } });
    expect(plain.content).toEqual([{ type: 'text', text: '{"temp":3}' }]);
    expect(plain).not.toHaveProperty('structuredContent');
    expect(upstream.requests.map((request) => request.url)).toEqual(['/Oslo', '/Oslo']);
  });

  it('gives a failure as text and as error_info, also where a structure was promised', async () => {
    const upstream = await upstreamOf({ status: 429, headers: { 'retry-after': '7' } });
    const output_schema = object({ temp: { type: 'number' } }, ['temp']);
    const { url } = await serve({ tools: [weather(upstream, { output_schema })] });
    const client = await connect(url, mode);
    await client.listTools();
    const result = await client.callTool({ name: 'weather.forecast', arguments: { city: 'Oslo' } });
    expect(result.isError).toBe(true);
    expect(result.structuredContent).toMatchObject({
      error_info: { code: 'TOOL_RATE_LIMITED', retryable: true, retry_after_ms: 7000 },
    });
    expect(JSON.stringify(result.content)).toContain('TOOL_RATE_LIMITED');
  });

  it('says of bad arguments what is wrong, as a result that the model can read', async () => {
    const upstream = await upstreamOf({ status: 200, body: {} });
    const { url } = await serve({ tools: [weather(upstream)] });
    const result = await (
      await connect(url, mode)
    ).callTool({ name: 'weather.forecast', arguments: {} });
    expect(result.isError).toBe(true);
    expect(result.structuredContent).toMatchObject({
      error_info: {
        code: 'TOOL_ARGUMENT_ERROR',
        details: { errors: { '/city': expect.any(String) as string } },
      },
    });
    expect(upstream.requests).toHaveLength(0);
  });

  it('says of an unknown tool that the request was wrong', async () => {
    const upstream = await upstreamOf({ status: 200, body: {} });
    const { url } = await serve({ tools: [weather(upstream)] });
    const calling = (await connect(url, mode)).callTool({ name: 'weather.forcast', arguments: {} });
    await expect(calling).rejects.toMatchObject({
      code: -32602,
      data: {
        error_info: { code: 'TOOL_NOT_FOUND', details: { suggestions: ['weather.forecast'] } },
      },
    });
  });

  it('gives a refusal as what it is', async () => {
    const upstream = await upstreamOf({ status: 409, body: {} });
    const errors = [
      { when: { status: 409 }, then: { declined: 'sold_out', message: 'No seats.' } },
    ];
    const { url } = await serve({ tools: [weather(upstream, { errors })] });
    const result = await (
      await connect(url, mode)
    ).callTool({ name: 'weather.forecast', arguments: { city: 'Oslo' } });
    expect(result.isError ?? false).toBe(false);
    expect(result.structuredContent).toMatchObject({
      error_info: { code: 'TOOL_DECLINED', reason: 'sold_out' },
    });
  });

  it('passes an MCP upstream through: content, structure, progress', async () => {
    const content = [
      { type: 'text', text: 'a' },
      { type: 'image', data: 'AAAA', mimeType: 'image/png' },
      { type: 'resource_link', uri: 'file:///x', name: 'x' },
    ];
    const upstream = await startFaultyServer({
      tools: () => ({ tools: [{ name: 'draw', inputSchema: object({}) }] }),
      onCall: (exchange) => {
        const write = exchange.stream();
        const params = { progressToken: exchange.id, progress: 1, total: 2 };
        write({ jsonrpc: '2.0', method: 'notifications/progress', params });
        const result = { content, structuredContent: { a: 1 } };
        write({ jsonrpc: '2.0', id: exchange.id, result });
        exchange.response.end();
      },
    });
    closers.push(() => upstream.close());
    const { url } = await serve({
      mcp_servers: [{ name: 'art', url: upstream.url, prefix: 'art.' }],
    });
    const client = await connect(url, mode);
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(['art.draw']);
    const progress: unknown[] = [];
    const result = await client.callTool(
      { name: 'art.draw', arguments: {} },
      { onprogress: (one) => progress.push(one) },
    );
    expect(result).toMatchObject({ content, structuredContent: { a: 1 } });
    expect(progress).toEqual([{ progress: 1, total: 2 }]);
  });

  it('cancels upstream when the client does', async () => {
    const upstream = await upstreamOf({ hang: true });
    const { url } = await serve({ tools: [weather(upstream)] });
    const client = await connect(url, mode);
    const stop = new AbortController();
    const calling = client.callTool(
      { name: 'weather.forecast', arguments: { city: 'Oslo' } },
      { signal: stop.signal },
    );
    await waitFor(() => upstream.requests.length === 1);
    stop.abort();
    await expect(calling).rejects.toThrow();
    // The old revisions cancel by a message, which a stateless server cannot relate; closing does it.
    if (mode === 'legacy') await client.close();
    await waitFor(() => upstream.sockets.size === 0);
  });

  it('shows and runs only what this client may use', async () => {
    const upstream = await upstreamOf({ status: 200, body: {} });
    const { url } = await serve({
      // sha256 of "k"
      clients: [
        {
          id: 'c',
          key_sha256: '8254c329a92850f6d539dd376f4816ee2764517da5e0235514af433164480d7a',
          tools: ['weather.*'],
        },
      ],
      tools: [weather(upstream), weather(upstream, { name: 'secret' })],
    });
    await expect(connect(url, mode)).rejects.toThrow();
    const client = await connect(url, mode, { authorization: 'Bearer k' });
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(['weather.forecast']);
    const result = await client.callTool({ name: 'secret', arguments: { city: 'x' } });
    expect(result.structuredContent).toMatchObject({ error_info: { code: 'TOOL_NOT_PERMITTED' } });
  });

  it('takes the gateway’s options from _meta', async () => {
    const upstream = await upstreamOf({ hang: true });
    const { url } = await serve({ tools: [weather(upstream)] });
    const client = await connect(url, mode);
    const call = async (toolgate: unknown): Promise<unknown> => {
      const params = { name: 'weather.forecast', arguments: { city: 'Oslo' }, _meta: { toolgate } };
      return (await client.callTool(params)).structuredContent;
    };
    expect(await call({ timeout_ms: 50 })).toMatchObject({ error_info: { code: 'TOOL_TIMEOUT' } });
    expect(await call({ timeout_ms: -1, nonsense: 1, constructor: 1 })).toMatchObject({
      error_info: {
        details: {
          errors: {
            '/_meta/toolgate/timeout_ms': 'must be a positive integer (milliseconds)',
            '/_meta/toolgate/nonsense': 'is not a known option',
            '/_meta/toolgate/constructor': 'is not a known option',
          },
        },
      },
    });
  });
});

async function waitFor(condition: () => boolean): Promise<void> {
  for (let turn = 0; turn < 1_000 && !condition(); turn += 1) {
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  expect(condition()).toBe(true);
}

describe('over plain HTTP', () => {
  async function post(url: string, body: string, headers: object = {}): Promise<Response> {
    return fetch(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...headers,
      },
      body,
    });
  }

  it('takes faulty JSON inside the arguments for the call’s fault, elsewhere for the message’s', async () => {
    const upstream = await upstreamOf({ status: 200, body: {} });
    const { url } = await serve({ tools: [weather(upstream)] });
    const call = (args: string): string =>
      `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"weather.forecast","arguments":${args}}}`;
    const inside = await post(url, call('{"city":"a","city":"b"}'));
    expect(inside.status).toBe(200);
    expect(await inside.text()).toContain('TOOL_ARGUMENT_ERROR');
    const outside = await post(
      url,
      call('{"city":"a"}').replace('{"jsonrpc"', '{"id":2,"jsonrpc"'),
    );
    expect(outside.status).toBe(400);
    expect(await outside.json()).toMatchObject({ error: { code: -32600 } });
    expect(upstream.requests).toHaveLength(0);
  });

  it('refuses batches that are too large', async () => {
    const { url } = await serve({ server: { max_batch: 2 }, tools: [] });
    const ping = { jsonrpc: '2.0', id: 1, method: 'ping' };
    expect((await post(url, JSON.stringify([ping, ping, ping]))).status).toBe(400);
    expect((await post(url, JSON.stringify([ping, { ...ping, id: 2 }]))).status).toBe(200);
  });

  describe('every request is answered exactly once', () => {
    const call = (id: unknown): object => ({
      jsonrpc: '2.0',
      id,
      method: 'tools/call',
      params: { name: 'weather.forecast', arguments: { city: 'Oslo' } },
    });
    const note = { jsonrpc: '2.0', method: 'notifications/initialized' };

    it.each<[string, unknown, object]>([
      ['null', call(null), { '/id': 'must be a string or an integer' }],
      ['a fraction', call(1.5), { '/id': 'must be a string or an integer' }],
      ['beyond the integers', call(1e300), { '/id': 'must be a string or an integer' }],
      ['an object', [call(1), call({ a: 1 })], { '/1/id': 'must be a string or an integer' }],
      [
        'one that another request has',
        [call(1), note, call(1), call('1')],
        { '/2/id': 'is that of another request of the batch' },
      ],
    ])('an id that is %s is refused by name, nothing is executed', async (_name, body, errors) => {
      const upstream = await upstreamOf({ status: 200, body: {} });
      const { url } = await serve({ tools: [weather(upstream)] });
      const response = await post(url, JSON.stringify(body));
      expect(response.status).toBe(400);
      expect(await response.json()).toMatchObject({
        jsonrpc: '2.0',
        id: null,
        error: { code: -32600, data: { errors } },
      });
      expect(upstream.requests).toHaveLength(0);
    });

    const answeredIds = async (response: Response): Promise<unknown[]> =>
      [...(await response.text()).matchAll(/^data: (.*)$/gm)].map(
        ([, data = '']) => (JSON.parse(data) as { id: unknown }).id,
      );

    it('ids of two kinds are two ids; a notification has none and no answer', async () => {
      const upstream = await upstreamOf({ status: 200, body: {} });
      const { url } = await serve({ tools: [weather(upstream)] });
      const mixed = await post(url, JSON.stringify([call(1), note, call('1')]));
      expect((await answeredIds(mixed)).map((id) => typeof id).sort()).toEqual([
        'number',
        'string',
      ]);
      const notes = await post(url, JSON.stringify([note, note]));
      expect([notes.status, await notes.text()]).toEqual([202, '']);
    });

    it('an id that is in flight in another request is that request’s', async () => {
      const upstream = await upstreamOf({ status: 200, body: {}, delayMs: 100 });
      const { url } = await serve({ tools: [weather(upstream)] });
      const both = await Promise.all([1, 2].map(() => post(url, JSON.stringify([call(7)]))));
      for (const response of both) expect(await answeredIds(response)).toEqual([7]);
      expect(upstream.requests).toHaveLength(2);
    });

    it('a request and its cancellation in one batch: it is answered, and the stream ends', async () => {
      const upstream = await upstreamOf({ status: 200, body: {} });
      const { url } = await serve({ tools: [weather(upstream)] });
      const params = { requestId: 1 };
      const cancel = { jsonrpc: '2.0', method: 'notifications/cancelled', params };
      const response = await post(url, JSON.stringify([call(1), call(2), cancel]));
      expect((await answeredIds(response)).sort()).toEqual([1, 2]);
      expect((await post(url, JSON.stringify([cancel]))).status).toBe(202);
    });

    it('a call that the drain cancels is answered as cancelled', async () => {
      const upstream = await upstreamOf({ hang: true });
      const { url, gateway } = await serve({ tools: [weather(upstream)] });
      const answer = post(url, JSON.stringify([call(1)]));
      await waitFor(() => upstream.requests.length === 1);
      gateway.running.cancelAll('shutdown');
      expect(await (await answer).text()).toContain('TOOL_CANCELLED');
    });
  });
});
