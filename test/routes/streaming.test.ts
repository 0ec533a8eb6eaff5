// Streams, disconnects and cancels over real sockets.
import { request as httpRequest } from 'node:http';
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
});
