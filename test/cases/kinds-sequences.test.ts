// More than one call, or more than one attempt: the cooldown gate, the breaker over a sequence,
// limits, budgets, deadlines, idempotency keys, and calls that wait for others.
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { formatFault } from '../../src/tools/faults.js';
import { loadConfig } from '../../src/tools/load.js';
import { type Harness, startHarness, type WireResult } from '../support/harness.js';
import {
  answer,
  expectInfo,
  type Expected,
  fails,
  GET,
  GET3,
  hang,
  ok,
  POST,
  POST3,
  QUICK_RETRY,
  reset,
  type Step,
  times,
  toolEntry,
  type ToolConfig,
  Upstream,
} from './table.js';

const upstream = new Upstream();
let host = '';
let harness: Harness;

beforeAll(async () => {
  host = await upstream.listen();
  harness = await startHarness({ tools: [] });
  await harness.app.listen({ host: '127.0.0.1', port: 0 });
});

afterAll(async () => {
  await harness.close();
  await upstream.close();
});

type Scripted = ToolConfig & { readonly script?: readonly Step[] };

function configure(config: object): void {
  const loaded = loadConfig(
    { file: 'test.json', text: JSON.stringify({ version: 1, ...config }) },
    {},
  );
  if (!loaded.ok) throw new Error(loaded.faults.map(formatFault).join('\n'));
  harness.gateway.reload(loaded.config);
}

/** The one gateway with these tools and no other; what earlier ones of the same name left is gone. */
function gatewayWith(tools: Readonly<Record<string, Scripted>>, more: object = {}): Harness {
  configure({ tools: [] });
  const entries = Object.entries(tools).map(([name, { script = [ok], ...tool }]) => {
    upstream.script(name, ...script);
    return toolEntry(name, tool, host, 9);
  });
  configure({
    defaults: { timeout_ms: 2000, retry: QUICK_RETRY, breaker: false },
    tools: entries,
    ...more,
  });
  return harness;
}

const asked = (name: string): number => upstream.received(name).length;

function stateOf(gateway: Harness, name: string): string | undefined {
  return gateway.gateway.find(name)?.pipeline.snapshot().breaker?.state;
}

