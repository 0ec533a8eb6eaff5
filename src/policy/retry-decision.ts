// Whether a failed attempt is repeated, and after which wait. Pure: budgets and clocks are asked by
// the layer. The order of the checks is the order of the reasons that callers are told.
import type { RetryPolicy } from '../call.js';
import type { Classification, RetryStoppedBy } from '../errors/error-info.js';
import type { FailedOutcome } from '../errors/outcome.js';

export interface RetryFacts {
  readonly outcome: FailedOutcome;
  readonly classification: Classification;
  /** Tries of this call so far, this one included. */
  readonly tries: number;
  /** Milliseconds until the call's deadline. */
  readonly leftMs: number;
  /** 0 <= random < 1. */
  readonly random: number;
}

export type RetryDecision =
  | { readonly retry: true; readonly delayMs: number }
  | { readonly retry: false; readonly stoppedBy: RetryStoppedBy | undefined };

/** Decides by classification, tries, time hint and time left. */
export function decideRetry(policy: RetryPolicy, facts: RetryFacts): RetryDecision {
  const { classification, tries, leftMs } = facts;
  const { info } = classification;
  if (isLocal(facts.outcome)) return stop(stoppedLocally(facts.outcome));
  if (!info.retryable) return stop(whyNot(classification));
  if (classification.upstreamSaidNo) return stop('upstream_said_no');
  // The upstream has used the one repetition already, over a fresh connection.
  if (classification.onceOnly) return stop('max_attempts');
  if (tries >= policy.maxAttempts) return stop('max_attempts');
  const hintMs = info.retry_after_ms;
  if (hintMs !== null && (hintMs > policy.maxWaitMs || hintMs >= leftMs)) {
    return stop('retry_after_exceeds_deadline');
  }
  const delayMs = delay(policy, facts, hintMs);
  return delayMs >= leftMs ? stop('deadline') : { retry: true, delayMs };
}

/**
 * Full jitter (a random part of base x 2^n, capped). A hint is waited out whole, and the jitter
 * comes on top, so that all who got the same hint do not come back in the same millisecond.
 */
function delay(policy: RetryPolicy, facts: RetryFacts, hintMs: number | null): number {
  const ceilingMs = Math.min(policy.maxMs, policy.baseMs * 2 ** (facts.tries - 1));
  const jitterMs = facts.random * ceilingMs;
  if (hintMs === null) return jitterMs;
  // Never over the time left for the sake of the jitter alone.
  const roomMs = Math.max(0, (facts.leftMs - hintMs) / 2);
  return hintMs + Math.min(jitterMs, roomMs);
}

function stop(stoppedBy: RetryStoppedBy | undefined): RetryDecision {
  return { retry: false, stoppedBy };
}

function whyNot({ info, status }: Classification): RetryStoppedBy | undefined {
  if (status === 'declined') return undefined;
  return info.details.transient ? 'unsafe_to_repeat' : 'not_retryable';
}

/** Refusals of the gateway itself: the caller may come again, the gateway does not try. */
function isLocal(outcome: FailedOutcome): boolean {
  switch (outcome.kind) {
    case 'circuit-open':
    case 'bulkhead-full':
    case 'rate-limited':
    case 'cancelled':
      return true;
    case 'timeout':
      return outcome.scope === 'call' || outcome.scope === 'deadline';
    default:
      return false;
  }
}

function stoppedLocally(outcome: FailedOutcome): RetryStoppedBy | undefined {
  return outcome.kind === 'timeout' ? 'deadline' : undefined;
}
