// What an outcome makes of its idempotency key. Pure.
import type { CallContext } from '../call.js';
import { classifyOnce, type ClassifySubject } from '../errors/classify.js';
import type { ErrorInfo } from '../errors/error-info.js';
import type { Outcome } from '../errors/outcome.js';
import type { FinalAnswer } from '../state/ports.js';
import { keptOutcome } from './kept-outcome.js';

/**
 * `final`: the same key gets the same answer. `unknown`: the call may have had its effect and may
 * not be repeated. `repeatable`: it may have had its effect, and the same arguments may be sent
 * again. `free`: nothing was executed.
 */
export type Fate =
  | { readonly kind: 'final'; readonly answer: FinalAnswer }
  | { readonly kind: 'unknown'; readonly info: ErrorInfo }
  | { readonly kind: 'repeatable' }
  | { readonly kind: 'free' };

const REPEATABLE: Fate = { kind: 'repeatable' };
const FREE: Fate = { kind: 'free' };

/** The fate of a key after its execution. */
export function fateOf(outcome: Outcome, ctx: CallContext, subject: ClassifySubject): Fate {
  if (outcome.kind === 'ok') {
    return { kind: 'final', answer: { kind: 'ok', outcome: keptOutcome(outcome) } };
  }
  const { info, status, refusedBeforeExecution } = classifyOnce(outcome, subject, ctx);
  const { effect, retryable, category } = info;
  const isNoAnswer = effect === 'not_sent' || refusedBeforeExecution;
  if (effect === 'unknown' || (ctx.effectMayHaveHappened && isNoAnswer)) {
    if (isSafeToRepeat(ctx, subject)) return REPEATABLE;
    return { kind: 'unknown', info: { ...withHistory(info, ctx), effect: 'unknown' } };
  }
  // Never left, refused before execution, or an operator's fault to mend: that is no answer yet.
  if (effect === 'not_sent' || retryable || category === 'configuration') return FREE;
  return { kind: 'final', answer: { kind: 'failed', info: withHistory(info, ctx), status } };
}

/** Repeating it cannot have its effect twice, whatever became of it. */
export function isSafeToRepeat(ctx: CallContext, subject: ClassifySubject): boolean {
  return subject.idempotent || ctx.keySent;
}

/** A kept verdict is shown as it is, so it carries the history of its execution. */
function withHistory(info: ErrorInfo, ctx: CallContext): ErrorInfo {
  return {
    ...info,
    details: {
      ...info.details,
      attempts: ctx.attempts,
      ...(ctx.retryStoppedBy !== undefined && { retry_stopped_by: ctx.retryStoppedBy }),
      ...(ctx.attemptLog !== undefined && { attempt_log: ctx.attemptLog }),
    },
  };
}
