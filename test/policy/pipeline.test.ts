import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { CallContext } from '../../src/call.js';
import type { Outcome } from '../../src/errors/outcome.js';
import {
  advance,
  driveClock,
  makeCall,
  makeContext,
  makePipeline,
  makeTool,
  OK,
  Recorder,
  refusedConnection,
  reset,
  response,
} from './harness.js';

describe('the pipeline', () => {
  beforeEach(driveClock);
  afterEach(() => vi.useRealTimers());

  const everything = makeTool(
    {
      timeoutMs: 200,
      retry: { maxAttempts: 3, baseMs: 20, maxMs: 100, maxWaitMs: 500 },
      breaker: {
        windowMs: 1000,
        minCalls: 10,
        failureRate: 0.6,
        openMs: 100,
        halfOpenProbes: 2,
        scope: 'tool',
      },
      bulkhead: { maxConcurrent: 8, maxQueue: 16, queueTimeoutMs: 150 },
      rateLimit: { calls: 400, perMs: 1000, burst: 100 },
    },
    { cache: { ttlMs: 50, maxBytes: 50_000, perClient: true } },
  );

  it('leaks no slot, permit, timer or listener over 10 000 calls of every fate', async () => {
    let seed = 7;
    const random = (): number => {
      seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
      return seed / 2_147_483_648;
    };
    const fates: (() => Outcome)[] = [
      () => OK,
      () => OK,
      () => OK,
      () => response(503),
      () => response(429, { 'retry-after-ms': '20' }),
      () => response(404),
      reset,
      refusedConnection,
    ];
    const late: NodeJS.Timeout[] = [];
    const observer = new Recorder();
    const pipeline = makePipeline(
      everything,
      (_call, attempt) => {
        attempt.phase = 'awaiting_headers';
        const pick = random();
        if (pick < 0.01) throw new Error('broken upstream');
        if (pick < 0.02) return Promise.reject(new Error('broken upstream'));
        return new Promise((resolve) => {
          // Some answer at once, some late, some long after they were given up.
          const after = pick < 0.2 ? 0 : pick < 0.95 ? random() * 40 : 150 + random() * 150;
          late.push(
            setTimeout(() => resolve(fates[Math.floor(random() * fates.length)]!()), after),
          );
        });
      },
      { observer, random },
    );
    const contexts: CallContext[] = [];
    const kinds = new Map<string, number>();
    const running: Promise<void>[] = [];
    for (let n = 0; n < 10_000; n += 1) {
      const client = `client-${Math.floor(random() * 3)}`;
      const keyed = random() < 0.2;
      const ctx = makeContext({
        client,
        withinMs: random() < 0.1 ? random() * 50 : 1000,
        ...(random() < 0.5 && { runId: `run-${n % 50}` }),
      });
      contexts.push(ctx);
      const call = makeCall(everything, {
        id: `c${n % 7}`,
        arguments: { n: Math.floor(random() * 2000) },
        ...(keyed && { idempotencyKey: `k${Math.floor(random() * 500)}` }),
      });
      running.push(
        pipeline.invoke(call, ctx).then((outcome) => {
          kinds.set(outcome.kind, (kinds.get(outcome.kind) ?? 0) + 1);
        }),
      );
      if (random() < 0.1) ctx.cancellation.cancel('client_left');
      if (random() < 0.3) vi.advanceTimersByTime(random() * 20);
      if (n % 50 === 0) await advance(5);
    }
    await advance(5000);
    await Promise.all(running);
    pipeline.close();
    expect(contexts.filter((ctx) => ctx.cancellation.listenerCount > 0)).toEqual([]);
    expect(pipeline.snapshot()).toMatchObject({ inFlight: 0, queued: 0 });
    expect(vi.getTimerCount()).toBe(0);
    // The run was worth it: every kind of end occurred.
    for (const kind of [
      'ok',
      'response',
      'transport',
      'timeout',
      'cancelled',
      'internal',
      'rate-limited',
      'bulkhead-full',
      'circuit-open',
      'idempotency-conflict',
    ]) {
      expect([kind, kinds.get(kind) ?? 0]).not.toEqual([kind, 0]);
    }
    expect(observer.states).toContain('closed');
  });

  it('says how it stands', async () => {
    const pipeline = makePipeline(everything, () => Promise.resolve(OK));
    await pipeline.invoke(makeCall(everything), makeContext());
    expect(pipeline.snapshot()).toEqual({
      breaker: { state: 'closed', failureCount: 0, retryAfterMs: null },
      inFlight: 0,
      queued: 0,
      cooldownMs: 0,
      rateLimit: { tokens: 99, promised: 0 },
      retryBudget: { tokens: 500, of: 500 },
    });
    const bare = makePipeline(makeTool(), () => Promise.resolve(OK));
    expect(bare.snapshot()).toMatchObject({ breaker: null, rateLimit: null });
    bare.forceBreaker('open');
    expect(await bare.invoke(makeCall(makeTool()), makeContext())).toEqual(OK);
  });
});
