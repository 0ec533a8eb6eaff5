// Asks the breaker before an attempt and tells it the verdict after. Inside the bulkhead: a call
// that waits for a slot holds no probe, and a refused slot is no failure.
import type { Layer } from '../call.js';
import { breakerVerdict, type ClassifySubject } from '../errors/classify.js';
import type { BreakerVerdict } from '../errors/error-info.js';
import type { Breaker, Spread } from './breaker.js';

/** Refuses while the breaker is open; a call that made no attempt counts as neutral. */
export function breakerLayer(
  breaker: Breaker,
  subject: ClassifySubject,
  spread: () => Spread,
): Layer {
  return (next) => async (call, ctx) => {
    const permit = breaker.acquire();
    if (permit === undefined) {
      const resetTimeoutMs = breaker.policy.openMs;
      return { kind: 'circuit-open', ...breaker.refuse(call, ctx, spread()), resetTimeoutMs };
    }
    const { attempts } = ctx;
    let verdict: BreakerVerdict = 'neutral';
    try {
      const outcome = await next(call, ctx);
      if (ctx.attempts > attempts) verdict = breakerVerdict(outcome, subject, ctx);
      return outcome;
    } finally {
      breaker.report(permit, verdict);
    }
  };
}
