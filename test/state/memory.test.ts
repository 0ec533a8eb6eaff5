import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { ErrorInfo } from '../../src/errors/error-info.js';
import type { OkOutcome } from '../../src/errors/outcome.js';
import { createMemoryState } from '../../src/state/memory.js';
import { BoundedMap } from '../../src/state/bounded-map.js';
import type { FinalRecord, UnknownRecord } from '../../src/state/ports.js';
import { resultBytes } from '../../src/state/result-size.js';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'] });
});
afterEach(() => vi.useRealTimers());

const wait = (ms: number): void => {
  vi.setSystemTime(Date.now() + ms);
};
const text = (length: number): OkOutcome => ({
  kind: 'ok',
  result: { kind: 'text', text: 'x'.repeat(length) },
});

describe('a bounded map', () => {
  it('stays below its bytes, whatever is put in, and drops the oldest', () => {
    const map = new BoundedMap<number>(10_000);
    for (let n = 0; n < 1000; n += 1) {
      map.set(`k${n % 300}`, n, (n * 37) % 900, 1000);
      expect(map.bytes).toBeLessThanOrEqual(10_000);
    }
    expect(map.get('k99')).toBe(999);
    expect(map.get('k100')).toBeUndefined();
    expect(map.set('huge', 1, 10_000, 1000)).toBe(false);
    for (let n = 0; n < 300; n += 1) map.delete(`k${n}`);
    expect([map.size, map.bytes]).toEqual([0, 0]);
  });

  it('forgets in time, also what nobody asks for again', () => {
    const map = new BoundedMap<number>(1_000_000);
    for (let n = 0; n < 100; n += 1) map.set(`old${n}`, n, 0, 100);
    expect(map.get('old5')).toBe(5);
    wait(100);
    expect(map.get('old5')).toBeUndefined();
    for (let n = 0; n < 40; n += 1) map.set(`new${n}`, n, 0, 100);
    expect(map.size).toBe(40);
  });

  it('can refuse instead of dropping, until something expires', () => {
    const map = new BoundedMap<number>(1000, 'refuse');
    expect([map.set('a', 1, 100, 50), map.set('b', 1, 100, 5000)]).toEqual([true, true]);
    expect([map.set('c', 1, 500, 50), map.get('a')]).toEqual([false, 1]);
    wait(50);
    expect(map.set('c', 1, 100, 50)).toBe(true);
  });

  it('finds room also where what has expired stands behind what has not', () => {
    const map = new BoundedMap<number>(1_000_000, 'refuse');
    let size = 0;
    while (map.set(`k${size}`, size, 0, size < 500 ? 1_000_000 : 50)) size += 1;
    wait(50);
    let tries = 0;
    while (!map.set('new', 1, 0, 50) && tries < size) tries += 1;
    expect(tries).toBeLessThan(size / 50);
    expect(map.get('k0')).toBe(0);
  });
});

describe('run budgets in memory', () => {
  it('count per key, and forget after the last use', async () => {
    const { runBudgets } = createMemoryState();
    const take = (key: string) => runBudgets.take(key, 2, 1000);
    expect([await take('a'), await take('a'), await take('a'), await take('b')]).toEqual([
      true,
      true,
      false,
      true,
    ]);
    wait(1000);
    expect(await take('a')).toBe(true);
  });

  it('remember a bounded number of runs', async () => {
    const { runBudgets } = createMemoryState({ maxRuns: 10 });
    await runBudgets.take('first', 1, 1e9);
    for (let n = 0; n < 100; n += 1) await runBudgets.take(`r${n}`, 1, 1e9);
    expect(await runBudgets.take('first', 1, 1e9)).toBe(true);
  });
});

