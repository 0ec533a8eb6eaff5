// One execution per client, tool and idempotency key. Within a process, calls with the same key
// wait for the same execution; across processes and time the store decides (`keyed-execution.ts`).
import type { CallContext, Layer, ResolvedCall, ToolDefinition } from '../call.js';
import type { Outcome } from '../errors/outcome.js';
import { canonicalHash } from './canonical.js';
import { KeyedExecution, type KeyedDeps } from './keyed-execution.js';
import { SingleFlight } from './single-flight.js';

/** Calls without a key pass through. */
export function idempotencyLayer(tool: ToolDefinition, deps: KeyedDeps): Layer {
  return (next) => {
    const execution = new KeyedExecution(tool, deps, next);
    const flight = new SingleFlight();
    const keyed = (call: ResolvedCall, ctx: CallContext, givenKey: string): Promise<Outcome> => {
      const key = `${ctx.client}\u0000${tool.name}\u0000${givenKey}`;
      const argumentsHash = canonicalHash(call.arguments);
      if (tool.idempotency?.header !== undefined) ctx.keySent = true;
      // Other arguments fly apart; the store then finds the conflict.
      return flight.run(`${key}\u0000${argumentsHash}`, ctx, async (own) => {
        try {
          return await execution.run({ call, ctx: own, key, argumentsHash });
        } catch (error) {
          // Without its record the call must not be executed.
          deps.onInternalError?.(error, ctx.requestId);
          return storeUnavailable();
        }
      });
    };
    return (call, ctx) =>
      call.idempotencyKey === undefined ? next(call, ctx) : keyed(call, ctx, call.idempotencyKey);
  };
}

function storeUnavailable(): Outcome {
  const message = 'The idempotency store is unavailable.';
  const error = Object.assign(new Error(message), { code: 'ENOBUFS' });
  return { kind: 'transport', error, phase: 'queued' };
}
