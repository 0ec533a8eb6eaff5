// The layer of limits that need no slot: the upstream's own "not before" and the tool's configured
// rate. It stands outside the bulkhead, so that who must wait for a token does not hold a place.
import type { CallContext, Layer, ResolvedCall, ToolObserver } from '../call.js';
import type { ClassifySubject } from '../errors/classify.js';
import { classifyOnce } from '../errors/classify.js';
import type { Outcome } from '../errors/outcome.js';
import { sleep } from './clock.js';
import type { CooldownGate } from './cooldown.js';
import type { RateLimiter } from './token-bucket.js';
import { callerOf } from './turns.js';

/** Refuses what the configured limit does not admit; a call that never got upstream costs nothing. */
export function rateLimitLayer(limiter: RateLimiter, observer: ToolObserver): Layer {
  return (next) => {
    const admitted = async (
      call: ResolvedCall,
      ctx: CallContext,
      waitMs: number,
    ): Promise<Outcome> => {
      const { attempts } = ctx;
      // A cancellation or a deadline meanwhile is found by the layers inside.
      if (waitMs > 0) await sleep(waitMs, ctx.cancellation);
      const outcome = await next(call, ctx);
      if (ctx.attempts === attempts) limiter.refund();
      return outcome;
    };
    return (call, ctx) => {
      const retryAfterMs = limiter.take(() => callerOf(call, ctx));
      if (retryAfterMs <= 0) return admitted(call, ctx, -retryAfterMs);
      observer.rateLimited('tool');
      const { limit } = limiter;
      return Promise.resolve({ kind: 'rate-limited', scope: 'tool', retryAfterMs, limit });
    };
  };
}

/** Refuses while the gate is closed; stands before the limiter, so that no token is spent. */
export function cooldownLayer(gate: CooldownGate, observer: ToolObserver): Layer {
  return (next) => (call, ctx) => {
    const retryAfterMs = gate.enter(call, ctx);
    return retryAfterMs === 0
      ? next(call, ctx)
      : Promise.resolve(coolingDown(retryAfterMs, observer));
  };
}

/**
 * Closes the gate when an answer of the upstream says so. Stands behind the queue and refuses there
 * too: calls that waited for a slot while the gate closed must not go upstream.
 */
export function cooldownTrigger(
  gate: CooldownGate,
  observer: ToolObserver,
  subject: ClassifySubject,
): Layer {
  const heard = (outcome: Outcome, ctx: CallContext): Outcome => {
    if (outcome.kind === 'ok') {
      gate.succeeded();
    } else {
      const { cooldownMs, info } = classifyOnce(outcome, subject, ctx);
      if (cooldownMs !== null) gate.extend(cooldownMs, info.code === 'TOOL_RATE_LIMITED');
    }
    return outcome;
  };
  return (next) => (call, ctx) => {
    if (!gate.isOpen()) return Promise.resolve(coolingDown(gate.enter(call, ctx), observer));
    gate.sent();
    return next(call, ctx).then((outcome) => heard(outcome, ctx));
  };
}

function coolingDown(retryAfterMs: number, observer: ToolObserver): Outcome {
  observer.rateLimited('cooldown');
  return { kind: 'rate-limited', scope: 'cooldown', retryAfterMs, limit: null };
}
