// The layers through the whole product, on a real upstream.
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createObserver } from '../../src/telemetry/observer.js';
import { createLogger } from '../../src/telemetry/log.js';
import { createMetrics } from '../../src/telemetry/metrics.js';
import { type Harness, startHarness } from '../support/harness.js';
import { type ScriptedUpstream, startScriptedUpstream } from '../support/scripted-upstream.js';

let harness: Harness | undefined;
let upstream: ScriptedUpstream;

beforeEach(async () => {
  upstream = await startScriptedUpstream();
});

afterEach(async () => {
  await harness?.close();
  harness = undefined;
  await upstream.close();
});

const tool = (name: string, url: string, more: object = {}): object => ({
  name,
  description: name,
  input_schema: { type: 'object', properties: { n: { type: 'integer' } } },
  http: { method: 'GET', url },
  ...more,
});

describe('a batch of 100 calls on five slots', () => {
  let server: Server;
  let most = 0;

  beforeEach(async () => {
    let inFlight = 0;
    most = 0;
    server = createServer((request, response) => {
      inFlight += 1;
      most = Math.max(most, inFlight);
      setTimeout(() => {
        inFlight -= 1;
        response.setHeader('content-type', 'application/json');
        response.end(JSON.stringify({ path: request.url }));
      }, 5);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });

  afterEach(() => {
    server.close();
    server.closeAllConnections();
  });

  it('never has more than five in flight, and one result each, in order; a dead sibling slows nobody', async () => {
    const { port } = server.address() as AddressInfo;
    upstream.script({ hang: true });
    harness = await startHarness({
      tools: [
        tool('five', `http://127.0.0.1:${port}/{n}`, {
          bulkhead: { max_concurrent: 5, max_queue: 200 },
        }),
        tool('dead', `${upstream.url}/`, { timeout_ms: 60_000 }),
      ],
    });
    const order: string[] = [];
    const calls = Array.from({ length: 100 }, (_, n) =>
      n === 50 ? { id: 'dead', tool: 'dead' } : { id: `c${n}`, tool: 'five', arguments: { n } },
    );
    const response = await harness.app.inject({
      method: 'POST',
      url: '/v1/tool-calls',
      headers: { accept: 'application/x-ndjson' },
      payload: { calls, deadline_ms: 2000 },
    });
    for (const line of response.body.trimEnd().split('\n'))
      order.push((JSON.parse(line) as { id: string }).id);
    expect(order.slice(0, 99)).not.toContain('dead');
    expect(order[99]).toBe('dead');
    expect(most).toBe(5);
  });

  it('keeps the order of submission in one answer', async () => {
    const { port } = server.address() as AddressInfo;
    harness = await startHarness({
      tools: [
        tool('five', `http://127.0.0.1:${port}/{n}`, {
          bulkhead: { max_concurrent: 5, max_queue: 200 },
        }),
      ],
    });
    const results = await harness.call(
      Array.from({ length: 100 }, (_, n) => ({ id: `c${n}`, tool: 'five', arguments: { n } })),
    );
    expect(results.map(({ id, result }) => [id, (result as { path: string }).path])).toEqual(
      Array.from({ length: 100 }, (_, n) => [`c${n}`, `/${n}`]),
    );
  });
});

it('a killed upstream opens the breaker; health shows it; the call at retry_after_ms is admitted; ready all the while', async () => {
  const port = Number(new URL(upstream.url).port);
  await upstream.close();
  harness = await startHarness({
    tools: [
      tool('get', `http://127.0.0.1:${port}/`, {
        retry: { max_attempts: 1 },
        breaker: { min_calls: 3, open_ms: 300 },
      }),
    ],
  });
  const { app, callOne } = harness;
  for (let i = 0; i < 3; i++)
    expect((await callOne('get')).error_info?.code).toBe('TOOL_CONNECTION_FAILED');
  const first = await callOne('get');
  expect(first.error_info?.code).toBe('TOOL_CIRCUIT_OPEN');
  const health = (await app.inject('/healthz')).json();
  expect(health).toMatchObject({
    status: 'degraded',
    tools: [
      { name: 'get', breaker: { state: 'open' }, last_failure: { code: 'TOOL_CIRCUIT_OPEN' } },
    ],
  });
  expect((await app.inject('/readyz')).statusCode).toBe(200);
  const wait = first.error_info?.retry_after_ms ?? 0;
  expect(health.tools[0].breaker.retry_after_ms).toBeLessThanOrEqual(wait);
  upstream = await startScriptedUpstream();
  await new Promise((resolve) => setTimeout(resolve, wait));
  expect((await callOne('get')).error_info?.code).not.toBe('TOOL_CIRCUIT_OPEN');
});

it('a batch of 100 calls takes 100 tokens of a tool limit', async () => {
  harness = await startHarness({
    tools: [
      tool('get', `${upstream.url}/`, { rate_limit: { calls: 60, per_ms: 60_000, burst: 60 } }),
    ],
  });
  const results = await harness.call(Array.from({ length: 100 }, () => ({ tool: 'get' })));
  const refused = results.filter(({ status }) => status === 'error');
  expect(refused).toHaveLength(40);
  const waits = refused.map(({ error_info }) => error_info?.retry_after_ms ?? 0);
  // The k-th refused caller is told the k-th free token: one a second.
  waits.forEach((wait, k) => {
    expect(Math.abs(wait - 1000 * (k + 1))).toBeLessThanOrEqual(100);
  });
});

it('no secret, argument, result or upstream text reaches the log or the metrics', async () => {
  const lines: string[] = [];
  const logger = createLogger({
    level: 'trace',
    scrubber: () => harness!.gateway.scrubber,
    destination: { write: (line: string) => lines.push(line) },
  });
  const metrics = createMetrics();
  upstream.script({
    status: 500,
    headers: { 'x-secret': 'CANARY1' },
    body: 'CANARY2 CANARY3 at /x?token=CANARY4',
  });
  harness = await startHarness(
    {
      tools: [
        tool('get', `${upstream.url}/x?token=\${TOKEN}`, {
          http: { method: 'POST', url: `${upstream.url}/x?token=\${TOKEN}` },
        }),
      ],
    },
    {
      env: { TOKEN: 'CANARY4' },
      metrics,
      gatewayOptions: {
        observer: createObserver(metrics, logger),
        onInternalError: (err) => {
          logger.error({ err });
        },
      },
    },
  );
  const response = await harness.app.inject({
    method: 'POST',
    url: '/v1/tool-calls?envelope=none',
    headers: { 'x-request-id': 'CANARY4', authorization: 'Bearer CANARY5' },
    payload: {
      calls: [
        { id: 'CANARY4', tool: 'get', arguments: { n: 1, secret: 'CANARY6' } },
        { tool: 'CANARY7', arguments: 'CANARY8' },
      ],
    },
  });
  expect(response.statusCode).toBe(200);
  const text = `${lines.join('')}${(await harness.app.inject('/metrics')).body}`;
  expect(lines.length).toBeGreaterThanOrEqual(3);
  expect(text).toContain('UPSTREAM_SERVER_ERROR');
  for (const n of [1, 2, 3, 4, 5, 6, 8]) expect(text).not.toContain(`CANARY${n}`);
  const body = response.body.replaceAll('"id":"CANARY4"', '');
  expect(body).not.toContain('CANARY4');
  expect((await harness.app.inject('/metrics')).body).not.toContain('CANARY7');
});

it('a read-back asks the upstream, whatever its tool has in the cache', async () => {
  const find = { read_only: true, cache: { ttl_ms: 60_000 } };
  const verify = { tool: 'find', confirmed_when: { pointer: '/booking', not_equals: null } };
  harness = await startHarness({
    tools: [
      tool('find', `${upstream.url}/find`, find),
      tool('book', '', { http: { method: 'POST', url: `${upstream.url}/book` }, verify }),
    ],
  });
  upstream.script(
    { status: 200, body: { booking: null } },
    { reset: true },
    { status: 200, body: { booking: 7 } },
  );
  const { call, callOne } = harness;
  expect(await callOne('find')).toMatchObject({ result: { booking: null } });
  expect(await callOne('find')).toMatchObject({ cached: true });
  const [booked] = await call([{ tool: 'book', idempotency_key: 'k' }]);
  expect(booked).toMatchObject({ status: 'ok', warnings: ['CONFIRMED_BY_READ_BACK'] });
  expect(upstream.requests.map(({ url }) => url)).toEqual(['/find', '/book', '/find']);
});
