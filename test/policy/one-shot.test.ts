// Callers who ask once and never again: what is kept for them costs others at most a moment, and what
// they are told does not grow with their number.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Outcome } from '../../src/errors/outcome.js';
import type { Pipeline } from '../../src/policy/pipeline.js';
import {
  driveClock,
  makeCall,
  makeContext,
  makePipeline,
  makeTool,
  OK,
  response,
  scripted,
  settle,
} from './harness.js';

const LASTS_S = 60;

interface Seen {
  succeeded: number;
  /** What refused callers were told, in order. */
  readonly told: number[];
}

type Identify = (n: number) => { readonly client?: string; readonly runId?: string };
const nobody: Identify = () => ({});
const runs: Identify = (n) => ({ runId: `run-${n}` });
const clients: Identify = (n) => ({ client: `client-${n % 50}` });

/** So many calls a second, none of which comes back. */
async function flood(pipeline: Pipeline, perSecond: number, identify: Identify): Promise<Seen> {
  const seen: Seen = { succeeded: 0, told: [] };
  const tool = makeTool();
  for (let n = 0; n < LASTS_S * perSecond; n += 1) {
    void pipeline.invoke(makeCall(tool), makeContext(identify(n))).then((outcome) => {
      if (outcome.kind === 'ok') seen.succeeded += 1;
      else if ('retryAfterMs' in outcome) seen.told.push(outcome.retryAfterMs);
    });
    await settle();
    await vi.advanceTimersByTimeAsync(1000 / perSecond);
  }
  return seen;
}

/** Whether the one who was told comes back at its moment and gets in. */
async function comesBack(pipeline: Pipeline, runId: string, outcome: Outcome): Promise<boolean> {
  if (!('retryAfterMs' in outcome)) throw new Error('it was not refused');
  await vi.advanceTimersByTimeAsync(outcome.retryAfterMs);
  const again = await pipeline.invoke(makeCall(makeTool()), makeContext({ runId }));
  return again.kind === 'ok';
}

describe('callers who never come back', () => {
  beforeEach(driveClock);
  afterEach(() => vi.useRealTimers());

  it.each([
    [503, 'nothing that identifies them', nobody, 1050],
    [503, 'runs', runs, 1050],
    [429, 'nothing that identifies them', nobody, 1050],
    [429, 'clients', clients, 1050],
    // Until some did not come they are lined up at the pace that they had before.
    [429, 'runs', runs, 10_000],
  ])('do not throttle who answers one in ten with %i: %s', async (status, _, identify, mostMs) => {
    let calls = 0;
    const hint = response(status, { 'retry-after': '1' });
    const upstream = scripted(() => ((calls += 1) % 10 === 0 ? { ...hint } : { ...OK }));
    const { succeeded, told } = await flood(
      makePipeline(makeTool(), upstream.invoke),
      20,
      identify,
    );
    // Nine in half a second, and a second's pause.
    expect(succeeded).toBeGreaterThan(0.97 * 6 * LASTS_S);
    expect(Math.max(...told)).toBeLessThanOrEqual(mostMs);
    expect(Math.max(...told.slice(-600))).toBeLessThanOrEqual(1050);
  });

  it.each([
    ['nothing that identifies them', nobody, 30_000],
    ['clients', clients, 30_000],
    // The first ones fall due only when many were told more.
    ['runs', runs, 90_000],
  ])('leave the limiter’s tokens to others: %s', async (_, identify, mostMs) => {
    const limited = makeTool({ rateLimit: { calls: 10, perMs: 1000, burst: 10 } });
    const pipeline = makePipeline(limited, scripted(OK).invoke);
    const { succeeded, told } = await flood(pipeline, 200, identify);
    expect(succeeded).toBeGreaterThanOrEqual(10 * LASTS_S);
    expect(Math.max(...told)).toBeLessThanOrEqual(mostMs);
    const ask = () => pipeline.invoke(makeCall(limited), makeContext({ runId: 'honest' }));
    // At most what came in free meanwhile.
    let honest = await ask();
    for (let n = 0; n < 2 && honest.kind === 'ok'; n += 1) honest = await ask();
    expect(await comesBack(pipeline, 'honest', honest)).toBe(true);
  });

  it.each([
    ['nothing that identifies them', nobody, 30_000],
    ['clients', clients, 30_000],
    ['runs', runs, 60_000],
  ])('leave the bulkhead’s places to others: %s', async (_, identify, mostMs) => {
    const bulkhead = { maxConcurrent: 4, maxQueue: 8, queueTimeoutMs: 5000 };
    const pipeline = makePipeline(makeTool({ bulkhead }), async (_call, attempt) => {
      attempt.phase = 'awaiting_headers';
      await new Promise((resolve) => setTimeout(resolve, 200));
      return { ...OK };
    });
    const { succeeded, told } = await flood(pipeline, 200, identify);
    expect(succeeded).toBeGreaterThan(0.97 * 20 * LASTS_S);
    expect(Math.max(...told)).toBeLessThanOrEqual(mostMs);
  });

  it.each([
    ['nothing that identifies them', nobody],
    ['runs', runs],
  ])(
    'hear from an open breaker of the probe and at most half a minute more: %s',
    async (_, identify) => {
      const breaker = {
        windowMs: 10_000,
        minCalls: 5,
        failureRate: 0.5,
        openMs: 20_000,
        halfOpenProbes: 1,
        scope: 'tool',
      } as const;
      const dead = makeTool({ breaker, rateLimit: { calls: 10, perMs: 1000, burst: 10 } });
      const pipeline = makePipeline(dead, scripted(response(500)).invoke);
      const { told } = await flood(pipeline, 100, identify);
      expect(Math.max(...told)).toBeGreaterThan(20_000);
      expect(Math.max(...told)).toBeLessThanOrEqual(50_001);
    },
  );

  it('are told no moment before the limit has one', async () => {
    const slow = makeTool({ rateLimit: { calls: 1, perMs: 60_000, burst: 1 } });
    const pipeline = makePipeline(slow, scripted(OK).invoke);
    const told: number[] = [];
    for (let n = 0; n < 30; n += 1) {
      const outcome = await pipeline.invoke(makeCall(slow), makeContext());
      if ('retryAfterMs' in outcome) told.push(outcome.retryAfterMs);
    }
    expect(told).toEqual(Array.from({ length: 29 }, (_, k) => (k + 1) * 60_000));
  });
});

