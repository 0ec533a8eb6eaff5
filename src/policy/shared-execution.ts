// One execution that several calls wait for. Each keeps its own deadline and cancellation: who
// leaves gets its own outcome, and the execution goes on as long as anybody waits.
import type { CallContext } from '../call.js';
import { Cancellation } from '../cancellation.js';
import type { CancelReason, Outcome, Phase } from '../errors/outcome.js';
import { timerMs } from './clock.js';

export class SharedExecution {
  readonly #ctx: CallContext;
  readonly #cancellation = new Cancellation();
  readonly #outcome: Promise<Outcome>;
  #waiting = 0;

  /** @param first the call that starts it: its deadline and its run are the execution's. */
  constructor(first: CallContext, run: (ctx: CallContext) => Promise<Outcome>) {
    this.#ctx = { ...first, cancellation: this.#cancellation };
    this.#outcome = run(this.#ctx);
  }

  /** Waits for the outcome; ends earlier with the caller's own cancellation or deadline. */
  async join(ctx: CallContext): Promise<Outcome> {
    this.#waiting += 1;
    const outcome = await this.#firstOf(ctx);
    ctx.attempts = this.#ctx.attempts;
    ctx.attemptLog = this.#ctx.attemptLog;
    ctx.retryStoppedBy = this.#ctx.retryStoppedBy;
    ctx.effectMayHaveHappened = this.#ctx.effectMayHaveHappened;
    ctx.keySent = this.#ctx.keySent;
    return outcome;
  }

  #firstOf(ctx: CallContext): Promise<Outcome> {
    return new Promise((resolve) => {
      let timer: NodeJS.Timeout | undefined;
      const settle = (outcome: Outcome | Promise<Outcome>): void => {
        clearTimeout(timer);
        ctx.cancellation.unsubscribe(onCancel);
        resolve(outcome);
      };
      const onCancel = (reason: CancelReason): void => {
        // Who leaves last waits for the end: that tells best what became of it.
        if (this.#leave(reason)) settle({ kind: 'cancelled', reason, phase: this.#phase() });
      };
      const onDeadline = (): void => {
        const { deadlineScope: scope, deadlineMs: timeoutMs } = ctx;
        const phase = this.#phase();
        this.#leave('cancelled_by_request');
        settle({ kind: 'timeout', scope, phase, timeoutMs });
      };
      if (ctx.deadlineAt < this.#ctx.deadlineAt) {
        timer = setTimeout(onDeadline, timerMs(ctx.deadlineAt - performance.now()));
      }
      if (ctx.cancellation.reason === undefined) ctx.cancellation.subscribe(onCancel);
      else onCancel(ctx.cancellation.reason);
      // A fault of ours rejects for everybody who waits.
      const end = (): void => {
        settle(this.#outcome);
      };
      this.#outcome.then(end, end);
    });
  }

  /** Whether others still wait; if none does, the execution is stopped. */
  #leave(reason: CancelReason): boolean {
    this.#waiting -= 1;
    if (this.#waiting > 0) return true;
    this.#cancellation.cancel(reason);
    return false;
  }

  /** As far as others can tell: once an attempt was made, it may have been executed. */
  #phase(): Phase {
    return this.#ctx.attempts > 0 ? 'awaiting_headers' : 'queued';
  }
}
