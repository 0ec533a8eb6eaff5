// The cooldown gate: an upstream that said "not before" (429, or 503 with a time) is not asked again
// before, by anyone. The gate only ever extends. Once it opens it is just open, and those it refused
// come back spread over a moment. But where the upstream bears a known pace and callers do come when
// they are told, they line up at that pace, and newcomers behind them, until nobody is left to come.
import type { CallContext, ResolvedCall } from '../call.js';
import { adviceMs, CLOCK_SLACK_MS } from './clock.js';
import { Pace } from './pace.js';
import { callerOf, Turns, type Caller, type Supply } from './turns.js';

/** Callers that may come at once. */
const BURST = 2;
const MIN_GRACE_MS = 50;
const MAX_GRACE_MS = 1000;
/** A line of callers who do not come idles the upstream: five that were missed in a row end it. */
const KEPT_WEIGHT = 0.15;
/** Who does not line up comes within such a part of the pause after it, and within this time. */
const SPREAD_SHARE = 0.05;
const MAX_SPREAD_MS = 5000;
/** Its multiples, modulo 1, lie evenly however many there are. */
const GOLDEN = 0.618_033_988_75;

export class CooldownGate {
  readonly #pace: Pace;
  #turns = new Turns(KEPT_WEIGHT);
  #until = -Infinity;
  #spreadMs = 0;
  /** Where in that time the next one without a name comes, 0 to 1. */
  #place = 0;
  #free = 1;
  #filledAt = 0;

  /** @param knownSpacingMs the configured time between two calls; absent: it is learned. */
  constructor(knownSpacingMs?: number) {
    this.#pace = new Pace(knownSpacingMs);
  }

  /** Whether the upstream's time is over (or it never named one). */
  isOpen(): boolean {
    return this.#until === -Infinity || this.#until <= performance.now() + CLOCK_SLACK_MS;
  }

  /** Milliseconds until the gate opens; 0 when it is open. */
  remainingMs(): number {
    return Math.max(0, this.#until - performance.now());
  }

  /**
   * Stops calls for `ms` from now; an earlier, longer stop stays.
   *
   * @param tooMany the upstream complains about the number of calls, so that their pace matters
   */
  extend(ms: number, tooMany: boolean): void {
    const now = performance.now();
    if (!tooMany) this.#pace.pausedOtherwise();
    else if (this.isOpen()) this.#pace.paused(now, ms);
    else this.#pace.refusedToo();
    if (now + ms <= this.#until) return;
    this.#until = now + ms;
    this.#spreadMs = Math.min(MAX_SPREAD_MS, SPREAD_SHARE * ms);
    this.#place = 0;
    this.#free = 1;
    this.#filledAt = this.#until;
  }

  /** An attempt goes upstream. */
  sent(): void {
    this.#pace.sent();
  }

  /** An attempt succeeded. */
  succeeded(): void {
    this.#pace.succeeded();
  }

  /** Lets a call through: 0. Else the milliseconds until its turn, the same moment when early. */
  enter(call: ResolvedCall, ctx: CallContext): number {
    const open = this.isOpen();
    // A repetition inside waited its hint out: it goes as soon as the gate is open.
    if (open && (this.#turns.outstanding === 0 || ctx.attempts > 0)) return 0;
    const now = performance.now();
    this.#sweep(now);
    const caller = callerOf(call, ctx);
    const { spacingMs } = this.#pace;
    if (open) return spacingMs === 0 ? 0 : this.#inTurn(caller, now);
    // Whether callers without a name come back cannot be seen: they do not line up.
    const lines = spacingMs > 0 && caller.key !== undefined;
    return adviceMs((lines ? this.#turnOf(caller) : this.#spread(caller)) - now);
  }

  #sweep(now: number): void {
    const graceMs = Math.min(MAX_GRACE_MS, Math.max(MIN_GRACE_MS, 2 * this.#pace.spacingMs));
    this.#turns.sweep(now, graceMs);
    // Nobody keeps to what it was told: lining them up would only idle the upstream.
    if (!this.#turns.areKept) this.#pace.giveUp();
    if (this.#pace.spacingMs === 0) this.#turns = new Turns(KEPT_WEIGHT);
  }

  #inTurn(caller: Caller, now: number): number {
    const turn = this.#turns.find(caller);
    const supply = this.#supply(now);
    if (turn?.state === 'due' || this.#turns.spare(now, supply)) {
      if (turn !== undefined) this.#turns.release(turn);
      this.#free = Math.max(0, this.#free - 1);
      return 0;
    }
    return adviceMs((turn?.dueAt ?? this.#turns.issue(caller, now, supply, now)) - now);
  }

  #turnOf(caller: Caller): number {
    const turn = this.#turns.find(caller);
    if (turn !== undefined) {
      if (turn.dueAt >= this.#until) return turn.dueAt;
      // The gate was extended beyond its moment.
      this.#turns.release(turn);
    }
    const { spacingMs } = this.#pace;
    const dueAt = Math.max(this.#until, this.#turns.lastDueAt + spacingMs);
    return Math.max(this.#until, this.#turns.issueAt(caller, dueAt, spacingMs, this.#until));
  }

  /** A moment after the pause: for a named call the same as long as the pause's end is. */
  #spread({ group, key }: Caller): number {
    let place = this.#place;
    if (key === undefined) this.#place = (place + GOLDEN) % 1;
    else place = hash(`${group}\u0000${key}`) / 2 ** 32;
    return this.#until + place * this.#spreadMs;
  }

  #supply(now: number): Supply {
    const perMs = 1 / this.#pace.spacingMs;
    const refill = Math.max(0, now - this.#filledAt) * perMs;
    this.#free = Math.min(BURST, this.#free + refill);
    this.#filledAt = Math.max(this.#filledAt, now);
    return { free: this.#free, perMs, lag: 0 };
  }
}

/** FNV-1a. */
function hash(text: string): number {
  let mixed = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) {
    mixed = Math.imul(mixed ^ text.charCodeAt(at), 0x01000193);
  }
  return mixed >>> 0;
}
