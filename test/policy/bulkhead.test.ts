import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Outcome } from '../../src/errors/outcome.js';
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
  response,
  settle,
} from './harness.js';

describe('the bulkhead', () => {
  beforeEach(driveClock);
  afterEach(() => vi.useRealTimers());

  const policy = { maxConcurrent: 2, maxQueue: 3, queueTimeoutMs: 400 };
  const tool = makeTool({ bulkhead: policy });

  function start(upstream: ManualUpstream, observer = new Recorder()) {
    const pipeline = makePipeline(tool, upstream.invoke, { observer });
    const send = (client = 'client', options = {}) =>
      pipeline.invoke(makeCall(tool), makeContext({ client, ...options }));
    return { pipeline, send, observer };
  }

  it('never has more upstream than its slots, serves in order, and loses nothing', async () => {
    const upstream = new ManualUpstream();
    const five = makeTool({ bulkhead: { maxConcurrent: 5, maxQueue: 100, queueTimeoutMs: 5000 } });
    const pipeline = makePipeline(five, upstream.invoke);
    const order: string[] = [];
    const all = Array.from({ length: 100 }, (_, i) =>
      pipeline
        .invoke(makeCall(five, { id: `c${i}` }), makeContext())
        .then(() => order.push(`c${i}`)),
    );
    while (order.length < 100) {
      expect(upstream.running).toBeLessThanOrEqual(5);
      upstream.open[0]!.answer(OK);
      await settle();
    }
    await Promise.all(all);
    expect(order).toEqual(Array.from({ length: 100 }, (_, i) => `c${i}`));
    expect(pipeline.snapshot()).toMatchObject({ inFlight: 0, queued: 0 });
    expect(vi.getTimerCount()).toBe(0);
  });

  it('refuses beyond slots and queue, each caller with a later moment', async () => {
    const upstream = new ManualUpstream();
    const { send, pipeline } = start(upstream);
    const waiting = Array.from({ length: 5 }, () => send());
    expect(pipeline.snapshot()).toMatchObject({ inFlight: 2, queued: 3 });
    const refused = await Promise.all([send(), send(), send()]);
    expect(refused[0]).toMatchObject({
      kind: 'bulkhead-full',
      limit: 2,
      queued: 3,
      cause: 'queue_full',
    });
    const times = refused.map((o) => (o.kind === 'bulkhead-full' ? o.retryAfterMs : NaN));
    expect(new Set(times).size).toBe(3);
    expect(times).toEqual([...times].sort((a, b) => a - b));
    while (upstream.open.length > 0) {
      upstream.open[0]!.answer(OK);
      await settle();
    }
    await Promise.all(waiting);
  });

  it('ends a wait in the queue with its own limit, the deadline’s, or a cancellation', async () => {
    const upstream = new ManualUpstream();
    const { send, observer, pipeline } = start(upstream);
    const held = [send(), send()];
    const waits = send();
    const short = send('client', { withinMs: 100 });
    const leaves = makeContext();
    const left = pipeline.invoke(makeCall(tool), leaves);
    leaves.cancellation.cancel('client_left');
    expect(await left).toEqual({ kind: 'cancelled', reason: 'client_left', phase: 'queued' });
    await advance(100);
    expect(await short).toEqual({
      kind: 'timeout',
      scope: 'deadline',
      phase: 'queued',
      timeoutMs: 100,
    });
    await advance(300);
    expect(await waits).toMatchObject({ kind: 'bulkhead-full', cause: 'queue_timeout' });
    expect(observer.waits).toEqual([0, 100, 400]);
    expect(pipeline.snapshot()).toMatchObject({ inFlight: 2, queued: 0 });
    await advance(600);
    await Promise.all(held);
    expect(upstream.calls).toBe(2);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('counts the wait as part of the call’s time', async () => {
    const upstream = new ManualUpstream();
    const { send, pipeline } = start(upstream);
    void send();
    void send();
    const ctx = makeContext({ withinMs: 500 });
    const waits = pipeline.invoke(makeCall(tool), ctx);
    await advance(300);
    upstream.open[0]!.answer(OK);
    await settle();
    await advance(200);
    expect(await waits).toMatchObject({
      kind: 'timeout',
      scope: 'deadline',
      phase: 'awaiting_headers',
    });
  });

  it('keeps the slot of work that outlives its call', async () => {
    const upstream = new ManualUpstream();
    const one = makeTool({
      timeoutMs: 100,
      bulkhead: { maxConcurrent: 1, maxQueue: 5, queueTimeoutMs: 5000 },
    });
    const pipeline = makePipeline(one, upstream.invoke);
    const first = pipeline.invoke(makeCall(one), makeContext());
    await advance(100);
    expect(await first).toMatchObject({ kind: 'timeout' });
    const second = pipeline.invoke(makeCall(one), makeContext());
    await advance(1000);
    expect([upstream.calls, pipeline.snapshot().inFlight, pipeline.snapshot().queued]).toEqual([
      1, 1, 1,
    ]);
    upstream.open[0]!.answer(OK);
    await settle();
    expect([upstream.calls, upstream.peak]).toEqual([2, 1]);
    upstream.open[0]!.answer(OK);
    expect(await second).toEqual(OK);
    expect(pipeline.snapshot().inFlight).toBe(0);
  });

  it('serves clients in turn, whoever queued first', async () => {
    const upstream = new ManualUpstream();
    const wide = makeTool({ bulkhead: { maxConcurrent: 1, maxQueue: 10, queueTimeoutMs: 5000 } });
    const pipeline = makePipeline(wide, upstream.invoke);
    const send = (client: string) => pipeline.invoke(makeCall(wide), makeContext({ client }));
    const all = ['a', 'a', 'a', 'a', 'b', 'c', 'b'].map(send);
    const served: string[] = [];
    while (upstream.open.length > 0) {
      served.push(upstream.open[0]!.attempt.ctx.client);
      upstream.open[0]!.answer(OK);
      await settle();
    }
    expect(served).toEqual(['a', 'a', 'b', 'c', 'a', 'b', 'a']);
    await Promise.all(all);
  });

  it('takes a place from the client that holds most, rather than refuse one that holds none', async () => {
    const upstream = new ManualUpstream();
    const { send, pipeline } = start(upstream);
    const greedy = Array.from({ length: 5 }, () => send('greedy'));
    const modest = send('modest');
    expect(await greedy[4]).toMatchObject({ kind: 'bulkhead-full', cause: 'queue_full' });
    expect(pipeline.snapshot().queued).toBe(3);
    expect(await send('greedy')).toMatchObject({ kind: 'bulkhead-full' });
    while (upstream.open.length > 0) {
      upstream.open[0]!.answer(OK);
      await settle();
    }
    expect((await modest).kind).toBe('ok');
  });

  it('stands outside the breaker: 100 calls on one slot open nothing', async () => {
    const breaker = {
      windowMs: 10_000,
      minCalls: 5,
      failureRate: 0.5,
      openMs: 1000,
      halfOpenProbes: 1,
      scope: 'tool',
    } as const;
    const narrow = makeTool({
      breaker,
      bulkhead: { maxConcurrent: 1, maxQueue: 0, queueTimeoutMs: 10 },
    });
    const upstream = new ManualUpstream();
    const pipeline = makePipeline(narrow, upstream.invoke);
    const all = Array.from({ length: 100 }, () => pipeline.invoke(makeCall(narrow), makeContext()));
    upstream.open[0]!.answer(OK);
    const kinds = (await Promise.all(all)).map((outcome) => outcome.kind);
    expect(kinds.filter((kind) => kind === 'bulkhead-full')).toHaveLength(99);
    expect(upstream.peak).toBe(1);
    expect(pipeline.snapshot().breaker?.state).toBe('closed');
  });

  it('advises from measured service time, and keeps the place of who comes then', async () => {
    const steady = makeTool({
      timeoutMs: 10_000,
      bulkhead: { maxConcurrent: 4, maxQueue: 8, queueTimeoutMs: 5000 },
    });
    const pipeline = makePipeline(steady, (_call, attempt) => {
      attempt.phase = 'awaiting_headers';
      return new Promise((resolve) =>
        setTimeout(() => {
          resolve(OK);
        }, 200),
      );
    });
    let refusals = 0;
    let advised = 0;
    let kept = 0;
    const agent = async (name: string) => {
      for (let n = 0; n < 10; n += 1) {
        let told = false;
        for (;;) {
          const outcome: Outcome = await pipeline.invoke(
            makeCall(steady, { id: `call-${n}` }),
            makeContext({ runId: name }),
          );
          if (told) advised += 1;
          if (outcome.kind === 'ok') {
            if (told) kept += 1;
            break;
          }
          if (outcome.kind !== 'bulkhead-full') throw new Error(outcome.kind);
          refusals += 1;
          told = true;
          await new Promise((resolve) => setTimeout(resolve, outcome.retryAfterMs));
        }
      }
    };
    const from = performance.now();
    const agents = Promise.all(Array.from({ length: 40 }, (_, i) => agent(`run-${i}`)));
    while (pipeline.snapshot().inFlight > 0 || vi.getTimerCount() > 0)
      await vi.advanceTimersByTimeAsync(5);
    await agents;
    // 400 calls of 200 ms on 4 slots take 20 s at best.
    expect(performance.now() - from).toBeLessThan(21_500);
    expect(kept / advised).toBeGreaterThan(0.95);
    expect(refusals).toBeGreaterThan(200);
  });

  it('lets who comes at its time wait beyond the queue rather than refuse it again', async () => {
    const strict = makeTool({ bulkhead: { maxConcurrent: 1, maxQueue: 0, queueTimeoutMs: 5000 } });
    const upstream = new ManualUpstream();
    const pipeline = makePipeline(strict, upstream.invoke);
    const come = (runId: string) => pipeline.invoke(makeCall(strict), makeContext({ runId }));
    const first = come('first');
    const told = await come('told');
    const also = await come('also');
    expect([told.kind, also.kind]).toEqual(['bulkhead-full', 'bulkhead-full']);
    await advance(told.kind === 'bulkhead-full' ? told.retryAfterMs : 0);
    const waits = come('told');
    expect(pipeline.snapshot()).toMatchObject({ inFlight: 1, queued: 1 });
    // Nobody else may: not a stranger, and no second one.
    expect(await come('stranger')).toMatchObject({ kind: 'bulkhead-full' });
    await advance(60);
    expect(await come('also')).toMatchObject({ kind: 'bulkhead-full' });
    upstream.open[0]!.answer(OK);
    expect(await first).toEqual(OK);
    upstream.open[0]!.answer(OK);
    expect(await waits).toEqual(OK);
  });

  it('lets no failure leak a slot', async () => {
    const outcomes = [response(503), OK, response(404)];
    let n = 0;
    const pipeline = makePipeline(tool, () => {
      n += 1;
      if (n % 4 === 0) throw new Error('broken');
      return Promise.resolve({ ...outcomes[n % 3]! });
    });
    for (let i = 0; i < 50; i += 1) await pipeline.invoke(makeCall(tool), makeContext());
    expect(pipeline.snapshot().inFlight).toBe(0);
  });
});
