import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Outcome } from '../../src/errors/outcome.js';
import { CallLimiter, RateLimiter } from '../../src/policy/token-bucket.js';
import type { Caller } from '../../src/policy/turns.js';
import {
  advance,
  driveClock,
  makeCall,
  makeContext,
  makePipeline,
  makeTool,
  OK,
  Recorder,
  response,
  scripted,
} from './harness.js';

const run =
  (name: string, call = 'c') =>
  (): Caller => ({ group: `client\u0000${name}`, key: call });
const nobody = (): Caller => ({ group: '', key: undefined });

describe('the limiter', () => {
  beforeEach(driveClock);
  afterEach(() => vi.useRealTimers());

  it('admits the burst at once, then no more than the rate: no boundary burst', () => {
    const limiter = new RateLimiter({ calls: 5, perMs: 50, burst: 5 });
    let admitted = 0;
    for (let ms = 0; ms < 40; ms += 1) {
      for (let i = 0; i < 10; i += 1) if (limiter.take(nobody) <= 0) admitted += 1;
      vi.advanceTimersByTime(1);
    }
    // 5 at once and 4 in 40 ms; a fixed window would have let 9 through within it and 5 more after.
    expect(admitted).toBeLessThanOrEqual(5 + 4);
    expect(admitted).toBeGreaterThanOrEqual(8);
  });

  it('tells the k-th refused caller the k-th free token, and has it then', () => {
    const limiter = new RateLimiter({ calls: 10, perMs: 1000, burst: 2 });
    expect([limiter.take(run('a')), limiter.take(run('b'))]).toEqual([0, 0]);
    const names = ['c', 'd', 'e', 'f'];
    expect(names.map((name) => limiter.take(run(name)))).toEqual([100, 200, 300, 400]);
    for (const name of names) {
      vi.advanceTimersByTime(100);
      expect(limiter.take(run(`before ${name}`))).toBeGreaterThan(0);
      expect(limiter.take(run(name))).toBe(0);
    }
  });

  it('tells who comes early the same moment, as often as it comes', () => {
    const limiter = new RateLimiter({ calls: 1, perMs: 1000, burst: 1 });
    limiter.take(nobody);
    expect(limiter.take(run('a'))).toBe(1000);
    expect(limiter.take(run('b'))).toBe(2000);
    vi.advanceTimersByTime(300);
    expect([limiter.take(run('a')), limiter.take(run('a')), limiter.take(run('b'))]).toEqual([
      700, 700, 1700,
    ]);
    expect(limiter.take(run('a', 'another call'))).toBe(2700);
  });

  it('lets any call of a run take the turn that is due', () => {
    const limiter = new RateLimiter({ calls: 1, perMs: 1000, burst: 1 });
    limiter.take(nobody);
    limiter.take(run('a', 'id-1'));
    vi.advanceTimersByTime(1000);
    expect(limiter.take(run('a', 'id-2'))).toBe(0);
  });

  it('gives a turn that nobody took to whoever comes, after a while', () => {
    const limiter = new RateLimiter({ calls: 10, perMs: 1000, burst: 10 });
    for (let i = 0; i < 10; i += 1) limiter.take(nobody);
    expect(limiter.take(run('no-show'))).toBe(100);
    vi.advanceTimersByTime(150);
    expect(limiter.take(run('eager'))).toBeGreaterThan(0);
    vi.advanceTimersByTime(600);
    expect(limiter.state().promised).toBe(0);
    expect(limiter.take(run('late'))).toBe(0);
  });

  it('keeps nothing where nobody keeps to it: the rate is used all the same', () => {
    const limiter = new RateLimiter({ calls: 10, perMs: 1000, burst: 1 });
    let admitted = 0;
    // 50 callers that poll every second, whatever they were told.
    for (let ms = 0; ms < 60_000; ms += 20) {
      if (limiter.take(run(`poller-${(ms / 20) % 50}`)) <= 0) admitted += 1;
      vi.advanceTimersByTime(20);
    }
    expect(admitted).toBeGreaterThan(0.8 * 600);
  });

  it('does not let one run’s flood push out everybody else’s turn without end', () => {
    const limiter = new RateLimiter({ calls: 10, perMs: 1000, burst: 1 });
    limiter.take(nobody);
    for (let i = 0; i < 5000; i += 1) limiter.take(run('flood', `call-${i}`));
    expect(limiter.state().promised).toBe(300);
    expect(limiter.take(run('honest'))).toBeLessThanOrEqual(30_100);
  });

  it('keeps a bounded number of turns', () => {
    const limiter = new RateLimiter({ calls: 1, perMs: 1000, burst: 1 });
    for (let i = 0; i < 20_000; i += 1) limiter.take(run(`r${i}`));
    expect(limiter.state().promised).toBe(10_000);
  });

  it('lets a punctual caller wait a moment inside where the one before it came late', async () => {
    const tool = makeTool({ rateLimit: { calls: 10, perMs: 1000, burst: 1 } });
    const upstream = scripted(OK);
    const pipeline = makePipeline(tool, upstream.invoke);
    const from = performance.now();
    const come = (runId: string) => pipeline.invoke(makeCall(tool), makeContext({ runId }));
    await come('first');
    expect(await come('late')).toMatchObject({ retryAfterMs: 100 });
    expect(await come('punctual')).toMatchObject({ retryAfterMs: 200 });
    await advance(130);
    expect(await come('late')).toMatchObject({ kind: 'ok' });
    await advance(70);
    const punctual = come('punctual');
    await advance(30);
    expect(await punctual).toMatchObject({ kind: 'ok' });
    expect(upstream.at.map((at) => at - from)).toEqual([0, 130, 230]);
  });

  it('lets it wait no longer than it has time, and takes the token back then', async () => {
    const tool = makeTool({ rateLimit: { calls: 10, perMs: 1000, burst: 1 } });
    const upstream = scripted(OK);
    const pipeline = makePipeline(tool, upstream.invoke);
    const come = (runId: string, withinMs = 1000) =>
      pipeline.invoke(makeCall(tool), makeContext({ runId, withinMs }));
    await come('first');
    await come('late');
    await come('punctual');
    await advance(130);
    await come('late');
    await advance(70);
    const ended: Outcome[] = [];
    void come('punctual', 10).then((outcome) => ended.push(outcome));
    await advance(11);
    expect(ended).toMatchObject([{ kind: 'timeout', phase: 'queued' }]);
    await advance(19);
    expect(pipeline.snapshot().rateLimit).toEqual({ tokens: 1, promised: 0 });
    expect(upstream.calls).toBe(2);
  });

  it('gives the token back of a call that never reached the upstream', async () => {
    const breaker = {
      windowMs: 10_000,
      minCalls: 1,
      failureRate: 0.5,
      openMs: 60_000,
      halfOpenProbes: 1,
      scope: 'tool',
    } as const;
    const tool = makeTool({ rateLimit: { calls: 5, perMs: 60_000, burst: 5 }, breaker });
    const pipeline = makePipeline(tool, scripted(response(503)).invoke);
    for (let i = 0; i < 20; i += 1) await pipeline.invoke(makeCall(tool), makeContext());
    expect(pipeline.snapshot().rateLimit).toEqual({ tokens: 4, promised: 0 });
  });

  it('refuses with its limit, counted', async () => {
    const tool = makeTool({ rateLimit: { calls: 2, perMs: 1000, burst: 1 } });
    const observer = new Recorder();
    const upstream = scripted(OK);
    const pipeline = makePipeline(tool, upstream.invoke, { observer });
    await pipeline.invoke(makeCall(tool), makeContext());
    expect(await pipeline.invoke(makeCall(tool), makeContext())).toEqual({
      kind: 'rate-limited',
      scope: 'tool',
      retryAfterMs: 500,
      limit: 2,
    });
    expect([upstream.calls, observer.limited]).toEqual([1, ['tool']]);
    await advance(500);
    expect(await pipeline.invoke(makeCall(tool), makeContext())).toMatchObject({ kind: 'ok' });
  });
});

describe('a client’s limiter', () => {
  beforeEach(driveClock);
  afterEach(() => vi.useRealTimers());

  it('counts calls, and tells each refused one a moment of its own', () => {
    const limiter = new CallLimiter({ calls: 3, perMs: 300 });
    expect([1, 2, 3].map(() => limiter.take().admitted)).toEqual([true, true, true]);
    expect([1, 2].map(() => limiter.take())).toEqual([
      { admitted: false, retryAfterMs: 100, limit: 3 },
      { admitted: false, retryAfterMs: 200, limit: 3 },
    ]);
    vi.advanceTimersByTime(100);
    expect(limiter.take().admitted).toBe(true);
  });
});