async function outcomes(gateway: Harness, name: string, count: number): Promise<WireResult[]> {
  const results: WireResult[] = [];
  for (let i = 0; i < count; i += 1) results.push(await gateway.callOne(name));
  return results;
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

describe('the cooldown gate', () => {
  const gated: readonly (readonly [name: string, tool: ToolConfig, step: Step])[] = [
    ['429', GET, answer(429, { 'retry-after': '30' })],
    ['429 of a POST', POST, answer(429, { 'retry-after': '30' })],
    ['429 with retry-after-ms', GET, answer(429, { 'retry-after-ms': '30000' })],
    ['429 with RateLimit', GET, answer(429, { ratelimit: '"p";r=0;t=30' })],
    ['503 with Retry-After', GET, answer(503, { 'retry-after': '30' })],
    ['503 with Retry-After, POST', POST, answer(503, { 'retry-after': '30' })],
    ['529 with Retry-After', GET, answer(529, { 'retry-after': '30' })],
  ];
  it.each(gated)('%s: the next call is refused here', async (_name, tool, step) => {
    const gateway = gatewayWith({ gate: { ...tool, script: [step, ok] }, sibling: GET });
    await gateway.callOne('gate');
    const second = await gateway.callOne('gate');
    expectInfo(
      second.error_info,
      fails('TOOL_RATE_LIMITED', true, 'not_sent', {
        retry: [28_000, 30_100],
        details: { classified_by: 'gateway', scope: expect.any(String) },
      }),
    );
    expect(asked('gate')).toBe(1);
    expect((await gateway.callOne('sibling')).status).toBe('ok');
  });

  const open: readonly (readonly [name: string, step: Step])[] = [
    ['503 without Retry-After', answer(503)],
    ['502 with Retry-After', answer(502, { 'retry-after': '30' })],
    ['500 with Retry-After', answer(500, { 'retry-after': '30' })],
    ['429 with Retry-After: 0', answer(429, { 'retry-after': '0' })],
    [
      '429 with a reset that is past',
      answer(429, { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '1000000000' }),
    ],
    [
      '429 that means the account',
      answer(429, { 'retry-after': '30' }, { error: { code: 'insufficient_quota' } }),
    ],
    ['404 with Retry-After', answer(404, { 'retry-after': '30' })],
    ['200 with Retry-After', answer(200, { 'retry-after': '30' }, {})],
  ];
  it.each(open)('%s: the next call goes through', async (_name, step) => {
    const gateway = gatewayWith({ gate: { ...GET, script: [step, ok] } });
    await gateway.callOne('gate');
    expect((await gateway.callOne('gate')).status).toBe('ok');
  });

  it('opens when the time is over', async () => {
    const gateway = gatewayWith({
      gate: { ...GET, script: [answer(429, { 'retry-after-ms': '300' }), ok] },
    });
    await gateway.callOne('gate');
    const refused = await gateway.callOne('gate');
    expectInfo(
      refused.error_info,
      fails('TOOL_RATE_LIMITED', true, 'not_sent', { retry: [1, 500] }),
    );
    await pause(refused.error_info?.retry_after_ms ?? 0);
    expect((await gateway.callOne('gate')).status).toBe('ok');
  });

  it('what it refuses is nothing to the breaker', async () => {
    const gateway = gatewayWith({
      gate: {
        ...GET,
        breaker: { min_calls: 1, failure_rate: 0.01, open_ms: 60_000 },
        script: [answer(429, { 'retry-after': '30' })],
      },
    });
    await outcomes(gateway, 'gate', 5);
    expect(stateOf(gateway, 'gate')).toBe('closed');
  });

  it('arguments are still looked at first', async () => {
    const gateway = gatewayWith({
      gate: {
        ...GET,
        input_schema: { type: 'object', properties: { n: { type: 'integer' } } },
        script: [answer(429, { 'retry-after': '30' })],
      },
    });
    await gateway.callOne('gate');
    expect((await gateway.callOne('gate', { n: 'x' })).error_info?.code).toBe(
      'TOOL_ARGUMENT_ERROR',
    );
  });
});

describe('the breaker over a sequence', () => {
  const F = answer(500);
  const S = answer(404);
  const N = answer(401);
  const BREAKER = { window_ms: 60_000, min_calls: 4, failure_rate: 0.5, open_ms: 60_000 };

  const sequences: readonly (readonly [
    name: string,
    script: readonly Step[],
    state: 'open' | 'closed',
    breaker?: object,
  ])[] = [
    ['failures below min_calls', times(3, F), 'closed'],
    ['as many as min_calls', times(4, F), 'open'],
    ['half of them', [S, S, F, F], 'open'],
    ['less than half', [S, S, S, F, F], 'closed'],
    ['one in two, in turn', [F, ok, F, ok, F], 'open'],
    ['neutral outcomes do not fill up min_calls', [N, N, N, N, N, F, F, F], 'closed'],
    ['neutral outcomes do not thin out failures', [F, N, F, N, F, N, F], 'open'],
    ['twenty neutral', times(20, N), 'closed'],
    ['twenty definite answers', times(20, S), 'closed'],
    ['twenty rate limits', times(20, answer(429)), 'closed'],
    ['twenty of 403', times(20, answer(403)), 'closed'],
    [
      'twenty broken results',
      times(20, answer(200, { 'content-type': 'application/json' }, '{')),
      'closed',
    ],
    ['resets', times(4, reset), 'open'],
    ['gateway time-outs of the upstream', times(4, answer(504)), 'open'],
    ['507 is a failure although it is definite', times(4, answer(507)), 'open'],
    ['511', times(4, answer(511)), 'open'],
    ['526 is not', times(10, answer(526)), 'closed'],
    ['501 is not', times(10, answer(501)), 'closed'],
    ['one of one', [answer(503)], 'open', { min_calls: 1, failure_rate: 1 }],
    ['all must fail', [S, F, F, F, F, F], 'closed', { failure_rate: 1 }],
  ];
  for (const [name, script, state, more = {}] of sequences) {
    it(name, async () => {
      const gateway = gatewayWith({ seq: { ...GET, breaker: { ...BREAKER, ...more }, script } });
      await outcomes(gateway, 'seq', script.length);
      expect(stateOf(gateway, 'seq')).toBe(state);
      expect(asked('seq')).toBe(script.length);
    });
  }

  it('refusals of the author are successes', async () => {
    const gateway = gatewayWith({
      seq: {
        ...GET,
        breaker: BREAKER,
        errors: [{ when: { status: 503 }, then: { declined: 'closed_today' } }],
        script: [answer(503)],
      },
    });
    const results = await outcomes(gateway, 'seq', 10);
    expect(results.every(({ status }) => status === 'declined')).toBe(true);
    expect(stateOf(gateway, 'seq')).toBe('closed');
  });

  it.each([
    ['GET', GET],
    ['POST', POST],
  ])('an open one refuses a %s, which may come again', async (_name, tool) => {
    const gateway = gatewayWith({
      seq: { ...tool, breaker: BREAKER, script: [F] },
      sibling: GET,
    });
    await outcomes(gateway, 'seq', 4);
    const refused = await gateway.callOne('seq');
    expectInfo(
      refused.error_info,
      fails('TOOL_CIRCUIT_OPEN', true, 'not_sent', {
        retry: [50_000, 60_000],
        details: { failure_count: 4, reset_timeout: expect.any(Number), classified_by: 'gateway' },
      }),
    );
    expect(refused.attempts).toBe(0);
    expect(asked('seq')).toBe(4);
    expect((await gateway.callOne('sibling')).status).toBe('ok');
  });

  it('every attempt counts, and a call does not go on against an open one', async () => {
    const gateway = gatewayWith({
      seq: { ...GET3, breaker: { ...BREAKER, min_calls: 2 }, script: [answer(503)] },
    });
    const result = await gateway.callOne('seq');
    expect(asked('seq')).toBe(2);
    expect(stateOf(gateway, 'seq')).toBe('open');
    expect(result.status).toBe('error');
    expect(result.error_info?.retryable).toBe(true);
    expect(result.error_info?.details['attempt_log']).toMatchObject([
      { code: 'UPSTREAM_UNAVAILABLE' },
      { code: 'UPSTREAM_UNAVAILABLE' },
    ]);
  });

  it('arguments are looked at before it', async () => {
    const gateway = gatewayWith({
      seq: {
        ...GET,
        breaker: { ...BREAKER, min_calls: 1 },
        input_schema: { type: 'object', required: ['a'] },
        script: [F],
      },
    });
    await gateway.callOne('seq', { a: 1 });
    expect((await gateway.callOne('seq', { a: 1 })).error_info?.code).toBe('TOOL_CIRCUIT_OPEN');
    expect((await gateway.callOne('seq')).error_info?.code).toBe('TOOL_ARGUMENT_ERROR');
  });

  describe('half-open', () => {
    const PROBED = { min_calls: 1, failure_rate: 1, open_ms: 150, half_open_probes: 1 };

    async function halfOpen(tool: Scripted): Promise<Harness> {
      const gateway = gatewayWith({ probe: { ...GET, breaker: PROBED, ...tool } });
      await gateway.callOne('probe');
      expect(stateOf(gateway, 'probe')).toBe('open');
      await pause(160);
      return gateway;
    }

    it('lets one probe in at a time', async () => {
      const gateway = await halfOpen({ script: [F, { status: 200, body: {}, delayMs: 40 }] });
      const results = await gateway.call(Array.from({ length: 5 }, () => ({ tool: 'probe' })));
      expect(results.filter(({ status }) => status === 'ok')).toHaveLength(1);
      const refused = results.filter(({ error_info }) => error_info?.code === 'TOOL_CIRCUIT_OPEN');
      expect(refused).toHaveLength(4);
      for (const { error_info } of refused) expect(error_info?.retry_after_ms).not.toBeNull();
      expect(asked('probe')).toBe(2);
      expect(stateOf(gateway, 'probe')).toBe('closed');
    });

    it('a failed probe opens it again for as long', async () => {
      const gateway = await halfOpen({ script: [F, F, ok] });
      await gateway.callOne('probe');
      expect(stateOf(gateway, 'probe')).toBe('open');
      expect((await gateway.callOne('probe')).error_info?.code).toBe('TOOL_CIRCUIT_OPEN');
      await pause(160);
      expect((await gateway.callOne('probe')).status).toBe('ok');
      expect(stateOf(gateway, 'probe')).toBe('closed');
      expect(asked('probe')).toBe(3);
    });

    it.each([
      ['401', answer(401)],
      ['403', answer(403)],
      ['405', answer(405)],
      ['425', answer(425)],
      ['429', answer(429)],
    ])('a %s hands the slot back, again and again', async (_name, step) => {
      const gateway = await halfOpen({ script: [F, step, step, step, ok] });
      for (let i = 0; i < 3; i += 1) {
        await gateway.callOne('probe');
        expect(stateOf(gateway, 'probe')).toBe('half_open');
      }
      expect((await gateway.callOne('probe')).status).toBe('ok');
      expect(stateOf(gateway, 'probe')).toBe('closed');
    });

    it('arguments that are not taken cost no probe', async () => {
      const gateway = await halfOpen({
        input_schema: { type: 'object', properties: { n: { type: 'integer' } } },
        script: [F, ok],
      });
      await gateway.callOne('probe', { n: 'x' });
      expect((await gateway.callOne('probe')).status).toBe('ok');
    });

    it('a probe that hangs ends with its time, and opens it', async () => {
      const gateway = await halfOpen({ timeout_ms: 150, script: [F, hang, ok] });
      expect((await gateway.callOne('probe')).error_info?.code).toBe('TOOL_TIMEOUT');
      expect(stateOf(gateway, 'probe')).toBe('open');
      await pause(160);
      expect((await gateway.callOne('probe')).status).toBe('ok');
    });

    it('a probe whose client leaves hands the slot back', async () => {
      const gateway = await halfOpen({ script: [F, hang, ok] });
      const { port } = gateway.app.server.address() as AddressInfo;
      const client = new AbortController();
      const left = fetch(`http://127.0.0.1:${port}/v1/tool-calls`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ calls: [{ tool: 'probe' }] }),
        signal: client.signal,
      }).then(
        () => 'answered',
        () => 'left',
      );
      await vi.waitFor(() => {
        expect(asked('probe')).toBe(2);
      });
      client.abort();
      expect(await left).toBe('left');
      await vi.waitFor(async () => {
        expect((await gateway.callOne('probe')).status).toBe('ok');
      });
      expect(stateOf(gateway, 'probe')).toBe('closed');
    });

    it('a slow success from before does not close it', async () => {
      const gateway = gatewayWith({
        probe: { ...GET, breaker: PROBED, script: [{ status: 200, body: {}, delayMs: 400 }, F] },
      });
      const slow = gateway.callOne('probe');
      await vi.waitFor(() => {
        expect(asked('probe')).toBe(1);
      });
      await gateway.callOne('probe');
      expect(stateOf(gateway, 'probe')).toBe('open');
      expect((await slow).status).toBe('ok');
      expect(stateOf(gateway, 'probe')).toBe('half_open');
    });

    it('closed again it starts afresh', async () => {
      const gateway = await halfOpen({
        breaker: { ...PROBED, min_calls: 1, failure_rate: 1 },
        script: [F, ok, ok, F, ok],
      });
      await gateway.callOne('probe');
      await gateway.callOne('probe');
      expect((await gateway.callOne('probe')).error_info?.code).toBe('UPSTREAM_SERVER_ERROR');
      expect(stateOf(gateway, 'probe')).toBe('closed');
    });
  });
});

