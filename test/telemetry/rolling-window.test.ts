import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { RollingWindow, SLOT_MS, SLOTS } from '../../src/telemetry/rolling-window.js';

const START = 1_000_000;
const WINDOW_MS = SLOT_MS * SLOTS;

describe('the last five minutes of a tool', () => {
  test('hold calls by how they ended, in slots of ten seconds', () => {
    const window = new RollingWindow(START);
    window.record(START, undefined, 10);
    window.record(START + SLOT_MS, 'timeout', 20);
    window.record(START + SLOT_MS, 'timeout', 20);
    const { slots, ok, byCategory, calls } = window.summary(START + SLOT_MS);
    expect({ ok, byCategory, calls }).toEqual({ ok: 1, byCategory: { timeout: 2 }, calls: 3 });
    expect(slots.ok.slice(-2)).toEqual([1, 0]);
    expect(slots.byCategory.timeout?.slice(-2)).toEqual([0, 2]);
    expect(slots.p50.slice(-3)[0]).toBeNull();
  });

  test('forget what is older', () => {
    const window = new RollingWindow(START);
    window.record(START, 'timeout', 10);
    expect(window.summary(START + WINDOW_MS - SLOT_MS).calls).toBe(1);
    expect(window.summary(START + WINDOW_MS).calls).toBe(0);
    window.record(START + WINDOW_MS, undefined, 10);
    const after = window.summary(START + WINDOW_MS);
    expect(after.byCategory).toEqual({});
    expect(after.ok).toBe(1);
  });

  test('give the rate of the last minute, and of less while there is less', () => {
    const young = new RollingWindow(START);
    for (let i = 0; i < 50; i += 1) young.record(START + i * 100, undefined, 1);
    expect(young.summary(START + 5000).perSecond).toBeCloseTo(10, 0);
    const old = new RollingWindow(START);
    for (let second = 0; second < 200; second += 1) {
      for (let i = 0; i < 4; i += 1) old.record(START + second * 1000, undefined, 1);
    }
    expect(old.summary(START + 199_999).perSecond).toBeCloseTo(4, 1);
    expect(old.summary(START + 199_999 + 60_000).perSecond).toBe(0);
  });

  test('leave out the latency of calls that asked nobody', () => {
    const window = new RollingWindow(START);
    window.record(START, 'circuit_open', undefined);
    const summary = window.summary(START);
    expect(summary.calls).toBe(1);
    expect(summary.p50).toBeNull();
  });

  test('give quantiles within half an octave of the truth, in order', () => {
    const latency = fc.double({ min: 0.3, max: 250_000, noNaN: true });
    fc.assert(
      fc.property(fc.array(latency, { minLength: 1, maxLength: 200 }), (all) => {
        const window = new RollingWindow(START);
        for (const ms of all) window.record(START, undefined, ms);
        const sorted = [...all].sort((a, b) => a - b);
        const exact = (share: number) => sorted[Math.ceil(share * sorted.length) - 1]!;
        const { p50, p95, p99 } = window.summary(START);
        for (const [seen, share] of [
          [p50!, 0.5],
          [p95!, 0.95],
          [p99!, 0.99],
        ] as const) {
          // A half octave is 41 % wide; interpolation stays inside the value's own bucket.
          expect(seen / exact(share)).toBeGreaterThan(0.69);
          expect(seen / exact(share)).toBeLessThan(1.43);
        }
        expect(p50).toBeLessThanOrEqual(p95!);
        expect(p95).toBeLessThanOrEqual(p99!);
      }),
    );
  });

  test('take any latency without losing the call', () => {
    const window = new RollingWindow(START);
    for (const ms of [0, -1, NaN, Infinity, 1e12]) window.record(START, undefined, ms);
    expect(window.summary(START).calls).toBe(5);
  });
});
