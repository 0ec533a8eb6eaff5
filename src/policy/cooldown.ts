// The cooldown gate: an upstream that said "not before" (429, or 503 with a time) is not asked again
// before, by anyone. The gate only ever extends, and refused callers come back one after another.
import type { CallContext, ResolvedCall } from '../call.js';
import { adviceMs, CLOCK_SLACK_MS } from './clock.js';
import { callerOf, Turns } from './turns.js';

const GRACE_MS = 1000;

export class CooldownGate {
  #until = -Infinity;
  readonly #turns = new Turns();
  readonly #spacingMs: () => number;

  /** @param spacingMs the time between two callers after the gate has opened, milliseconds. */
  constructor(spacingMs: () => number) {
    this.#spacingMs = spacingMs;
  }

  /** Whether calls are let through. */
  isOpen(): boolean {
    return this.#until <= performance.now() + CLOCK_SLACK_MS;
  }

  /** Milliseconds until the gate opens; 0 when it is open. */
  remainingMs(): number {
    return Math.max(0, this.#until - performance.now());
  }

  /** Stops calls for `ms` from now; an earlier, longer stop stays. */
  extend(ms: number): void {
    this.#until = Math.max(this.#until, performance.now() + ms);
  }

  /** When this caller's turn is; the same moment again when it comes early. */
  adviseMs(call: ResolvedCall, ctx: CallContext): number {
    const now = performance.now();
    this.#turns.sweep(now, GRACE_MS);
    const caller = callerOf(call, ctx);
    const turn = this.#turns.find(caller);
    if (turn !== undefined) {
      if (turn.dueAt >= this.#until) return adviceMs(turn.dueAt - now);
      this.#turns.release(turn);
    }
    const spacingMs = this.#spacingMs();
    const dueAt = this.#until + this.#turns.outstanding * spacingMs;
    return adviceMs(this.#turns.issueAt(caller, dueAt, spacingMs) - now);
  }
}