describe('limits of the gateway', () => {
  it('a limiter tells every refused call its own turn', async () => {
    const gateway = gatewayWith({
      few: { ...POST, rate_limit: { calls: 2, per_ms: 60_000 } },
    });
    const results = await gateway.call(Array.from({ length: 5 }, () => ({ tool: 'few' })));
    expect(results.filter(({ status }) => status === 'ok')).toHaveLength(2);
    const refused = results.filter(({ status }) => status === 'error');
    for (const { error_info } of refused) {
      expectInfo(
        error_info,
        fails('TOOL_RATE_LIMITED', true, 'not_sent', {
          retry: [1, 120_000],
          details: { limit: 2, scope: 'tool' },
        }),
      );
    }
    const turns = refused.map(({ error_info }) => error_info?.retry_after_ms);
    expect(new Set(turns).size).toBe(3);
    expect(asked('few')).toBe(2);
  });

  it('every attempt is a call to the limiter', async () => {
    const gateway = gatewayWith({
      few: { ...GET3, rate_limit: { calls: 2, per_ms: 60_000 }, script: [answer(503)] },
    });
    const result = await gateway.callOne('few');
    expect(asked('few')).toBe(2);
    expect(result.status).toBe('error');
  });

  it('a call that is no call costs nothing', async () => {
    const gateway = gatewayWith({
      few: {
        ...GET,
        rate_limit: { calls: 1, per_ms: 60_000 },
        input_schema: { type: 'object', properties: { n: { type: 'integer' } } },
      },
    });
    await gateway.callOne('few', { n: 'x' });
    expect((await gateway.callOne('few')).status).toBe('ok');
  });

  it('a full bulkhead without a queue', async () => {
    const gateway = gatewayWith({
      one: {
        ...POST,
        bulkhead: { max_concurrent: 1, max_queue: 0 },
        breaker: { min_calls: 1, failure_rate: 0.01 },
        script: [{ status: 200, body: {}, delayMs: 40 }],
      },
    });
    const results = await gateway.call(Array.from({ length: 4 }, () => ({ tool: 'one' })));
    const refused = results.filter(({ status }) => status === 'error');
    expect(refused).toHaveLength(3);
    for (const { error_info, attempts } of refused) {
      expectInfo(error_info, {
        ...fails('BULKHEAD_FULL', true, 'not_sent', {
          retry: [0, 60_000],
          details: { limit: 1, queued: 0 },
        }),
      });
      expect(attempts).toBe(0);
    }
    expect(asked('one')).toBe(1);
    expect(stateOf(gateway, 'one')).toBe('closed');
  });

  it('a wait for a place that is too long', async () => {
    const gateway = gatewayWith({
      one: {
        ...GET3,
        bulkhead: { max_concurrent: 1, max_queue: 5, queue_timeout_ms: 30 },
        script: [{ status: 200, body: {}, delayMs: 150 }],
      },
    });
    const results = await gateway.call([{ tool: 'one' }, { tool: 'one' }]);
    expect(results.map(({ status }) => status).sort()).toEqual(['error', 'ok']);
    const refused = results.find(({ status }) => status === 'error');
    expectInfo(
      refused?.error_info,
      fails('BULKHEAD_FULL', true, 'not_sent', { retry: [0, 60_000], details: { limit: 1 } }),
    );
    expect(asked('one')).toBe(1);
  });

  it('a place in the queue is as good as one', async () => {
    const gateway = gatewayWith({
      one: {
        ...GET,
        bulkhead: { max_concurrent: 1, max_queue: 5 },
        script: [{ status: 200, body: {}, delayMs: 5 }],
      },
    });
    const results = await gateway.call(Array.from({ length: 6 }, () => ({ tool: 'one' })));
    expect(results.every(({ status }) => status === 'ok')).toBe(true);
  });

  it('the deadline ends a wait for a place: nothing was sent', async () => {
    const gateway = gatewayWith({
      one: { ...POST, bulkhead: { max_concurrent: 1, max_queue: 5 }, script: [hang] },
    });
    const results = await gateway.call([{ tool: 'one' }, { tool: 'one' }], { deadline_ms: 80 });
    const effects = results.map(({ error_info }) => [
      error_info?.code,
      error_info?.effect,
      error_info?.retryable,
    ]);
    expect(effects).toContainEqual(['TOOL_TIMEOUT', 'unknown', false]);
    expect(effects).toContainEqual(['TOOL_TIMEOUT', 'not_sent', true]);
    expect(asked('one')).toBe(1);
  });
});

