import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Outcome } from '../../src/errors/outcome.js';
import { createMemoryState } from '../../src/state/memory.js';
import {
  advance,
  driveClock,
  makeCall,
  makeContext,
  makePipeline,
  makeTool,
  ManualUpstream,
  OK,
  Recorder,
  refusedConnection,
  reset,
  response,
  scripted,
  settle,
  type ContextOptions,
} from './harness.js';

const RETRY = { maxAttempts: 3, baseMs: 50, maxMs: 500, maxWaitMs: 2000 };

describe('retries', () => {
  beforeEach(driveClock);
  afterEach(() => vi.useRealTimers());

  const idempotent = makeTool({ retry: RETRY });
  const writing = makeTool({ retry: RETRY }, { idempotent: false });

  async function run(
    tool: typeof idempotent,
    script: readonly Outcome[],
    options: ContextOptions = {},
    deps: Parameters<typeof makePipeline>[2] = {},
  ) {
    const upstream = scripted(...script);
    const observer = new Recorder();
    const pipeline = makePipeline(tool, upstream.invoke, { observer, ...deps });
    const ctx = makeContext(options);
    const from = performance.now();
    const running = pipeline.invoke(makeCall(tool), ctx);
    await settle();
    for (let i = 0; i < 200 && vi.getTimerCount() > 0; i += 1) await advance(50);
    const outcome = await running;
    return { outcome, ctx, upstream, observer, gaps: upstream.at.map((at) => at - from) };
  }

  it('stops at max_attempts, and says so (X03)', async () => {
    const { outcome, ctx, upstream, observer } = await run(idempotent, [response(503)]);
    expect(outcome).toMatchObject({ status: 503 });
    expect([upstream.calls, ctx.attempts, ctx.retryStoppedBy]).toEqual([3, 3, 'max_attempts']);
    expect(ctx.attemptLog).toEqual(
      Array(3).fill({ code: 'UPSTREAM_UNAVAILABLE', status: 503, duration_ms: 0 }),
    );
    expect(observer.retries).toEqual(['UPSTREAM_UNAVAILABLE', 'UPSTREAM_UNAVAILABLE']);
    expect(ctx.effectMayHaveHappened).toBe(true);
  });

  it('ends with the first success', async () => {
    const { outcome, ctx } = await run(idempotent, [response(503), OK]);
    expect(outcome).toEqual(OK);
    expect([ctx.attempts, ctx.retryStoppedBy]).toEqual([2, undefined]);
  });

  it('backs off with full jitter: a random part of base x 2^n, capped', async () => {
    const tool = makeTool({ retry: { ...RETRY, maxAttempts: 6, maxMs: 300 } });
    for (const random of [0.1, 0.5, 0.999]) {
      const { gaps } = await run(tool, [response(503)], {}, { random: () => random });
      const waits = gaps.slice(1).map((at, i) => at - gaps[i]!);
      const ceilings = [50, 100, 200, 300, 300];
      expect(waits).toEqual(ceilings.map((ceiling) => Math.ceil(ceiling * random)));
    }
  });

  it('never repeats a call whose effect is unknown and unsafe to repeat (C08, C09)', async () => {
    const { ctx, upstream } = await run(writing, [reset()]);
    expect([upstream.calls, ctx.retryStoppedBy]).toEqual([1, 'unsafe_to_repeat']);
    const hung = makeTool({ retry: RETRY, timeoutMs: 300 }, { idempotent: false });
    const manual = new ManualUpstream();
    const timedOut = makeContext();
    const running = makePipeline(hung, manual.invoke).invoke(makeCall(hung), timedOut);
    await advance(300);
    expect(await running).toMatchObject({ kind: 'timeout', scope: 'attempt' });
    expect([manual.calls, timedOut.retryStoppedBy]).toEqual([1, 'unsafe_to_repeat']);
  });

  it('repeats what was never sent, or refused before execution, whatever the tool (C09)', async () => {
    const refused = await run(writing, [refusedConnection()]);
    expect([refused.upstream.calls, refused.ctx.retryStoppedBy]).toEqual([3, 'max_attempts']);
    expect(refused.ctx.effectMayHaveHappened).toBe(false);
    const limited = await run(writing, [response(429, { 'retry-after': '1' }), OK]);
    expect([limited.upstream.calls, limited.outcome.kind]).toEqual([2, 'ok']);
  });

  it.each<[Outcome, string]>([
    [response(404), 'not_retryable'],
    [response(401), 'not_retryable'],
    [response(503, { 'x-should-retry': 'false' }), 'upstream_said_no'],
  ])('does not repeat %o', async (outcome, stoppedBy) => {
    const { ctx, upstream } = await run(idempotent, [outcome]);
    expect([upstream.calls, ctx.retryStoppedBy]).toEqual([1, stoppedBy]);
  });

  it('leaves the one repetition of a misdirected request to the upstream', async () => {
    const { ctx, upstream } = await run(idempotent, [response(421)]);
    expect([upstream.calls, ctx.retryStoppedBy]).toEqual([1, 'max_attempts']);
  });

  it('waits a hint out whole, keeps the informative failure, and passes the gate it closed (X04)', async () => {
    const { outcome, ctx, gaps } = await run(idempotent, [
      response(429, { 'retry-after': '1' }),
      reset(),
    ]);
    expect(outcome).toMatchObject({ kind: 'transport' });
    expect(gaps[1]).toBeGreaterThanOrEqual(1000);
    expect(ctx.attemptLog).toEqual([
      { code: 'TOOL_RATE_LIMITED', status: 429, duration_ms: 0, retry_after_ms: 1000 },
      { code: 'TOOL_TRANSPORT_ERROR', duration_ms: 0 },
      { code: 'TOOL_TRANSPORT_ERROR', duration_ms: 0 },
    ]);
  });

  it('does not sleep through a hint beyond max_wait_ms or the time left (C03)', async () => {
    for (const [seconds, withinMs] of [
      [3600, 60_000],
      [2, 1500],
      [3, 60_000],
    ] as const) {
      const from = performance.now();
      const { ctx, upstream } = await run(
        idempotent,
        [response(429, { 'retry-after': `${seconds}` })],
        { withinMs },
      );
      expect([upstream.calls, ctx.retryStoppedBy]).toEqual([1, 'retry_after_exceeds_deadline']);
      expect(performance.now() - from).toBe(0);
    }
  });

  it('waits on for a gate that was closed for longer, but not over the deadline', async () => {
    const retry = { maxAttempts: 3, baseMs: 5000, maxMs: 5000, maxWaitMs: 60_000 };
    const tool = makeTool({ retry });
    const upstream = new ManualUpstream();
    const pipeline = makePipeline(tool, upstream.invoke, { random: () => 0.9 });
    const ended: Outcome[] = [];
    const hinted = (ms: number) => response(429, { 'retry-after-ms': `${ms}` });
    const short = pipeline.invoke(makeCall(tool), makeContext({ withinMs: 2500 }));
    void short.then((outcome) => ended.push(outcome));
    void pipeline.invoke(makeCall(tool), makeContext());
    await settle();
    upstream.open[0]!.answer(hinted(1000));
    await advance(900);
    upstream.open[0]!.answer(hinted(1300));
    await advance(1599);
    expect(upstream.calls).toBe(3);
    await advance(1);
    expect(ended).toMatchObject([{ kind: 'timeout', scope: 'deadline' }]);
  });

  it('does not start a backoff that ends after the deadline', async () => {
    const { ctx, upstream } = await run(idempotent, [response(503)], { withinMs: 20 });
    expect([upstream.calls, ctx.retryStoppedBy]).toEqual([1, 'deadline']);
  });

  it('never repeats a refusal of the gateway itself', async () => {
    const tool = makeTool({ retry: RETRY, rateLimit: { calls: 1, perMs: 1000, burst: 1 } });
    const upstream = scripted(OK);
    const pipeline = makePipeline(tool, upstream.invoke);
    await pipeline.invoke(makeCall(tool), makeContext());
    const ctx = makeContext();
    expect(await pipeline.invoke(makeCall(tool), ctx)).toMatchObject({ kind: 'rate-limited' });
    expect([upstream.calls, ctx.attempts, ctx.attemptLog, ctx.retryStoppedBy]).toEqual([
      1,
      0,
      undefined,
      undefined,
    ]);
  });

  it('ends the backoff with a cancellation, and leaves nothing behind', async () => {
    const upstream = scripted(response(503));
    const ctx = makeContext();
    const running = makePipeline(idempotent, upstream.invoke).invoke(makeCall(idempotent), ctx);
    await settle();
    expect(ctx.cancellation.listenerCount).toBe(1);
    ctx.cancellation.cancel('client_left');
    expect(await running).toEqual({ kind: 'cancelled', reason: 'client_left', phase: 'queued' });
    expect([upstream.calls, vi.getTimerCount(), ctx.effectMayHaveHappened]).toEqual([1, 0, true]);
  });

  it('holds no slot while it backs off', async () => {
    const tool = makeTool({
      retry: RETRY,
      bulkhead: { maxConcurrent: 1, maxQueue: 0, queueTimeoutMs: 1 },
    });
    const pipeline = makePipeline(tool, scripted(response(503), OK, OK).invoke);
    const first = pipeline.invoke(makeCall(tool), makeContext());
    await settle();
    expect(await pipeline.invoke(makeCall(tool), makeContext())).toEqual(OK);
    await advance(100);
    expect(await first).toEqual(OK);
  });

  it('costs a dead upstream at most a fifth more calls than there are (X03)', async () => {
    const upstream = scripted(response(503));
    const pipeline = makePipeline(idempotent, upstream.invoke);
    const contexts = Array.from({ length: 200 }, () => makeContext());
    const all = contexts.map((ctx) => pipeline.invoke(makeCall(idempotent), ctx));
    await advance(5000);
    await Promise.all(all);
    expect(upstream.calls).toBe(200 + Math.floor(500 / 14));
    expect(upstream.calls).toBeLessThanOrEqual(200 * 1.2 + 10);
    expect(contexts.at(-1)!.retryStoppedBy).toBe('budget');
  });

  it('gives the budget back, a token a success', async () => {
    let answer: Outcome = response(503);
    const pipeline = makePipeline(idempotent, scripted(() => ({ ...answer })).invoke);
    const failing = Array.from({ length: 100 }, () =>
      pipeline.invoke(makeCall(idempotent), makeContext()),
    );
    await advance(5000);
    await Promise.all(failing);
    expect(pipeline.snapshot().retryBudget).toEqual({ tokens: 500 - 35 * 14, of: 500 });
    answer = OK;
    for (let i = 0; i < 4; i += 1) await pipeline.invoke(makeCall(idempotent), makeContext());
    expect(pipeline.snapshot().retryBudget.tokens).toBe(14);
    for (let i = 0; i < 600; i += 1) await pipeline.invoke(makeCall(idempotent), makeContext());
    expect(pipeline.snapshot().retryBudget.tokens).toBe(500);
  });

  it('lets one run have so many retries of one tool, across its batches, and forgets in time', async () => {
    const tool = makeTool({ retry: RETRY, maxToolAttempts: 3 });
    const state = createMemoryState();
    const stops: unknown[] = [];
    const one = async (runId: string | undefined) => {
      const options = runId === undefined ? {} : { runId };
      const { ctx } = await run(tool, [response(503)], options, { state });
      stops.push([ctx.attempts, ctx.retryStoppedBy]);
    };
    for (const runId of ['r', 'r', 'r', 'other', undefined]) await one(runId);
    await advance(3_700_000);
    await one('r');
    expect(stops).toEqual([
      [3, 'max_attempts'],
      [2, 'budget'],
      [1, 'budget'],
      [3, 'max_attempts'],
      [3, 'max_attempts'],
      [3, 'max_attempts'],
    ]);
  });

  it('lets no run that has used its own budget spend the tool’s', async () => {
    const tool = makeTool({ retry: RETRY, maxToolAttempts: 1 });
    const pipeline = makePipeline(tool, scripted(response(503)).invoke);
    for (let i = 0; i < 40; i += 1) {
      const running = pipeline.invoke(makeCall(tool), makeContext({ runId: 'r' }));
      await advance(100);
      await running;
    }
    expect(pipeline.snapshot().retryBudget.tokens).toBe(500 - 14);
  });

  it('does not retry for a run whose budget cannot be asked', async () => {
    const heard: unknown[] = [];
    const state = {
      ...createMemoryState(),
      runBudgets: { take: () => Promise.reject(new Error('down')) },
    };
    const deps = { state, onInternalError: (error: unknown) => heard.push(error) };
    const { ctx, upstream } = await run(idempotent, [response(503)], { runId: 'r' }, deps);
    expect([upstream.calls, ctx.retryStoppedBy, heard.length]).toEqual([1, 'budget', 1]);
  });
});