describe('callers who come when they were told', () => {
  beforeEach(driveClock);
  afterEach(() => vi.useRealTimers());

  it.each([
    [503, {}],
    [429, {}],
    [429, { rateLimit: { calls: 20, perMs: 1000, burst: 20 } }],
  ])('get in after a pause (%i), and do not come together', async (status, policy) => {
    const tool = makeTool(policy);
    const upstream = scripted(response(status, { 'retry-after': '10' }), OK);
    const pipeline = makePipeline(tool, upstream.invoke);
    await pipeline.invoke(makeCall(tool), makeContext());
    const told: number[] = [];
    let admitted = 0;
    for (let n = 0; n < 100; n += 1) {
      const ctx = () => makeContext({ runId: `run-${n}` });
      const outcome = await pipeline.invoke(makeCall(tool), ctx());
      if (!('retryAfterMs' in outcome)) continue;
      told.push(outcome.retryAfterMs);
      setTimeout(() => {
        void pipeline.invoke(makeCall(tool), ctx()).then(({ kind }) => {
          if (kind === 'ok') admitted += 1;
        });
      }, outcome.retryAfterMs);
    }
    await vi.advanceTimersByTimeAsync(60_000);
    expect([told.length, admitted]).toEqual([100, 100]);
    expect(Math.min(...told)).toBeGreaterThanOrEqual(10_000);
    expect(new Set(told).size).toBeGreaterThan(60);
  });

  it('are told an hour where the upstream said an hour, and little more', async () => {
    const tool = makeTool();
    const pipeline = makePipeline(
      tool,
      scripted(response(503, { 'retry-after': '3600' }), OK).invoke,
    );
    await pipeline.invoke(makeCall(tool), makeContext());
    const outcome = await pipeline.invoke(makeCall(tool), makeContext({ runId: 'a' }));
    const { retryAfterMs } = outcome as { retryAfterMs: number };
    expect(retryAfterMs).toBeGreaterThanOrEqual(3_600_000);
    expect(retryAfterMs).toBeLessThanOrEqual(3_605_000);
    expect(await comesBack(pipeline, 'a', outcome)).toBe(true);
  });

  it('never wait for a hint of nothing', async () => {
    const tool = makeTool();
    const pipeline = makePipeline(tool, scripted(response(429, { 'retry-after': '0' }), OK).invoke);
    await pipeline.invoke(makeCall(tool), makeContext());
    expect(await pipeline.invoke(makeCall(tool), makeContext())).toEqual(OK);
  });
});