describe('budgets', () => {
  it('no tokens, no retries', async () => {
    const gateway = gatewayWith({
      poor: { ...GET3, retry_budget: { tokens: 0 }, script: [answer(503)] },
    });
    const result = await gateway.callOne('poor');
    expectInfo(
      result.error_info,
      fails('UPSTREAM_UNAVAILABLE', true, 'unknown', { details: { retry_stopped_by: 'budget' } }),
    );
    expect(asked('poor')).toBe(1);
  });

  it('tokens for two retries, and a success gives one back', async () => {
    const gateway = gatewayWith({
      poor: {
        ...GET3,
        retry_budget: { tokens: 2, retry_cost: 1, success_refill: 1 },
        script: [
          answer(503),
          answer(503),
          answer(503),
          answer(503),
          ok,
          answer(503),
          answer(503),
          answer(503),
        ],
      },
    });
    await gateway.callOne('poor');
    expect(asked('poor')).toBe(3);
    expect((await gateway.callOne('poor')).error_info?.details['retry_stopped_by']).toBe('budget');
    expect(asked('poor')).toBe(4);
    expect((await gateway.callOne('poor')).status).toBe('ok');
    const last = await gateway.callOne('poor');
    expect(last.error_info?.details['retry_stopped_by']).toBe('budget');
    expect(asked('poor')).toBe(7);
  });

  it('a run has a budget of its own over batches, another run another', async () => {
    const gateway = gatewayWith({
      flaky: { ...GET3, max_tool_attempts: 4, script: [answer(503)] },
    });
    const stops: unknown[] = [];
    for (let i = 0; i < 5; i += 1) {
      const [result] = await gateway.call([{ tool: 'flaky' }], { run_id: 'run-1' });
      stops.push(result?.error_info?.details['retry_stopped_by']);
    }
    expect(stops[0]).toBe('max_attempts');
    expect(stops.at(-1)).toBe('budget');
    const before = asked('flaky');
    expect(before).toBeLessThan(15);
    const [other] = await gateway.call([{ tool: 'flaky' }], { run_id: 'run-2' });
    expect(other?.error_info?.details['retry_stopped_by']).toBe('max_attempts');
    expect(asked('flaky')).toBe(before + 3);
  });
});

