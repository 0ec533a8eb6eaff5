// The state ports in this process's memory. Every method is atomic because it does not wait.
import type { OkOutcome } from '../errors/outcome.js';
import { BoundedMap } from './bounded-map.js';
import { MemoryIdempotency } from './memory-idempotency.js';
import type { ResultCache, RunBudgets, StatePorts } from './ports.js';
import { ENTRY_OVERHEAD_BYTES, resultBytes } from './result-size.js';

export interface MemoryStateOptions {
  /** Idempotency records of all tools together, bytes. Default 64 MiB. */
  readonly idempotencyMaxBytes?: number;
  /** Runs whose budgets are remembered. Default 100 000; the oldest are forgotten first. */
  readonly maxRuns?: number;
}

const DEFAULT_IDEMPOTENCY_BYTES = 64 * 1024 * 1024;
const DEFAULT_MAX_RUNS = 100_000;

/** Counts, idempotency records and cached answers in memory, all of them bounded. */
export function createMemoryState(options: MemoryStateOptions = {}): StatePorts {
  return {
    runBudgets: new MemoryRunBudgets(options.maxRuns ?? DEFAULT_MAX_RUNS),
    idempotency: new MemoryIdempotency(options.idempotencyMaxBytes ?? DEFAULT_IDEMPOTENCY_BYTES),
    cache: new MemoryResultCache(),
  };
}

class MemoryRunBudgets implements RunBudgets {
  readonly #used: BoundedMap<number>;

  constructor(maxRuns: number) {
    this.#used = new BoundedMap(maxRuns * 2 * ENTRY_OVERHEAD_BYTES);
  }

  take(key: string, limit: number, ttlMs: number): Promise<boolean> {
    const used = this.#used.get(key) ?? 0;
    if (used >= limit) return Promise.resolve(false);
    this.#used.set(key, used + 1, 0, ttlMs);
    return Promise.resolve(true);
  }
}

interface Space {
  readonly maxBytes: number;
  readonly entries: BoundedMap<OkOutcome>;
}

class MemoryResultCache implements ResultCache {
  readonly #spaces = new Map<string, Space>();

  get(space: string, key: string): Promise<OkOutcome | undefined> {
    return Promise.resolve(this.#spaces.get(space)?.entries.get(key));
  }

  set(
    space: string,
    key: string,
    outcome: OkOutcome,
    ttlMs: number,
    maxBytes: number,
  ): Promise<void> {
    let kept = this.#spaces.get(space);
    if (kept?.maxBytes !== maxBytes) {
      kept = { maxBytes, entries: new BoundedMap(maxBytes) };
      this.#spaces.set(space, kept);
    }
    kept.entries.set(key, outcome, resultBytes(outcome.result), ttlMs);
    return Promise.resolve();
  }
}
