// Answers of read-only tools, kept for a while; calls for the same answer share one execution.
import type { CachePolicy, CallContext, Layer, ResolvedCall, ToolDefinition } from '../call.js';
import type { OkOutcome, Outcome } from '../errors/outcome.js';
import { newId } from '../ids.js';
import type { ResultCache } from '../state/ports.js';
import { canonicalHash } from './canonical.js';
import { keptOutcome } from './kept-outcome.js';
import { SingleFlight } from './single-flight.js';

export interface CacheDeps {
  readonly store: ResultCache;
  readonly onInternalError?: ((error: unknown, requestId: string) => void) | undefined;
}

/** A call for how things stand now: neither an answer that was kept nor one that is on its way. */
export interface FreshCall extends ResolvedCall {
  readonly fresh: true;
}

/** Only `ok` is kept. The key is the canonical arguments and, where it matters, the client. */
export function resultCacheLayer(
  tool: ToolDefinition,
  policy: CachePolicy,
  deps: CacheDeps,
): Layer {
  const space = tool.name;
  // A reload that changes the tool builds its layers anew: what it answered before is not asked for.
  const built = newId();
  const { ttlMs, maxBytes, perClient } = policy;
  // A cache that fails is a cache that is empty.
  const lookUp = async (key: string, ctx: CallContext): Promise<OkOutcome | undefined> => {
    try {
      return await deps.store.get(space, key);
    } catch (error) {
      deps.onInternalError?.(error, ctx.requestId);
      return undefined;
    }
  };
  const keep = async (key: string, outcome: OkOutcome, ctx: CallContext): Promise<void> => {
    try {
      await deps.store.set(space, key, keptOutcome(outcome), ttlMs, maxBytes);
    } catch (error) {
      deps.onInternalError?.(error, ctx.requestId);
    }
  };
  return (next) => {
    const flight = new SingleFlight();
    return async (call: ResolvedCall, ctx: CallContext): Promise<Outcome> => {
      if ('fresh' in call) return next(call, ctx);
      const hash = canonicalHash(call.arguments);
      const key = `${built}\u0000${perClient ? ctx.client : ''}\u0000${hash}`;
      const kept = await lookUp(key, ctx);
      if (kept !== undefined) return kept;
      return flight.run(key, ctx, async (own) => {
        const outcome = await next(call, own);
        if (outcome.kind === 'ok') await keep(key, outcome, ctx);
        return outcome;
      });
    };
  };
}