describe('deadlines', () => {
  it('the gateway has a longest one', async () => {
    const gateway = gatewayWith(
      { slow: { ...GET3, script: [hang] } },
      { server: { max_deadline_ms: 80 } },
    );
    const [result] = await gateway.call([{ tool: 'slow' }], { deadline_ms: 60_000 });
    expectInfo(
      result?.error_info,
      fails('TOOL_TIMEOUT', true, 'unknown', { details: { scope: 'deadline' } }),
    );
  });

  it('the gateway has one of its own', async () => {
    const gateway = gatewayWith(
      { slow: { ...POST, script: [hang] } },
      { server: { default_deadline_ms: 80 } },
    );
    expectInfo(
      (await gateway.callOne('slow')).error_info,
      fails('TOOL_TIMEOUT', false, 'unknown', { details: { scope: 'deadline' } }),
    );
  });

  it('it takes only what is not done', async () => {
    const gateway = gatewayWith({
      slow: { ...GET, script: [hang] },
      fast: GET,
      no: { ...GET, script: [answer(404)] },
    });
    const results = await gateway.call([{ tool: 'slow' }, { tool: 'fast' }, { tool: 'no' }], {
      deadline_ms: 150,
    });
    expect(results.map(({ error_info }) => error_info?.code ?? 'ok')).toEqual([
      'TOOL_TIMEOUT',
      'ok',
      'UPSTREAM_REJECTED',
    ]);
  });

  it('a backoff does not outlive it', async () => {
    const gateway = gatewayWith({
      slow: {
        ...GET,
        retry: { max_attempts: 5, base_ms: 60_000, max_ms: 60_000 },
        script: [answer(503)],
      },
    });
    const [result] = await gateway.call([{ tool: 'slow' }], { deadline_ms: 100 });
    expect(result?.duration_ms).toBeLessThan(1000);
    expect(result?.status).toBe('error');
  });

  it('attempts get what is left', async () => {
    const gateway = gatewayWith({ slow: { ...GET3, timeout_ms: 150, script: [hang] } });
    const [result] = await gateway.call([{ tool: 'slow' }], { deadline_ms: 220 });
    expect(result?.error_info).toMatchObject({
      code: 'TOOL_TIMEOUT',
      effect: 'unknown',
      retryable: true,
    });
    expect(asked('slow')).toBe(2);
    expect(result?.duration_ms).toBeLessThan(1000);
  });
});

