import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Outcome } from '../../src/errors/outcome.js';
import { CooldownGate } from '../../src/policy/cooldown.js';
import type { Pipeline } from '../../src/policy/pipeline.js';
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
  scripted,
  settle,
} from './harness.js';

describe('the cooldown gate', () => {
  beforeEach(driveClock);
  afterEach(() => vi.useRealTimers());

  const tool = makeTool();
  const limited = (seconds: number) => response(429, { 'retry-after': `${seconds}` });

  it('stops calls locally until the upstream’s own time, then lets them through', async () => {
    const upstream = scripted(limited(2), OK);
    const observer = new Recorder();
    const pipeline = makePipeline(tool, upstream.invoke, { observer });
    await pipeline.invoke(makeCall(tool), makeContext());
    expect(pipeline.snapshot().cooldownMs).toBe(2000);
    await advance(500);
    expect(await pipeline.invoke(makeCall(tool), makeContext())).toEqual({
      kind: 'rate-limited',
      scope: 'cooldown',
      retryAfterMs: 1500,
      limit: null,
    });
    expect([upstream.calls, observer.limited]).toEqual([1, ['cooldown']]);
    await advance(1500);
    expect(await pipeline.invoke(makeCall(tool), makeContext())).toEqual(OK);
    expect(pipeline.snapshot().cooldownMs).toBe(0);
  });

  it('tells the first one that it refused the end of each pause itself', async () => {
    const pipeline = makePipeline(tool, scripted(limited(2), limited(3), OK).invoke);
    const told = async () => {
      const outcome = await pipeline.invoke(makeCall(tool), makeContext());
      return outcome.kind === 'rate-limited' ? outcome.retryAfterMs : NaN;
    };
    await pipeline.invoke(makeCall(tool), makeContext());
    expect([await told(), await told()]).toEqual([2000, expect.closeTo(2062, 0)]);
    await advance(2000);
    await pipeline.invoke(makeCall(tool), makeContext());
    expect(await told()).toBe(3000);
  });

  it('extends, and never shrinks', async () => {
    const upstream = new ManualUpstream();
    const pipeline = makePipeline(tool, upstream.invoke);
    const all = [1, 2, 3].map(() => pipeline.invoke(makeCall(tool), makeContext()));
    const [first, second, third] = [...upstream.open];
    first!.answer(limited(3));
    await settle();
    second!.answer(limited(1));
    await settle();
    expect(pipeline.snapshot().cooldownMs).toBe(3000);
    third!.answer(limited(5));
    await settle();
    expect(pipeline.snapshot().cooldownMs).toBe(5000);
    await Promise.all(all);
  });

  it('closes on 503 with a time, not without', async () => {
    const plain = makePipeline(tool, scripted(response(503)).invoke);
    await plain.invoke(makeCall(tool), makeContext());
    expect(plain.snapshot().cooldownMs).toBe(0);
    const timed = makePipeline(tool, scripted(response(503, { 'retry-after': '4' })).invoke);
    await timed.invoke(makeCall(tool), makeContext());
    expect(timed.snapshot().cooldownMs).toBe(4000);
  });

  it('holds those back, too, that waited for a slot while it closed', async () => {
    const narrow = makeTool({ bulkhead: { maxConcurrent: 1, maxQueue: 5, queueTimeoutMs: 5000 } });
    const upstream = new ManualUpstream();
    const pipeline = makePipeline(narrow, upstream.invoke);
    const first = pipeline.invoke(makeCall(narrow), makeContext());
    const queued = [1, 2, 3].map(() => pipeline.invoke(makeCall(narrow), makeContext()));
    upstream.open[0]!.answer(limited(1));
    await first;
    const kinds = (await Promise.all(queued)).map((outcome) => outcome.kind);
    expect([kinds, upstream.calls]).toEqual([Array(3).fill('rate-limited'), 1]);
  });

  it('tells refused callers moments one after another, and early ones the same again', async () => {
    const paced = makeTool({ rateLimit: { calls: 10, perMs: 1000, burst: 10 } });
    const pipeline = makePipeline(paced, scripted(limited(1), OK).invoke);
    await pipeline.invoke(makeCall(paced), makeContext());
    const told = async (runId: string) => {
      const outcome = await pipeline.invoke(makeCall(paced), makeContext({ runId }));
      return outcome.kind === 'rate-limited' ? outcome.retryAfterMs : NaN;
    };
    expect([await told('a'), await told('b'), await told('c')]).toEqual([1000, 1100, 1200]);
    await advance(300);
    expect([await told('b'), await told('a'), await told('d')]).toEqual([800, 700, 1000]);
    expect(pipeline.snapshot().rateLimit).toEqual({ tokens: 10, promised: 0 });
  });

  it('lets nobody pass those it refused, and is just open once they came', async () => {
    const paced = makeTool({ rateLimit: { calls: 10, perMs: 1000, burst: 10 } });
    const upstream = scripted(limited(1), OK);
    const pipeline = makePipeline(paced, upstream.invoke);
    const come = (runId: string) => pipeline.invoke(makeCall(paced), makeContext({ runId }));
    await come('first');
    const waiting = ['a', 'b', 'c', 'd', 'e'];
    for (const runId of waiting) await come(runId);
    await advance(1000);
    expect(await come('a')).toEqual(OK);
    const stranger = await come('stranger');
    expect(stranger).toMatchObject({ kind: 'rate-limited', scope: 'cooldown', retryAfterMs: 500 });
    for (const runId of ['b', 'c', 'd', 'e', 'stranger']) {
      await advance(100);
      expect(await come(runId)).toEqual(OK);
    }
    for (let n = 0; n < 5; n += 1) expect(await come(`later-${n}`)).toEqual(OK);
  });

  it('learns from the upstream at which pace callers may come back', async () => {
    // 20 calls/s and 10 at once, told to nobody; who is over waits whole seconds.
    let tokens = 10;
    let filledAt = performance.now();
    const upstream = scripted(() => {
      const now = performance.now();
      tokens = Math.min(10, tokens + (now - filledAt) * 0.02);
      filledAt = now;
      if (tokens < 1) return limited(1);
      tokens -= 1;
      return { ...OK };
    });
    const pipeline = makePipeline(tool, upstream.invoke);
    let advised = 0;
    let kept = 0;
    const agent = async (runId: string) => {
      for (let n = 0, told = false; n < 10;) {
        const outcome = await pipeline.invoke(makeCall(tool), makeContext({ runId }));
        if (told) advised += 1;
        if (told && outcome.kind === 'ok') kept += 1;
        told = outcome.kind !== 'ok';
        if (outcome.kind === 'ok') n += 1;
        const waitMs = outcome.kind === 'rate-limited' ? outcome.retryAfterMs : told ? 1000 : 5;
        await new Promise((resolve) => setTimeout(resolve, waitMs));
      }
    };
    const from = performance.now();
    const agents = Promise.all(Array.from({ length: 40 }, (_, i) => agent(`run-${i}`)));
    while (vi.getTimerCount() > 0) await vi.advanceTimersByTimeAsync(10);
    await agents;
    // 400 calls at 20/s take 20 s at best.
    expect(performance.now() - from).toBeLessThan(30_000);
    // 30 of the first 40 at once are refused; hardly any after that.
    expect(upstream.calls).toBeLessThan(440);
    expect(kept / advised).toBeGreaterThan(0.75);
  });

  it('tells a run with more calls than it may line up no moment before the pause ends', () => {
    const gate = new CooldownGate(100);
    gate.extend(1000, true);
    const ask = (n: number) =>
      gate.enter(makeCall(tool, { id: `c${n}` }), makeContext({ runId: 'r' }));
    for (let n = 0; n < 400; n += 1) ask(n);
    gate.extend(20_000, true);
    for (let n = 400; n < 500; n += 1) expect(ask(n)).toBeGreaterThanOrEqual(20_000);
  });

  it('learns a pace anew once the upstream was content for a minute', async () => {
    // Those who line up do so 100 ms apart, as ten calls were borne in the second before and the pause.
    const inLine = async (pipeline: Pipeline, run: string) => {
      const told: number[] = [];
      for (let n = 0; n < 20; n += 1) {
        const ctx = makeContext({ runId: `${run}-${n}` });
        const outcome = await pipeline.invoke(makeCall(tool), ctx);
        if (outcome.kind === 'rate-limited') told.push(outcome.retryAfterMs);
      }
      return told[19]! - told[0]!;
    };
    const story = [...Array<Outcome>(10).fill(OK), limited(1)];
    const pipeline = makePipeline(tool, scripted(...story, ...story, ...story, OK).invoke);
    const calls = async () => {
      for (let n = 0; n < 11; n += 1) await pipeline.invoke(makeCall(tool), makeContext());
    };
    await calls();
    expect(await inLine(pipeline, 'first')).toBeCloseTo(1900, -1);
    // None of them came.
    await advance(3000);
    await calls();
    expect(await inLine(pipeline, 'second')).toBeLessThan(60);
    await advance(62_000);
    await calls();
    expect(await inLine(pipeline, 'third')).toBeCloseTo(1900, -1);
  });

  it('lets a retry sleep on when another call extended the gate meanwhile', async () => {
    const retrying = makeTool({
      retry: { maxAttempts: 2, baseMs: 10, maxMs: 100, maxWaitMs: 5000 },
    });
    const upstream = new ManualUpstream();
    const pipeline = makePipeline(retrying, upstream.invoke);
    const from = performance.now();
    const first = pipeline.invoke(makeCall(retrying), makeContext());
    const second = pipeline.invoke(makeCall(retrying), makeContext());
    upstream.open[0]!.answer(limited(1));
    await advance(500);
    upstream.open[0]!.answer(limited(2));
    await advance(2000);
    expect(performance.now() - from).toBe(2500);
    await advance(50);
    for (const open of [...upstream.open]) open.answer(OK);
    expect([await first, await second]).toEqual([OK, OK]);
    expect(upstream.calls).toBe(4);
  });
});
