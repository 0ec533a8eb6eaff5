import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { CachePolicy } from '../../src/call.js';
import type { OkOutcome } from '../../src/errors/outcome.js';
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
  response,
  scripted,
  settle,
  type ContextOptions,
} from './harness.js';

const CACHE: CachePolicy = { ttlMs: 1000, maxBytes: 100_000, perClient: false };

describe('the result cache', () => {
  beforeEach(driveClock);
  afterEach(() => vi.useRealTimers());

  function asker(
    cache: Partial<CachePolicy>,
    invoke: Parameters<typeof makePipeline>[1],
    deps = {},
  ) {
    const tool = makeTool({}, { cache: { ...CACHE, ...cache } });
    const pipeline = makePipeline(tool, invoke, deps);
    return (args = {}, options: ContextOptions = {}) => {
      const ctx = makeContext(options);
      return Object.assign(pipeline.invoke(makeCall(tool, { arguments: args }), ctx), { ctx });
    };
  }

  it('answers again for its time, marked as cached, and then asks again', async () => {
    const upstream = scripted(OK);
    const ask = asker({}, upstream.invoke);
    expect(await ask({ a: 1, b: 2 })).toEqual(OK);
    await advance(999);
    const again = ask({ b: 2, a: 1 });
    expect(await again).toEqual({ ...OK, cached: true });
    expect([upstream.calls, again.ctx.attempts]).toEqual([1, 0]);
    await advance(1);
    await ask({ a: 1, b: 2 });
    await ask({ a: 1, b: 3 });
    expect(upstream.calls).toBe(3);
  });

  it('shares answers between clients, or not, as configured', async () => {
    for (const [perClient, calls] of [
      [false, 1],
      [true, 2],
    ] as const) {
      const upstream = scripted(OK);
      const ask = asker({ perClient }, upstream.invoke);
      await ask({}, { client: 'a' });
      await ask({}, { client: 'b' });
      expect(upstream.calls).toBe(calls);
    }
  });

  it('answers for a tool that a reload changed as it is now', async () => {
    const state = createMemoryState();
    const answering = (value: string) =>
      scripted({ kind: 'ok', result: { kind: 'text', text: value } });
    const ask = (description: string, value: string) => {
      const tool = makeTool({}, { cache: CACHE, description });
      return makePipeline(tool, answering(value).invoke, { state }).invoke(
        makeCall(tool),
        makeContext(),
      );
    };
    await ask('old', 'old');
    expect(await ask('new', 'new')).toMatchObject({ result: { text: 'new' } });
  });

  it('keeps no failure', async () => {
    const upstream = scripted(response(404), OK);
    const ask = asker({}, upstream.invoke);
    await ask();
    expect((await ask()).kind).toBe('ok');
  });

  it('makes one call for many that ask at once, and shares its failure', async () => {
    const upstream = new ManualUpstream();
    const ask = asker({}, upstream.invoke);
    const good = [ask(), ask(), ask()];
    await settle();
    expect(upstream.open).toHaveLength(1);
    upstream.open[0]!.answer(OK);
    expect((await Promise.all(good)).map(({ kind }) => kind)).toEqual(['ok', 'ok', 'ok']);
    const bad = [ask({ x: 1 }), ask({ x: 1 })];
    await settle();
    upstream.open[0]!.answer(response(500));
    expect((await Promise.all(bad)).map(({ kind }) => kind)).toEqual(['response', 'response']);
    expect(upstream.calls).toBe(2);
  });

  it('lets nobody wait for ever for a fault of ours', async () => {
    const upstream = new ManualUpstream();
    const broken = new Error('a fault of ours');
    const ask = asker({}, upstream.invoke, {
      random: () => {
        throw broken;
      },
    });
    const asked = Promise.allSettled([ask(), ask()]);
    await settle();
    upstream.open[0]!.answer(response(503));
    expect(await asked).toMatchObject([{ reason: broken }, { reason: broken }]);
  });

  it('asks again for those who wait when the one that asked runs out of time', async () => {
    const upstream = new ManualUpstream();
    const ask = asker({}, upstream.invoke);
    const hasty = ask({}, { withinMs: 100 });
    const patient = [ask(), ask()];
    await advance(100);
    expect(await hasty).toMatchObject({ kind: 'timeout' });
    expect(upstream.calls).toBe(2);
    upstream.open.at(-1)!.answer(OK);
    expect((await Promise.all(patient)).map(({ kind }) => kind)).toEqual(['ok', 'ok']);
  });

  it('keeps no more than its bytes: the oldest answer goes first', async () => {
    const big: OkOutcome = { kind: 'ok', result: { kind: 'text', text: 'x'.repeat(30_000) } };
    const upstream = scripted(big);
    const ask = asker({}, upstream.invoke);
    for (const n of [1, 2, 3, 4]) await ask({ n });
    await ask({ n: 4 });
    await ask({ n: 2 });
    expect(upstream.calls).toBe(4);
    await ask({ n: 1 });
    expect(upstream.calls).toBe(5);
  });

  it('is not in the way when its store fails', async () => {
    const heard: unknown[] = [];
    const cache = {
      get: () => Promise.reject(new Error('down')),
      set: () => Promise.reject(new Error('down')),
    };
    const upstream = scripted(OK);
    const ask = asker({}, upstream.invoke, {
      state: { ...createMemoryState(), cache },
      onInternalError: (error: unknown) => heard.push(error),
    });
    expect(await ask()).toEqual(OK);
    expect([upstream.calls, heard.length]).toEqual([1, 2]);
  });

  it('is not there for a tool that does more than read', async () => {
    const upstream = scripted(OK);
    const tool = makeTool({}, { cache: CACHE, readOnly: false });
    const pipeline = makePipeline(tool, upstream.invoke);
    await pipeline.invoke(makeCall(tool), makeContext());
    await pipeline.invoke(makeCall(tool), makeContext());
    expect(upstream.calls).toBe(2);
  });
});
