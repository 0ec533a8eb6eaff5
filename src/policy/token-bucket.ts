// A token bucket whose refusals are appointments: the k-th refused caller is told the k-th free
// token and finds it there. In any window, admitted calls <= burst + rate x window.
import type { RateLimitPolicy } from '../call.js';
import { adviceMs } from './clock.js';
import { ONE_UNIT, Turns, type Caller, type Supply } from './turns.js';

const MIN_GRACE_MS = 50;
const MAX_GRACE_MS = 1000;
/** The longest that a caller whose turn it is waits inside for its token. */
const MAX_PACE_MS = 250;

/** Tokens that come evenly, up to `burst` of them. Refilled when looked at: it has no timer. */
class TokenBucket {
  readonly perMs: number;
  readonly #burst: number;
  #tokens: number;
  #filledAt: number;

  constructor({ calls, perMs, burst }: RateLimitPolicy) {
    this.perMs = calls / perMs;
    this.#burst = burst;
    this.#tokens = burst;
    this.#filledAt = performance.now();
  }

  /** Tokens at `now`. */
  fill(now: number): number {
    const refill = Math.max(0, now - this.#filledAt) * this.perMs;
    this.#tokens = Math.min(this.#burst, this.#tokens + refill);
    this.#filledAt = now;
    return this.#tokens;
  }

  add(tokens: number): void {
    this.#tokens = Math.min(this.#burst, this.#tokens + tokens);
  }
}

/** A tool's limiter. */
export class RateLimiter {
  /** The configured number of calls, for `details.limit`. */
  readonly limit: number;
  readonly #bucket: TokenBucket;
  readonly #turns = new Turns();
  readonly #graceMs: number;

  constructor(policy: RateLimitPolicy) {
    this.limit = policy.calls;
    this.#bucket = new TokenBucket(policy);
    // Late callers find their token still there, but never more than half of the bucket is kept.
    const halfBucketMs = policy.burst / this.#bucket.perMs / 2;
    this.#graceMs = Math.min(MAX_GRACE_MS, Math.max(MIN_GRACE_MS, halfBucketMs));
  }

  /** Time between two tokens, milliseconds. */
  get intervalMs(): number {
    return 1 / this.#bucket.perMs;
  }

  /** Tokens and promised tokens now, for the snapshot. */
  state(): { tokens: number; promised: number } {
    const now = performance.now();
    this.#turns.sweep(now, this.#graceMs);
    return {
      tokens: Math.max(0, Math.floor(this.#bucket.fill(now))),
      promised: this.#turns.outstanding,
    };
  }

  /**
   * Takes a token: 0. Positive: refused, come back in that many milliseconds. Negative: taken, but
   * wait that many milliseconds before you use it (the one before you came late).
   */
  take(caller: () => Caller): number {
    const now = performance.now();
    const { perMs } = this.#bucket;
    const free = this.#bucket.fill(now);
    if (this.#turns.outstanding === 0 && free >= ONE_UNIT) {
      this.#bucket.add(-1);
      return 0;
    }
    return this.#takeTurn(caller(), now, { free, perMs, lag: 0 });
  }

  #takeTurn(caller: Caller, now: number, supply: Supply): number {
    this.#turns.sweep(now, this.#graceMs);
    const turn = this.#turns.find(caller);
    const due = turn?.state === 'due';
    if (due ? supply.free >= ONE_UNIT : this.#turns.spare(now, supply)) {
      if (turn !== undefined) this.#turns.release(turn);
      this.#bucket.add(-1);
      return 0;
    }
    if (turn === undefined) return adviceMs(this.#turns.issue(caller, now, supply) - now);
    const paceMs = (1 - supply.free) / supply.perMs;
    if (due && paceMs <= MAX_PACE_MS) {
      this.#turns.release(turn);
      this.#bucket.add(-1);
      return -paceMs;
    }
    const dueAt = due ? this.#turns.postpone(turn, now, supply) : turn.dueAt;
    return adviceMs(dueAt - now);
  }

  /** Gives a token back that its call did not use: it was refused before it reached the upstream. */
  refund(): void {
    this.#bucket.add(1);
  }
}

/** The verdict of a client's own limit. */
export type CallAdmission =
  | { readonly admitted: true }
  | { readonly admitted: false; readonly retryAfterMs: number; readonly limit: number };

const ADMITTED: CallAdmission = { admitted: true };
const ANYONE: Caller = { group: '', key: undefined };
const anyone = (): Caller => ANYONE;

/** A client's limit over all its calls; the gateway asks it once per call. */
export class CallLimiter {
  readonly #limiter: RateLimiter;

  /** @param policy `burst` defaults to `calls`. */
  constructor(policy: { readonly calls: number; readonly perMs: number; readonly burst?: number }) {
    const { calls, perMs, burst = calls } = policy;
    this.#limiter = new RateLimiter({ calls, perMs, burst });
  }

  /** Takes one call from the limit, or says when this caller's own turn is. */
  take(): CallAdmission {
    const retryAfterMs = this.#limiter.take(anyone);
    return retryAfterMs <= 0
      ? ADMITTED
      : { admitted: false, retryAfterMs, limit: this.#limiter.limit };
  }
}
