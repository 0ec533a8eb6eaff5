// The retry layer: outermost of those that touch the upstream, so that a backoff holds no slot and
// every repetition passes limiter, bulkhead and breaker again. The only place that repeats calls.
import type { CallContext, Invoke, Layer, ResolvedCall, ToolDefinition } from '../call.js';
import type { ToolObserver } from '../call.js';
import { classifyOnce, type ClassifySubject } from '../errors/classify.js';
import type { Classification } from '../errors/error-info.js';
import type { FailedOutcome, Outcome } from '../errors/outcome.js';
import type { RunBudgets } from '../state/ports.js';
import { sleep } from './clock.js';
import type { CooldownGate } from './cooldown.js';
import type { RetryBudget } from './retry-budget.js';
import { decideRetry, type RetryDecision } from './retry-decision.js';

/** How long a run's count of retries is remembered after its last one. */
const RUN_BUDGET_TTL_MS = 3_600_000;

export interface RetryDeps {
  readonly subject: ClassifySubject;
  readonly observer: ToolObserver;
  readonly budget: RetryBudget;
  readonly runBudgets: RunBudgets;
  readonly gate: CooldownGate;
  readonly random: () => number;
  readonly onInternalError?: ((error: unknown, requestId: string) => void) | undefined;
}

/** Repeats what may be repeated; says in the context why it stopped. */
export function retryLayer(tool: ToolDefinition, deps: RetryDeps): Layer {
  return (next) => {
    const repeater = new Repeater(tool, deps, next);
    return (call, ctx) => {
      const since = performance.now();
      return next(call, ctx).then((outcome) => {
        if (outcome.kind !== 'ok') return repeater.afterFailure(call, ctx, outcome, since);
        deps.budget.succeeded();
        return outcome;
      });
    };
  };
}

class Repeater {
  readonly #tool: ToolDefinition;
  readonly #deps: RetryDeps;
  readonly #next: Invoke;

  constructor(tool: ToolDefinition, deps: RetryDeps, next: Invoke) {
    this.#tool = tool;
    this.#deps = deps;
    this.#next = next;
  }

  async afterFailure(
    call: ResolvedCall,
    ctx: CallContext,
    first: FailedOutcome,
    startedAt: number,
  ): Promise<Outcome> {
    let outcome: Outcome = first;
    let since = startedAt;
    let attempts = 0;
    // Ends: `decideRetry` stops at `maxAttempts` at the latest.
    for (let tries = 1; ; tries += 1) {
      const classification = classifyOnce(outcome, this.#deps.subject, ctx);
      if (ctx.attempts > attempts) record(ctx, classification, outcome, since);
      attempts = ctx.attempts;
      const decided = this.#decide(call, ctx, outcome, classification, tries);
      const decision = decided instanceof Promise ? await decided : decided;
      if (!decision.retry) {
        ctx.retryStoppedBy = decision.stoppedBy;
        return outcome;
      }
      if (classification.info.effect === 'unknown') ctx.effectMayHaveHappened = true;
      const reason = await this.#wait(ctx, decision.delayMs);
      if (reason !== undefined) return { kind: 'cancelled', reason, phase: 'queued' };
      this.#deps.observer.retry(classification.info.code);
      since = performance.now();
      outcome = await this.#next(call, ctx);
      if (outcome.kind === 'ok') {
        this.#deps.budget.succeeded();
        return outcome;
      }
    }
  }

  #decide(
    call: ResolvedCall,
    ctx: CallContext,
    outcome: FailedOutcome,
    classification: Classification,
    tries: number,
  ): RetryDecision | Promise<RetryDecision> {
    const { policy } = this.#tool;
    const decision = decideRetry(policy.retry, {
      outcome,
      classification,
      tries,
      leftMs: ctx.deadlineAt - performance.now(),
      random: this.#deps.random(),
    });
    if (!decision.retry) return decision;
    // The run's budget is asked last: it may be remote, and what it gave is spent.
    if (!this.#deps.budget.take()) return { retry: false, stoppedBy: 'budget' };
    if (ctx.runId === undefined) return decision;
    return this.#takeOfRun(call, ctx).then((taken) => {
      if (!taken) this.#deps.budget.refund();
      return taken ? decision : { retry: false, stoppedBy: 'budget' };
    });
  }

  async #takeOfRun(call: ResolvedCall, ctx: CallContext): Promise<boolean> {
    const key = `${ctx.client}\u0000${ctx.runId ?? ''}\u0000${this.#tool.name}`;
    try {
      const { maxToolAttempts } = this.#tool.policy;
      return await this.#deps.runBudgets.take(key, maxToolAttempts, RUN_BUDGET_TTL_MS);
    } catch (error) {
      // Without its budget the run is not trusted with a retry.
      this.#deps.onInternalError?.(error, ctx.requestId);
      return false;
    }
  }

  /** Sleeps; and on, where the gate was closed for longer meanwhile and the call can afford it. */
  async #wait(ctx: CallContext, delayMs: number): ReturnType<typeof sleep> {
    const { baseMs, maxWaitMs } = this.#tool.policy.retry;
    let waitedMs = 0;
    let nextMs = delayMs;
    for (;;) {
      const reason = await sleep(nextMs, ctx.cancellation);
      if (reason !== undefined) return reason;
      waitedMs += nextMs;
      nextMs = this.#deps.gate.remainingMs();
      const leftMs = ctx.deadlineAt - performance.now();
      if (nextMs <= 0 || waitedMs + nextMs > maxWaitMs || nextMs >= leftMs) return undefined;
      // Never over the time left for the sake of the jitter alone.
      nextMs += Math.min(this.#deps.random() * baseMs, (leftMs - nextMs) / 2);
    }
  }
}

function record(
  ctx: CallContext,
  { info }: Classification,
  outcome: FailedOutcome,
  since: number,
): void {
  ctx.attemptLog ??= [];
  ctx.attemptLog.push({
    code: info.code,
    ...(outcome.kind === 'response' && { status: outcome.status }),
    duration_ms: Math.round((performance.now() - since) * 10) / 10,
    ...(info.retry_after_ms !== null && { retry_after_ms: info.retry_after_ms }),
  });
}