describe('idempotency keys', () => {
  const KEYED: ToolConfig = { ...POST3, idempotency: { header: 'Idempotency-Key' } };
  const key = (idempotency_key: string, args: unknown = {}) => ({
    tool: 'pay',
    arguments: args,
    idempotency_key,
  });

  it('a key goes up as it came, the same with every attempt', async () => {
    const gateway = gatewayWith({ pay: { ...KEYED, script: [reset, answer(500), ok] } });
    const [result] = await gateway.call([key('order-17')]);
    expect(result).toMatchObject({ status: 'ok', attempts: 3 });
    expect(upstream.received('pay').map(({ headers }) => headers['idempotency-key'])).toEqual(
      Array(3).fill('order-17'),
    );
  });

  it('the same again is answered from the first', async () => {
    const gateway = gatewayWith({
      pay: { ...KEYED, script: [answer(201, {}, { id: 1 }), answer(201, {}, { id: 2 })] },
    });
    const [first] = await gateway.call([key('a')]);
    const [second] = await gateway.call([key('a')]);
    expect([first?.result, second?.result]).toEqual([{ id: 1 }, { id: 1 }]);
    expect(asked('pay')).toBe(1);
  });

  it('at the same time it is sent once', async () => {
    const gateway = gatewayWith({
      pay: { ...KEYED, script: [{ status: 201, body: { id: 1 }, delayMs: 20 }] },
    });
    const results = await gateway.call([key('b'), key('b'), key('b')]);
    expect(results.map(({ result }) => result)).toEqual(Array(3).fill({ id: 1 }));
    expect(asked('pay')).toBe(1);
  });

  it('with other arguments it is a conflict', async () => {
    const gateway = gatewayWith({ pay: KEYED });
    await gateway.call([key('c', { amount: 5 })]);
    const [second] = await gateway.call([key('c', { amount: 6 })]);
    expectInfo(second?.error_info, fails('IDEMPOTENCY_CONFLICT', false, 'not_sent'));
    expect(asked('pay')).toBe(1);
  });

  it('the order of the keys of an object is no other argument', async () => {
    const gateway = gatewayWith({ pay: KEYED });
    await gateway.call([key('d', { a: 1, b: 2 })]);
    const [second] = await gateway.call([key('d', { b: 2, a: 1 })]);
    expect(second?.status).toBe('ok');
    expect(asked('pay')).toBe(1);
  });

  it('another tool is another matter', async () => {
    const gateway = gatewayWith({ pay: KEYED, refund: KEYED });
    await gateway.call([key('e'), { tool: 'refund', idempotency_key: 'e' }]);
    expect([asked('pay'), asked('refund')]).toEqual([1, 1]);
  });

  it('a failure that may pass is tried again with the key', async () => {
    const gateway = gatewayWith({
      pay: { ...KEYED, retry: false, script: [answer(503), ok] },
    });
    const [first] = await gateway.call([key('f')]);
    expectInfo(first?.error_info, fails('UPSTREAM_UNAVAILABLE', true, 'unknown'));
    const [second] = await gateway.call([key('f')]);
    expect(second?.status).toBe('ok');
    expect(asked('pay')).toBe(2);
  });

  const inUse = {
    error: {
      type: 'idempotency_error',
      code: 'idempotency_key_in_use',
      message: 'There is currently another in-progress request using this key.',
    },
  };

  it('409 while it is in flight is waited for', async () => {
    const gateway = gatewayWith({
      pay: { ...KEYED, script: [answer(409, { 'retry-after-ms': '2' }, inUse), ok] },
    });
    const [result] = await gateway.call([key('g')]);
    expect(result).toMatchObject({ status: 'ok', attempts: 2 });
  });

  it('409 after a reset is the first attempt, still under way', async () => {
    const gateway = gatewayWith({
      pay: { ...KEYED, script: [reset, answer(409, {}, inUse), ok] },
    });
    const [result] = await gateway.call([key('h')]);
    expect(result).toMatchObject({ status: 'ok', attempts: 3 });
  });

  it('409 to the end', async () => {
    const gateway = gatewayWith({
      pay: { ...KEYED, script: [answer(409, { 'retry-after': '7' }, inUse)] },
    });
    const [result] = await gateway.call([key('i')]);
    expectInfo(
      result?.error_info,
      fails('UPSTREAM_REJECTED', true, 'completed', {
        retry: 7000,
        details: { upstream_code: 'idempotency_key_in_use', transient: true },
      }),
    );
    expect(asked('pay')).toBe(1);
  });

  it('409 of the same words without a key of ours is definite', async () => {
    const gateway = gatewayWith({
      pay: { ...KEYED, script: [answer(409, { 'retry-after': '1' }, inUse), ok] },
    });
    const result = await gateway.callOne('pay');
    expectInfo(
      result.error_info,
      fails('UPSTREAM_REJECTED', false, 'completed', { details: { transient: false } }),
    );
    expect(asked('pay')).toBe(1);
  });

  it('409 with another code is definite, with a key or not', async () => {
    const gateway = gatewayWith({
      pay: { ...KEYED, script: [answer(409, {}, { error: { code: 'booking_closed' } }), ok] },
    });
    const [result] = await gateway.call([key('j')]);
    expectInfo(result?.error_info, fails('UPSTREAM_REJECTED', false, 'completed'));
    expect(asked('pay')).toBe(1);
  });

  it('a key that stays here still keeps the call single', async () => {
    const gateway = gatewayWith({
      pay: { ...POST3, script: [answer(201, {}, { id: 1 }), answer(201, {}, { id: 2 })] },
    });
    await gateway.call([key('k')]);
    const [second] = await gateway.call([key('k')]);
    expect(second?.result).toEqual({ id: 1 });
    expect(asked('pay')).toBe(1);
  });

  it('a result that is not what was promised is not asked for again', async () => {
    const gateway = gatewayWith({
      pay: {
        ...KEYED,
        output_schema: { type: 'object', required: ['id'] },
        script: [answer(201, {}, {}), ok],
      },
    });
    const [result] = await gateway.call([key('l')]);
    expectInfo(result?.error_info, fails('TOOL_RESULT_ERROR', false, 'completed'));
    expect(asked('pay')).toBe(1);
  });
});

describe('421', () => {
  it.each([
    ['GET', GET3],
    ['POST', POST3],
  ])('one more try on a fresh connection, %s', async (_name, tool) => {
    const gateway = gatewayWith({ misdirected: { ...tool, script: [answer(421), ok] } });
    expect(await gateway.callOne('misdirected')).toMatchObject({ status: 'ok' });
    expect(asked('misdirected')).toBe(2);
  });

  it.each([
    ['GET', GET3],
    ['POST', POST3],
  ])('and no other, %s', async (_name, tool) => {
    const gateway = gatewayWith({
      misdirected: { ...tool, script: [answer(421), answer(421), ok] },
    });
    const result = await gateway.callOne('misdirected');
    expect(result.error_info).toMatchObject({
      code: 'UPSTREAM_REJECTED',
      category: 'execution',
      effect: 'not_sent',
    });
    expect(asked('misdirected')).toBe(2);
  });
});

