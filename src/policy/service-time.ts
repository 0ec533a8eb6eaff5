// A running estimate of how long the upstream holds a slot: what advice about a full bulkhead and
// about a probe under way is computed from.

/** Assumed until the first attempt has ended, milliseconds. Short: a wrong guess is soon corrected. */
const GUESS_MS = 100;
const WEIGHT = 0.1;
const MIN_MS = 0.1;

/** Exponentially weighted mean, O(1). */
export class ServiceTime {
  #meanMs: number | undefined;

  /** Milliseconds; never 0. */
  get ms(): number {
    return Math.max(MIN_MS, this.#meanMs ?? GUESS_MS);
  }

  add(ms: number): void {
    this.#meanMs = this.#meanMs === undefined ? ms : this.#meanMs + WEIGHT * (ms - this.#meanMs);
  }
}
