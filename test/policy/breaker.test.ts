import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { BreakerPolicy } from '../../src/call.js';
import type { Outcome } from '../../src/errors/outcome.js';
import { Breaker } from '../../src/policy/breaker.js';
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

const POLICY: BreakerPolicy = {
  windowMs: 10_000,
  minCalls: 5,
  failureRate: 0.5,
  openMs: 1000,
  halfOpenProbes: 1,
  scope: 'tool',
};
const tool = makeTool({ breaker: POLICY });
const call = makeCall(tool);

describe('the breaker', () => {
  beforeEach(driveClock);
  afterEach(() => vi.useRealTimers());

  async function failTimes(pipeline: ReturnType<typeof makePipeline>, times: number) {
    for (let i = 0; i < times; i += 1) await pipeline.invoke(call, makeContext());
  }

  it('opens at the fifth of five failures and refuses the sixth call (C13)', async () => {
    const upstream = scripted(response(503));
    const observer = new Recorder();
    const pipeline = makePipeline(tool, upstream.invoke, { observer });
    await failTimes(pipeline, 4);
    expect(pipeline.snapshot().breaker).toMatchObject({ state: 'closed', failureCount: 4 });
    await failTimes(pipeline, 1);
    expect(await pipeline.invoke(call, makeContext())).toEqual({
      kind: 'circuit-open',
      failureCount: 5,
      byOperator: false,
      retryAfterMs: 1000,
      resetTimeoutMs: 1000,
    });
    expect(upstream.calls).toBe(5);
    expect(observer.states).toEqual(['open']);
  });

  it('does not open on one failure of one (C16), nor on answers that are the caller’s fault (C13)', async () => {
    const one = makePipeline(tool, scripted(response(503), OK).invoke);
    await failTimes(one, 2);
    expect(one.snapshot().breaker?.state).toBe('closed');
    const bad = makePipeline(tool, scripted(response(422)).invoke);
    await failTimes(bad, 20);
    expect(bad.snapshot().breaker?.state).toBe('closed');
  });

  it('opens at exactly the rate, and not below it', async () => {
    const at = makePipeline(tool, scripted(OK, OK, OK, response(503)).invoke);
    await failTimes(at, 5);
    expect(at.snapshot().breaker?.state).toBe('closed');
    await failTimes(at, 1);
    expect(at.snapshot().breaker?.state).toBe('open');
  });

  it('counts finished calls only: calls in flight do not dilute', async () => {
    const upstream = new ManualUpstream();
    const pipeline = makePipeline(tool, upstream.invoke);
    const all = Array.from({ length: 15 }, () => pipeline.invoke(call, makeContext()));
    for (const open of upstream.open.slice(0, 5)) open.answer(response(503));
    await settle();
    expect(pipeline.snapshot().breaker?.state).toBe('open');
    for (const open of [...upstream.open]) open.answer(OK);
    await Promise.all(all);
  });

  it('counts down, admits at the promised moment, and closes with an empty window', async () => {
    let answer: Outcome = response(503);
    const pipeline = makePipeline(tool, scripted(() => ({ ...answer })).invoke);
    await failTimes(pipeline, 5);
    await advance(400);
    expect(pipeline.snapshot().breaker?.retryAfterMs).toBe(600);
    expect(await pipeline.invoke(call, makeContext())).toMatchObject({ retryAfterMs: 600 });
    await advance(600);
    answer = OK;
    expect(pipeline.snapshot().breaker).toMatchObject({ state: 'half_open', retryAfterMs: 0 });
    expect(await pipeline.invoke(call, makeContext())).toMatchObject({ kind: 'ok' });
    expect(pipeline.snapshot().breaker).toEqual({
      state: 'closed',
      failureCount: 0,
      retryAfterMs: null,
    });
    answer = response(503);
    await failTimes(pipeline, 4);
    expect(pipeline.snapshot().breaker?.state).toBe('closed');
  });

  it('keeps its promise by the clock when its timer is late', async () => {
    let answer: Outcome = response(503);
    const pipeline = makePipeline(tool, scripted(() => ({ ...answer })).invoke);
    await failTimes(pipeline, 5);
    const now = performance.now();
    vi.spyOn(performance, 'now').mockReturnValue(now + 1000);
    answer = OK;
    expect(await pipeline.invoke(call, makeContext())).toMatchObject({ kind: 'ok' });
  });

  it('lets failures of long ago go', async () => {
    const pipeline = makePipeline(tool, scripted(response(503)).invoke);
    await failTimes(pipeline, 4);
    await advance(10_000);
    await failTimes(pipeline, 4);
    expect(pipeline.snapshot().breaker).toMatchObject({ state: 'closed', failureCount: 4 });
  });

  it('hands a probe back after a neutral outcome: it neither closes nor wedges (C14)', async () => {
    const steps = [...Array<Outcome>(5).fill(response(503)), response(401), OK];
    const pipeline = makePipeline(tool, scripted(...steps).invoke);
    await failTimes(pipeline, 5);
    await advance(1000);
    await pipeline.invoke(call, makeContext());
    expect(pipeline.snapshot().breaker?.state).toBe('half_open');
    await pipeline.invoke(call, makeContext());
    expect(pipeline.snapshot().breaker?.state).toBe('closed');
  });

  it('admits one probe at a time, also after a probe that was cancelled or hung', async () => {
    const upstream = new ManualUpstream();
    const pipeline = makePipeline(tool, upstream.invoke);
    const fails = Array.from({ length: 5 }, () => pipeline.invoke(call, makeContext()));
    for (const open of [...upstream.open]) open.answer(response(503));
    await Promise.all(fails);
    await advance(1000);
    const left = makeContext();
    const probe = pipeline.invoke(call, left);
    expect(await pipeline.invoke(call, makeContext())).toMatchObject({ kind: 'circuit-open' });
    left.cancellation.cancel('client_left');
    await probe;
    const hung = pipeline.invoke(call, makeContext());
    expect(upstream.calls).toBe(7);
    await advance(1000);
    expect(await hung).toMatchObject({ kind: 'timeout' });
    expect(pipeline.snapshot().breaker?.state).toBe('open');
    await advance(1000);
    const last = pipeline.invoke(call, makeContext());
    upstream.open.at(-1)!.answer(OK);
    await last;
    expect(pipeline.snapshot().breaker?.state).toBe('closed');
  });

  it('ignores a success that began before it opened', async () => {
    const upstream = new ManualUpstream();
    const pipeline = makePipeline(tool, upstream.invoke);
    const slow = pipeline.invoke(call, makeContext({ withinMs: 5000 }));
    const [slowOpen] = upstream.open;
    const fails = Array.from({ length: 5 }, () => pipeline.invoke(call, makeContext()));
    for (const open of upstream.open.slice(1)) open.answer(response(503));
    await Promise.all(fails);
    await advance(999);
    slowOpen!.answer(OK);
    await slow;
    await advance(1);
    expect(pipeline.snapshot().breaker?.state).toBe('half_open');
  });

  it('tells callers of a run different moments: the probe first, then one by one', async () => {
    const pipeline = makePipeline(tool, scripted(response(503)).invoke);
    await failTimes(pipeline, 5);
    const told = async (id: string) => {
      const outcome = await pipeline.invoke(makeCall(tool, { id }), makeContext({ runId: 'r' }));
      return outcome.kind === 'circuit-open' ? outcome.retryAfterMs : NaN;
    };
    const times = [await told('a'), await told('b'), await told('c'), await told('d')];
    expect(times[0]).toBe(1000);
    expect(new Set(times).size).toBe(4);
    expect(times).toEqual([...times].sort((a, b) => a - b));
    await advance(100);
    // Early again: the same moments.
    expect([await told('b'), await told('a')]).toEqual([times[1]! - 100, 900]);
  });

  it('obeys an operator, and still probes after a forced opening', async () => {
    const pipeline = makePipeline(tool, scripted(OK).invoke);
    pipeline.forceBreaker('open');
    expect(await pipeline.invoke(call, makeContext())).toMatchObject({
      kind: 'circuit-open',
      byOperator: true,
    });
    pipeline.forceBreaker('closed');
    expect(await pipeline.invoke(call, makeContext())).toMatchObject({ kind: 'ok' });
    pipeline.forceBreaker('open');
    await advance(1000);
    expect(await pipeline.invoke(call, makeContext())).toMatchObject({ kind: 'ok' });
    expect(pipeline.snapshot().breaker?.state).toBe('closed');
  });

  it('is shared by the tools it is given to, and outlives them', async () => {
    const breaker = new Breaker(POLICY);
    const other = makeTool({ breaker: POLICY }, { name: 'demo.other' });
    const first = makePipeline(tool, scripted(response(503)).invoke, { breaker });
    const observer = new Recorder();
    const second = makePipeline(other, scripted(OK).invoke, { breaker, observer });
    await failTimes(first, 5);
    first.close();
    expect(observer.states).toEqual(['open']);
    expect(await second.invoke(makeCall(other), makeContext())).toMatchObject({
      kind: 'circuit-open',
    });
    breaker.dispose();
  });

  it('has no timer but while it is open, and none after close', async () => {
    const pipelines = Array.from({ length: 100 }, () =>
      makePipeline(tool, scripted(response(503)).invoke),
    );
    expect(vi.getTimerCount()).toBe(0);
    for (const pipeline of pipelines) await failTimes(pipeline, 5);
    expect(vi.getTimerCount()).toBe(100);
    for (const pipeline of pipelines) pipeline.close();
    expect(vi.getTimerCount()).toBe(0);
    // Calls in flight under an old configuration still run.
    expect(await pipelines[0]!.invoke(call, makeContext())).toMatchObject({ status: 503 });
  });
});