describe('several attempts', () => {
  const sequences: readonly (readonly [string, ToolConfig, readonly Step[], Expected, number])[] = [
    [
      'a definite no ends it',
      GET3,
      [answer(503), answer(404), ok],
      fails('UPSTREAM_REJECTED', false, 'completed', {
        details: { retry_stopped_by: 'not_retryable' },
      }),
      2,
    ],
    [
      'a credential ends it',
      GET3,
      [answer(500), answer(401), ok],
      fails('UPSTREAM_AUTH_FAILED', false, 'completed'),
      2,
    ],
    [
      'money ends it',
      GET3,
      [answer(429), answer(429, {}, { error: { code: 'insufficient_quota' } }), ok],
      fails('UPSTREAM_QUOTA_EXHAUSTED', false, 'completed'),
      2,
    ],
    [
      'POST: a limit, then an unknown outcome',
      POST3,
      [answer(429), answer(502), ok],
      fails('UPSTREAM_UNAVAILABLE', false, 'unknown', {
        details: { transient: true, retry_stopped_by: 'unsafe_to_repeat' },
      }),
      2,
    ],
    [
      'POST: too early, then a reset',
      POST3,
      [answer(425), reset, ok],
      fails('TOOL_TRANSPORT_ERROR', false, 'unknown'),
      2,
    ],
    [
      'a limit to the end',
      GET3,
      [answer(429)],
      fails('TOOL_RATE_LIMITED', true, 'completed', {
        details: { attempts: 3, retry_stopped_by: 'max_attempts' },
      }),
      3,
    ],
    [
      'POST: a limit to the end',
      POST3,
      [answer(429)],
      fails('TOOL_RATE_LIMITED', true, 'completed', { details: { attempts: 3 } }),
      3,
    ],
    [
      'different failures, the last one counts',
      GET3,
      [answer(500), reset, answer(504)],
      fails('TOOL_TIMEOUT', true, 'unknown', {
        details: {
          attempt_log: [
            { code: 'UPSTREAM_SERVER_ERROR', status: 500 },
            { code: 'TOOL_TRANSPORT_ERROR' },
            { code: 'TOOL_TIMEOUT', status: 504 },
          ],
        },
      }),
      3,
    ],
    [
      'an unusable answer ends it',
      GET3,
      [answer(503), answer(200, { 'content-type': 'application/json' }, '<'), ok],
      fails('TOOL_RESULT_ERROR', false, 'completed'),
      2,
    ],
    [
      'a redirect ends it',
      GET3,
      [answer(503), answer(302, { location: '/x' }), ok],
      fails('UPSTREAM_REJECTED', false, 'completed'),
      2,
    ],
    [
      'one attempt is one',
      { ...GET, retry: { max_attempts: 1 } },
      [answer(503), ok],
      fails('UPSTREAM_UNAVAILABLE', true, 'unknown', { details: { attempts: 1 } }),
      1,
    ],
    [
      '507 is not repeated',
      GET3,
      [answer(507), ok],
      fails('UPSTREAM_REJECTED', false, 'unknown', { details: { transient: false } }),
      1,
    ],
  ];
  it.each(sequences)('%s', async (_name, tool, script, expected, requests) => {
    const gateway = gatewayWith({ many: { ...tool, script } });
    const result = await gateway.callOne('many');
    expectInfo(result.error_info, expected);
    expect(asked('many')).toBe(requests);
    expect(result.attempts).toBe(requests);
  });
});

describe('a connection that was used before', () => {
  const kept: Step = { status: 200, body: { fine: true }, keepAlive: true };

  it('a limit, then resets: max_attempts requests in all', async () => {
    const limit: Step = { status: 429, headers: { 'retry-after-ms': '5' }, keepAlive: true };
    const gateway = gatewayWith({ kept: { ...GET3, script: [limit, reset] } });
    const result = await gateway.callOne('kept');
    expectInfo(
      result.error_info,
      fails('TOOL_TRANSPORT_ERROR', true, 'unknown', {
        details: {
          attempt_log: [
            { code: 'TOOL_RATE_LIMITED', status: 429, retry_after_ms: 5 },
            { code: 'TOOL_TRANSPORT_ERROR' },
            { code: 'TOOL_TRANSPORT_ERROR' },
          ],
        },
      }),
    );
    expect(asked('kept')).toBe(3);
  });

  it('one attempt is one request', async () => {
    const gateway = gatewayWith({ kept: { ...GET, script: [kept, reset] } });
    await gateway.callOne('kept');
    const result = await gateway.callOne('kept');
    expectInfo(result.error_info, fails('TOOL_TRANSPORT_ERROR', true, 'unknown'));
    expect(asked('kept')).toBe(2);
  });

  it('a POST that was read and reset is sent once', async () => {
    const gateway = gatewayWith({ kept: { ...POST3, script: [kept, reset] } });
    await gateway.callOne('kept');
    const result = await gateway.callOne('kept');
    expectInfo(result.error_info, fails('TOOL_TRANSPORT_ERROR', false, 'unknown'));
    expect(asked('kept')).toBe(2);
  });

  it('an error leaves the connection for the next call', async () => {
    const gateway = gatewayWith({ kept: { ...GET, script: [{ ...kept, status: 404 }, kept] } });
    await gateway.callOne('kept');
    expect((await gateway.callOne('kept')).status).toBe('ok');
  });
});

