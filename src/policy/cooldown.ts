// The cooldown gate: an upstream that said "not before" (429, or 503 with a time) is not asked again
// before, by anyone. The gate only ever extends. When it opens, those it refused come back one after
// another at the pace the upstream bears, and newcomers line up behind them; when nobody is left to
// come, it is just open.
import type { CallContext, ResolvedCall } from '../call.js';
import { adviceMs, CLOCK_SLACK_MS } from './clock.js';
import { Pace } from './pace.js';
import { callerOf, Turns, type Caller, type Supply } from './turns.js';

/** Callers that may come at once. */
const BURST = 2;
const MIN_GRACE_MS = 50;
const MAX_GRACE_MS = 1000;

export class CooldownGate {
  readonly #turns = new Turns();
  readonly #pace: Pace;
  #until = -Infinity;
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

  /** Stops calls for `ms` from now; an earlier, longer stop stays. */
  extend(ms: number): void {
    const now = performance.now();
    if (this.isOpen()) this.#pace.paused(now, ms, this.#turns.lastDueAt);
    else this.#pace.refusedToo();
    this.#until = Math.max(this.#until, now + ms);
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
    const graceMs = Math.min(MAX_GRACE_MS, Math.max(MIN_GRACE_MS, 2 * this.#pace.spacingMs));
    this.#turns.sweep(now, graceMs);
    const caller = callerOf(call, ctx);
    if (!open) return this.#refuse(caller, now);
    // Nobody keeps to what it was told: lining them up would only idle the upstream.
    return this.#turns.areKept ? this.#inTurn(caller, now) : 0;
  }

  #inTurn(caller: Caller, now: number): number {
    const turn = this.#turns.find(caller);
    const supply = this.#supply(now);
    if (turn?.state === 'due' || this.#turns.spare(now, supply)) {
      if (turn !== undefined) this.#turns.release(turn);
      this.#free = Math.max(0, this.#free - 1);
      return 0;
    }
    return adviceMs((turn?.dueAt ?? this.#turns.issue(caller, now, supply)) - now);
  }

  #refuse(caller: Caller, now: number): number {
    const turn = this.#turns.find(caller);
    if (turn !== undefined) {
      if (turn.dueAt >= this.#until) return adviceMs(turn.dueAt - now);
      // The gate was extended beyond its moment.
      this.#turns.release(turn);
    }
    const { spacingMs } = this.#pace;
    const dueAt = Math.max(this.#until, this.#turns.lastDueAt + spacingMs);
    return adviceMs(this.#turns.issueAt(caller, dueAt, spacingMs) - now);
  }

  #supply(now: number): Supply {
    const perMs = 1 / this.#pace.spacingMs;
    const refill = Math.max(0, now - this.#filledAt) * perMs;
    this.#free = Math.min(BURST, this.#free + refill);
    this.#filledAt = Math.max(this.#filledAt, now);
    return { free: this.#free, perMs, lag: 0 };
  }
}
