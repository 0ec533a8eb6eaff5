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
  settle,
} from './harness.js';

describe('the attempt timer', () => {
  beforeEach(driveClock);
  afterEach(() => vi.useRealTimers());

  const tool = makeTool({ timeoutMs: 300 });

  it('ends an attempt at the tool’s own limit, says so, and tells the upstream', async () => {
    const upstream = new ManualUpstream();
    const causes: unknown[] = [];
    const ctx = makeContext();
    const running = makePipeline(tool, upstream.invoke).invoke(makeCall(tool), ctx);
    upstream.open[0]!.attempt.onAbort = (cause) => causes.push(cause);
    await advance(299);
    expect(causes).toEqual([]);
    await advance(1);
    expect(await running).toEqual({
      kind: 'timeout',
      scope: 'attempt',
      phase: 'awaiting_headers',
      timeoutMs: 300,
    });
    expect(causes).toEqual([{ kind: 'timeout', scope: 'attempt', timeoutMs: 300 }]);
    expect(ctx.attempts).toBe(1);
  });

  it('ends it earlier where less of the call’s time is left, with the call’s scope and limit', async () => {
    const upstream = new ManualUpstream();
    const ctx = makeContext({ withinMs: 200, deadlineScope: 'call' });
    const running = makePipeline(tool, upstream.invoke).invoke(makeCall(tool), ctx);
    expect(upstream.open[0]!.attempt.deadlineAt).toBe(ctx.deadlineAt);
    await advance(200);
    expect(await running).toMatchObject({ kind: 'timeout', scope: 'call', timeoutMs: 200 });
  });

  it('does not start an attempt without time, or after a cancellation', async () => {
    const upstream = new ManualUpstream();
    const pipeline = makePipeline(tool, upstream.invoke);
    const late = makeContext({ withinMs: 0 });
    expect(await pipeline.invoke(makeCall(tool), late)).toEqual({
      kind: 'timeout',
      scope: 'deadline',
      phase: 'queued',
      timeoutMs: 0,
    });
    const gone = makeContext();
    gone.cancellation.cancel('client_left');
    expect(await pipeline.invoke(makeCall(tool), gone)).toEqual({
      kind: 'cancelled',
      reason: 'client_left',
      phase: 'queued',
    });
    expect([upstream.calls, late.attempts, gone.attempts]).toEqual([0, 0, 0]);
  });

  it('ends with the reason of a cancellation and the phase the attempt was in', async () => {
    const upstream = new ManualUpstream();
    const ctx = makeContext();
    const running = makePipeline(tool, upstream.invoke).invoke(makeCall(tool), ctx);
    upstream.open[0]!.attempt.phase = 'reading_body';
    ctx.cancellation.cancel('shutdown');
    expect(await running).toEqual({ kind: 'cancelled', reason: 'shutdown', phase: 'reading_body' });
    expect(upstream.open[0]!.attempt.aborted).toEqual({ kind: 'cancelled', reason: 'shutdown' });
  });

  it.each<[string, () => Promise<Outcome>]>([
    [
      'throws',
      () => {
        throw new Error('secret');
      },
    ],
    ['rejects', () => Promise.reject(new Error('secret'))],
  ])(
    'turns an upstream that %s into an internal fault, heard by the operator only',
    async (_how, fail) => {
      const heard: unknown[] = [];
      const pipeline = makePipeline(tool, fail, { onInternalError: (error) => heard.push(error) });
      expect(await pipeline.invoke(makeCall(tool), makeContext())).toEqual({
        kind: 'internal',
        requestId: 'request',
      });
      expect(heard).toHaveLength(1);
    },
  );

  it('survives an upstream whose teardown throws', async () => {
    const upstream = new ManualUpstream();
    const heard: unknown[] = [];
    const ctx = makeContext();
    const pipeline = makePipeline(tool, upstream.invoke, { onInternalError: (e) => heard.push(e) });
    const running = pipeline.invoke(makeCall(tool), ctx);
    upstream.open[0]!.attempt.onAbort = () => {
      throw new Error('teardown');
    };
    ctx.cancellation.cancel('client_left');
    expect(await running).toMatchObject({ kind: 'cancelled' });
    expect(heard).toHaveLength(1);
  });

  it('leaves neither timer nor listener behind, however it ends', async () => {
    const upstream = new ManualUpstream();
    const pipeline = makePipeline(tool, upstream.invoke);
    const contexts = Array.from({ length: 4 }, () => makeContext());
    const all = contexts.map((ctx) => pipeline.invoke(makeCall(tool), ctx));
    upstream.open[0]!.answer(OK);
    contexts[1]!.cancellation.cancel('client_left');
    upstream.open[1]!.answer({ kind: 'internal', requestId: 'x' });
    await settle();
    await advance(300);
    await Promise.all(all);
    expect(contexts.map((ctx) => ctx.cancellation.listenerCount)).toEqual([0, 0, 0, 0]);
    expect(vi.getTimerCount()).toBe(0);
    expect(pipeline.snapshot().inFlight).toBe(0);
  });

  it('never asks for a timer beyond what setTimeout takes', async () => {
    const upstream = new ManualUpstream();
    const slow = makeTool({ timeoutMs: 3_000_000_000 });
    const ctx = makeContext({ withinMs: 3_000_000_000 });
    const running = makePipeline(slow, upstream.invoke).invoke(makeCall(slow), ctx);
    await advance(10_000);
    expect(upstream.open).toHaveLength(1);
    upstream.open[0]!.answer(OK);
    expect(await running).toEqual(OK);
  });

  it('reports every attempt by its code, and traces it', async () => {
    const upstream = new ManualUpstream();
    const observer = new Recorder();
    const ended: unknown[] = [];
    const trace = {
      startAttempt: (n: number) => ({ traceparent: `tp-${n}`, end: (f: unknown) => ended.push(f) }),
    };
    const pipeline = makePipeline(tool, upstream.invoke, { observer });
    const good = pipeline.invoke(makeCall(tool), makeContext({ trace }));
    expect(upstream.open[0]!.attempt.traceparent).toBe('tp-1');
    upstream.open[0]!.answer(OK);
    await good;
    const bad = pipeline.invoke(makeCall(tool), makeContext({ trace }));
    await advance(300);
    await bad;
    expect(observer.attempts).toEqual(['ok', 'TOOL_TIMEOUT']);
    expect(ended).toEqual([null, { code: 'TOOL_TIMEOUT', category: 'timeout' }]);
  });
});