describe('calls that wait for others', () => {
  const dependencyFailed = fails('DEPENDENCY_FAILED', false, 'not_sent', {
    details: { transient: false, classified_by: 'gateway' },
  });

  const causes: readonly (readonly [string, Scripted])[] = [
    ['a server error', { ...POST, script: [answer(500)] }],
    ['a definite no', { ...POST, script: [answer(404)] }],
    ['a rate limit', { ...POST, script: [answer(429)] }],
    [
      'a refusal',
      {
        ...POST,
        errors: [{ when: { status: 409 }, then: { declined: 'no' } }],
        script: [answer(409)],
      },
    ],
    ['a reset', { ...POST, script: [reset] }],
    [
      'a result of another shape',
      {
        ...POST,
        output_schema: { type: 'object', required: ['id'] },
        script: [answer(200, {}, {})],
      },
    ],
    ['a refused connection', { ...POST, origin: 'http://REFUSED' }],
  ];
  it.each(causes)('%s fails those that wait, and nobody else', async (_name, first) => {
    const gateway = gatewayWith({ first, next: POST, free: POST });
    const results = await gateway.call([
      { id: 'c', tool: 'next', depends_on: ['b'] },
      { id: 'b', tool: 'next', depends_on: ['a'] },
      { id: 'a', tool: 'first' },
      { id: 'd', tool: 'free' },
    ]);
    expect(results.map(({ id }) => id)).toEqual(['c', 'b', 'a', 'd']);
    expectInfo(results[0]?.error_info, dependencyFailed);
    expectInfo(results[1]?.error_info, dependencyFailed);
    expect(results[1]?.attempts).toBe(0);
    expect(results[3]?.status).toBe('ok');
    expect(asked('next')).toBe(0);
  });

  it.each([
    ['a tool that is not there', { tool: 'nope' }],
    ['arguments that are not taken', { tool: 'first', arguments: '{' }],
  ])('%s fails those that wait', async (_name, call) => {
    const gateway = gatewayWith({ first: POST, next: POST });
    const [, second] = await gateway.call([
      { id: 'a', ...call },
      { id: 'b', tool: 'next', depends_on: ['a'] },
    ]);
    expectInfo(second?.error_info, dependencyFailed);
    expect(asked('next')).toBe(0);
  });

  it('they wait until it is done, with its attempts', async () => {
    const gateway = gatewayWith({
      first: { ...GET3, script: [answer(503), { status: 200, body: {}, delayMs: 30 }] },
      next: GET,
    });
    const results = await gateway.call([
      { id: 'b', tool: 'next', depends_on: ['a'] },
      { id: 'a', tool: 'first' },
    ]);
    expect(results.map(({ status }) => status)).toEqual(['ok', 'ok']);
    expect(upstream.received('next')[0]!.at).toBeGreaterThan(
      upstream.received('first')[1]!.at + 25,
    );
  });

  it('of two, one that fails is enough', async () => {
    const gateway = gatewayWith({
      good: GET,
      bad: { ...GET, script: [answer(400)] },
      next: GET,
    });
    const results = await gateway.call([
      { id: 'g', tool: 'good' },
      { id: 'b', tool: 'bad' },
      { id: 'n', tool: 'next', depends_on: ['g', 'b'] },
    ]);
    expect(results.map(({ error_info }) => error_info?.code ?? 'ok')).toEqual([
      'ok',
      'UPSTREAM_INVALID_REQUEST',
      'DEPENDENCY_FAILED',
    ]);
  });

  it('the deadline of the batch holds for the wait, too', async () => {
    const gateway = gatewayWith({ slow: { ...GET, script: [hang] }, next: GET });
    const results = await gateway.call(
      [
        { id: 'a', tool: 'slow' },
        { id: 'b', tool: 'next', depends_on: ['a'] },
      ],
      { deadline_ms: 80 },
    );
    expect(results[0]?.error_info?.code).toBe('TOOL_TIMEOUT');
    expect(['DEPENDENCY_FAILED', 'TOOL_TIMEOUT']).toContain(results[1]?.error_info?.code);
    expect(results[1]?.error_info?.effect).toBe('not_sent');
    expect(asked('next')).toBe(0);
  });

  it.each([
    ['nobody of that name', [{ id: 'a', tool: 'x', depends_on: ['z'] }]],
    ['itself', [{ id: 'a', tool: 'x', depends_on: ['a'] }]],
    [
      'a circle',
      [
        { id: 'a', tool: 'x', depends_on: ['b'] },
        { id: 'b', tool: 'x', depends_on: ['a'] },
      ],
    ],
    [
      'one of two of that name',
      [
        { id: 'a', tool: 'x' },
        { id: 'a', tool: 'x' },
        { id: 'b', tool: 'x', depends_on: ['a'] },
      ],
    ],
  ])('waiting for %s runs nothing', async (_name, calls) => {
    const gateway = gatewayWith({ x: GET });
    const response = await gateway.app.inject({
      method: 'POST',
      url: '/v1/tool-calls',
      payload: { calls },
    });
    expect(response.statusCode).toBe(400);
    expect(response.json()).toMatchObject({
      error_info: { code: 'PARSER_INVALID_FORMAT', effect: 'not_sent', retryable: false },
    });
    expect(asked('x')).toBe(0);
  });
});
