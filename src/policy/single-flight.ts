// Calls that want the same thing at the same time share one execution.
import type { CallContext } from '../call.js';
import type { FailedOutcome, Outcome } from '../errors/outcome.js';
import { SharedExecution } from './shared-execution.js';

export class SingleFlight {
  readonly #running = new Map<string, SharedExecution>();

  /**
   * Executes, or waits for the execution of the same key; an answer of somebody else's execution is
   * marked as cached.
   */
  async run(
    key: string,
    ctx: CallContext,
    execute: (ctx: CallContext) => Promise<Outcome>,
  ): Promise<Outcome> {
    // Ends: every round but the last waits for somebody else's execution, within the own deadline.
    for (;;) {
      const running = this.#running.get(key);
      if (running === undefined) return this.#lead(key, ctx, execute).join(ctx);
      const outcome = await running.join(ctx);
      if (outcome.kind === 'ok') return { ...outcome, cached: true };
      if (hasEnded(ctx) || !endedForItsCaller(outcome)) return outcome;
    }
  }

  #lead(
    key: string,
    ctx: CallContext,
    execute: (ctx: CallContext) => Promise<Outcome>,
  ): SharedExecution {
    const execution = new SharedExecution(ctx, async (own) => {
      try {
        return await execute(own);
      } finally {
        this.#running.delete(key);
      }
    });
    this.#running.set(key, execution);
    return execution;
  }
}

function hasEnded(ctx: CallContext): boolean {
  return ctx.cancellation.reason !== undefined || ctx.deadlineAt <= performance.now();
}

/** Whoever led left, or had no time left: that says nothing to those who still wait. */
function endedForItsCaller(outcome: FailedOutcome): boolean {
  if (outcome.kind === 'cancelled') return true;
  return outcome.kind === 'timeout' && (outcome.scope === 'call' || outcome.scope === 'deadline');
}