describe('idempotency records in memory', () => {
  const final = (owner: string, outcome = text(1)): FinalRecord => ({
    state: 'final',
    argumentsHash: 'h',
    owner,
    answer: { kind: 'ok', outcome },
  });
  const unknown = (owner: string): UnknownRecord => ({
    state: 'unknown',
    argumentsHash: 'h',
    owner,
    info: null,
    sinceEpochMs: 1,
  });

  it('give a key to one owner, and only that owner may settle or free it', async () => {
    const { idempotency } = createMemoryState();
    expect(await idempotency.begin('k', 'h', 'a', 1000)).toBeUndefined();
    expect(await idempotency.begin('k', 'h', 'b', 1000)).toMatchObject({
      state: 'running',
      owner: 'a',
    });
    await idempotency.release('k', 'b');
    await idempotency.settle('k', 'b', final('b'), 1000);
    expect(await idempotency.begin('k', 'h', 'b', 1000)).toMatchObject({
      state: 'running',
      owner: 'a',
    });
    await idempotency.settle('k', 'a', final('a'), 1000);
    expect(await idempotency.begin('k', 'h', 'b', 1000)).toEqual(final('a'));
    await idempotency.release('k', 'a');
    expect(await idempotency.begin('k', 'h', 'b', 1000)).toEqual(final('a'));
    wait(1000);
    expect(await idempotency.begin('k', 'h', 'b', 1000)).toBeUndefined();
    await idempotency.release('k', 'b');
    expect(await idempotency.begin('k', 'h', 'c', 1000)).toBeUndefined();
  });

  it('take a lapsed lease for unknown, never for free', async () => {
    const { idempotency } = createMemoryState();
    await idempotency.begin('k', 'h', 'lost', 1000);
    const lapsesAt = Date.now() + 1000;
    wait(1000);
    const record = await idempotency.begin('k', 'h', 'b', 1000);
    expect(record).toEqual({ ...unknown('lost'), sinceEpochMs: lapsesAt });
    await idempotency.settle('k', 'lost', final('lost'), 1000);
    expect(await idempotency.begin('k', 'h', 'b', 1000)).toEqual(final('lost'));
  });

  it('never drop what protects from a second execution: then nothing new is claimed', async () => {
    const { idempotency } = createMemoryState({ idempotencyMaxBytes: 20_000 });
    const claimed: string[] = [];
    for (let n = 0; n < 100; n += 1) {
      try {
        await idempotency.begin(`k${n}`, 'h', 'o', 1000);
        claimed.push(`k${n}`);
      } catch {
        break;
      }
    }
    expect(claimed.length).toBeGreaterThan(10);
    expect(claimed.length).toBeLessThan(100);
    await idempotency.settle('k0', 'o', unknown('o'), 1e6);
    expect(await idempotency.begin('k0', 'h', 'b', 1)).toMatchObject({ state: 'unknown' });
    await idempotency.release('k1', 'o');
    expect(await idempotency.begin('fits', 'h', 'o', 1)).toBeUndefined();
  });

  it('keep that a call ended unknown where its verdict finds no room any more', async () => {
    const { idempotency } = createMemoryState({ idempotencyMaxBytes: 20_000 });
    const full = async (): Promise<boolean> => {
      for (let n = 0; n < 100; n += 1) await idempotency.begin(`k${n}`, 'h', 'o', 1000);
      return false;
    };
    await expect(full()).rejects.toThrow('full');
    const details = {
      tool_name: 't',
      attempts: 1,
      transient: true,
      classified_by: 'gateway',
    } as const;
    const info: ErrorInfo = {
      code: 'TOOL_TIMEOUT',
      category: 'timeout',
      message: 'm'.repeat(450),
      retryable: false,
      retry_after_ms: null,
      effect: 'unknown',
      details,
    };
    await idempotency.settle('k0', 'o', { ...unknown('o'), info }, 1e6);
    expect(await idempotency.begin('k0', 'h', 'b', 1)).toEqual(unknown('o'));
    await idempotency.release('k1', 'o');
    await idempotency.release('k2', 'o');
    await idempotency.release('k3', 'o');
    await idempotency.settle('k4', 'o', { ...unknown('o'), info }, 1e6);
    expect(await idempotency.begin('k4', 'h', 'b', 1)).toEqual({ ...unknown('o'), info });
  });

  it('free no key whose answer is larger than all the room', async () => {
    const { idempotency } = createMemoryState({ idempotencyMaxBytes: 20_000 });
    await idempotency.begin('k', 'h', 'o', 1000);
    await idempotency.settle('k', 'o', final('o', text(20_000)), 5000);
    const kept = { ...unknown('o'), sinceEpochMs: Date.now() };
    expect(await idempotency.begin('k', 'h', 'b', 1000)).toEqual(kept);
    wait(5000);
    expect(await idempotency.begin('k', 'h', 'b', 1000)).toBeUndefined();
  });

  it('give a repeatable key to the same arguments only, and keep it through a claim that is taken back', async () => {
    const { idempotency } = createMemoryState();
    const repeatable = { state: 'repeatable', argumentsHash: 'h', owner: 'a' } as const;
    await idempotency.begin('k', 'h', 'a', 1000);
    await idempotency.settle('k', 'a', repeatable, 1000);
    for (let round = 0; round < 2; round += 1) {
      expect(await idempotency.begin('k', 'other', 'b', 1000)).toEqual(repeatable);
      expect(await idempotency.begin('k', 'h', 'b', 1000)).toBeUndefined();
      expect(await idempotency.begin('k', 'h', 'c', 1000)).toMatchObject({ state: 'running' });
      await idempotency.release('k', 'b');
    }
    wait(1000);
    expect(await idempotency.begin('k', 'other', 'b', 1000)).toBeUndefined();
  });

  it('drop repeatable keys to make room: they protect from no second execution', async () => {
    const { idempotency } = createMemoryState({ idempotencyMaxBytes: 20_000 });
    for (let n = 0; n < 100; n += 1) {
      await idempotency.begin(`k${n}`, 'h', 'o', 1000);
      const record = { state: 'repeatable', argumentsHash: 'h', owner: 'o' } as const;
      await idempotency.settle(`k${n}`, 'o', record, 1e6);
    }
    expect(await idempotency.begin('k0', 'other', 'b', 1000)).toBeUndefined();
    expect(await idempotency.begin('k99', 'other', 'b', 1000)).toMatchObject({
      state: 'repeatable',
    });
  });

  it('keep final answers below their bytes', async () => {
    const { idempotency } = createMemoryState({ idempotencyMaxBytes: 100_000 });
    for (let n = 0; n < 20; n += 1) {
      await idempotency.begin(`k${n}`, 'h', 'o', 1000);
      await idempotency.settle(`k${n}`, 'o', final('o', text(10_000)), 1e6);
    }
    expect(await idempotency.begin('k0', 'h', 'b', 1000)).toBeUndefined();
    expect(await idempotency.begin('k19', 'h', 'b', 1000)).toMatchObject({ state: 'final' });
  });
});

describe('cached answers in memory', () => {
  it('live in a space per tool, with its own bound', async () => {
    const { cache } = createMemoryState();
    await cache.set('a', 'k', text(1), 1000, 1000);
    expect(await cache.get('a', 'k')).toEqual(text(1));
    expect(await cache.get('b', 'k')).toBeUndefined();
    await cache.set('b', 'k', text(2000), 1000, 1000);
    expect(await cache.get('b', 'k')).toBeUndefined();
    // A changed bound starts the space anew.
    await cache.set('a', 'other', text(1), 1000, 2000);
    expect(await cache.get('a', 'k')).toBeUndefined();
  });

  it.each([
    [{ kind: 'text', text: 'ä' }, 2],
    [{ kind: 'json', text: '{"a":1}' }, 7],
    [{ kind: 'json-bytes', chunks: [], byteLength: 9 }, 9],
    [{ kind: 'value', value: [1, 2] }, 5],
  ] as const)('count their bytes: %o', (body, bytes) => {
    expect(resultBytes(body)).toBe(bytes);
  });
});
