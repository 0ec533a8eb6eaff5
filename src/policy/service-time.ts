// A running estimate of how long the upstream holds a slot: what advice about a full bulkhead and
// about a probe under way is computed from.

const WEIGHT = 0.1;
const MIN_MS = 0.1;
/** Before anything was measured, a share of the longest time allowed. Rather too long than too
 * short: callers that come too early are refused, those that come late leave nothing idle that
 * others would not take. */
const GUESS_SHARE = 1 / 20;
const MAX_GUESS_MS = 500;

/** Exponentially weighted mean, O(1). */
export class ServiceTime {
  /** NaN until something was measured: always a number, so that it is changed in place. */
  #meanMs = NaN;
  readonly #guessMs: number;

  /** @param timeoutMs the longest that one attempt may take. */
  constructor(timeoutMs: number) {
    this.#guessMs = Math.min(MAX_GUESS_MS, timeoutMs * GUESS_SHARE);
  }

  /** Milliseconds; never 0. */
  get ms(): number {
    return Math.max(MIN_MS, Number.isNaN(this.#meanMs) ? this.#guessMs : this.#meanMs);
  }

  /** An attempt ended after `ms`. */
  add(ms: number): void {
    this.#meanMs = Number.isNaN(this.#meanMs) ? ms : this.#meanMs + WEIGHT * (ms - this.#meanMs);
  }

  /** An attempt that was counted before held its slot for `ms` more. */
  extend(ms: number): void {
    this.#meanMs += WEIGHT * ms;
  }
}
