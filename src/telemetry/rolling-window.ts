// One tool's last five minutes, for people who look at the page: calls and failures by category and
// latency in ten-second slots. A ring of counters, so that a call costs two increments.
import { CATEGORIES, type ErrorCategory } from '../errors/catalogue.js';

export const SLOT_MS = 10_000;
export const SLOTS = 30;

const CATEGORY_NAMES = Object.keys(CATEGORIES) as ErrorCategory[];
const CATEGORY_INDEX = new Map<string, number>(CATEGORY_NAMES.map((name, i) => [name, i + 1]));

/** Latency buckets are half octaves: bucket i ends at MIN_LATENCY_MS * 2^(i/2) milliseconds. */
const MIN_LATENCY_MS = 0.25;
const LATENCY_BUCKETS = 42;

const LATENCY_AT = CATEGORY_NAMES.length + 1;
const WIDTH = LATENCY_AT + LATENCY_BUCKETS;

/** Milliseconds, interpolated inside the half octave that holds the truth; null: no call. */
interface LatencyQuantiles {
  readonly p50: number | null;
  readonly p95: number | null;
  readonly p99: number | null;
}

export interface WindowSummary extends LatencyQuantiles {
  /** Calls per second over the last minute (over the time seen, while it is shorter). */
  readonly perSecond: number;
  readonly calls: number;
  readonly ok: number;
  /** Failures and refusals of the whole window; categories that did not occur are left out. */
  readonly byCategory: Readonly<Partial<Record<ErrorCategory, number>>>;
  /** Oldest first, `SLOTS` of each; the last slot is still filling. */
  readonly slots: {
    readonly ok: readonly number[];
    readonly byCategory: Readonly<Partial<Record<ErrorCategory, readonly number[]>>>;
    readonly p50: readonly (number | null)[];
    readonly p95: readonly (number | null)[];
  };
}

function latencyBucket(ms: number): number {
  if (!(ms > MIN_LATENCY_MS)) return 0;
  const bucket = Math.ceil(2 * Math.log2(ms / MIN_LATENCY_MS));
  return bucket < LATENCY_BUCKETS ? bucket : LATENCY_BUCKETS - 1;
}

function quantile(cells: Uint32Array, from: number, share: number): number | null {
  let total = 0;
  for (let i = 0; i < LATENCY_BUCKETS; i += 1) total += cells[from + i] ?? 0;
  if (total === 0) return null;
  const rank = share * total;
  let before = 0;
  for (let i = 0; i < LATENCY_BUCKETS; i += 1) {
    const here = cells[from + i] ?? 0;
    if (here > 0 && before + here >= rank) {
      const within = (rank - before) / here;
      const ms = MIN_LATENCY_MS * 2 ** ((i - 1 + within) / 2);
      return Math.round(ms * 100) / 100;
    }
    before += here;
  }
  return null;
}

/** About 7 KB, made at the first call of a tool. */
export class RollingWindow {
  readonly #cells = new Uint32Array(SLOTS * WIDTH);
  /** Which ten seconds (since the clock's zero) each slot of the ring holds. */
  readonly #slotNumber = new Float64Array(SLOTS).fill(-1);
  readonly #firstAt: number;

  /** `now` here and below: `performance.now()` milliseconds. */
  constructor(now: number) {
    this.#firstAt = now;
  }

  /**
   * Counts one call. `category` is undefined for ok; `latencyMs` undefined where nothing was asked
   * (a local refusal), so that an open breaker does not make a tool look fast.
   */
  record(now: number, category: string | undefined, latencyMs: number | undefined): void {
    const number = Math.floor(now / SLOT_MS);
    const slot = number % SLOTS;
    const at = slot * WIDTH;
    if (this.#slotNumber[slot] !== number) {
      this.#cells.fill(0, at, at + WIDTH);
      this.#slotNumber[slot] = number;
    }
    const kind = category === undefined ? 0 : (CATEGORY_INDEX.get(category) ?? 0);
    this.#bump(at + kind);
    if (latencyMs !== undefined) this.#bump(at + LATENCY_AT + latencyBucket(latencyMs));
  }

  #bump(index: number): void {
    this.#cells[index] = (this.#cells[index] ?? 0) + 1;
  }

  /** Where the slot of this number starts, or undefined when nothing was counted in it. */
  #slotStart(number: number): number | undefined {
    const slot = ((number % SLOTS) + SLOTS) % SLOTS;
    return this.#slotNumber[slot] === number ? slot * WIDTH : undefined;
  }

  summary(now: number): WindowSummary {
    const last = Math.floor(now / SLOT_MS);
    const sums = new Uint32Array(WIDTH);
    const ok = new Array<number>(SLOTS).fill(0);
    const p50 = new Array<number | null>(SLOTS).fill(null);
    const p95 = new Array<number | null>(SLOTS).fill(null);
    const byCategory: Partial<Record<ErrorCategory, number[]>> = {};
    let lastMinute = 0;
    for (let i = 0; i < SLOTS; i += 1) {
      const start = this.#slotStart(last - SLOTS + 1 + i);
      if (start === undefined) continue;
      ok[i] = this.#cells[start] ?? 0;
      p50[i] = quantile(this.#cells, start + LATENCY_AT, 0.5);
      p95[i] = quantile(this.#cells, start + LATENCY_AT, 0.95);
      for (let j = 0; j < WIDTH; j += 1) sums[j] = (sums[j] ?? 0) + (this.#cells[start + j] ?? 0);
      let calls = ok[i] ?? 0;
      CATEGORY_NAMES.forEach((name, c) => {
        const count = this.#cells[start + 1 + c] ?? 0;
        if (count === 0) return;
        calls += count;
        (byCategory[name] ??= new Array<number>(SLOTS).fill(0))[i] = count;
      });
      if (i >= SLOTS - 6) lastMinute += calls;
    }
    return {
      perSecond: this.#perSecond(now, lastMinute),
      calls: sums.subarray(0, LATENCY_AT).reduce((total, count) => total + count, 0),
      ok: sums[0] ?? 0,
      byCategory: totals(byCategory),
      p50: quantile(sums, LATENCY_AT, 0.5),
      p95: quantile(sums, LATENCY_AT, 0.95),
      p99: quantile(sums, LATENCY_AT, 0.99),
      slots: { ok, byCategory, p50, p95 },
    };
  }

  /** The six slots hold 50 s and the part of the last one that has gone by. */
  #perSecond(now: number, calls: number): number {
    const seen = Math.min(5 * SLOT_MS + (now % SLOT_MS), now - this.#firstAt);
    return Math.round((calls / (Math.max(seen, 1000) / 1000)) * 100) / 100;
  }
}

function totals(
  byCategory: Partial<Record<ErrorCategory, number[]>>,
): Partial<Record<ErrorCategory, number>> {
  const sums: Partial<Record<ErrorCategory, number>> = {};
  for (const name of CATEGORY_NAMES) {
    const counts = byCategory[name];
    if (counts !== undefined) sums[name] = counts.reduce((total, count) => total + count, 0);
  }
  return sums;
}
