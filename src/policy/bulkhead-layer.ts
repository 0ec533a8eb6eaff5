// Holds a slot around the inner layers, and keeps it while work lingers that outlived its call: a
// timed out module that still runs must not make room for one more.
import type { CallContext, Invoke, Layer, ResolvedCall } from '../call.js';
import type { Outcome } from '../errors/outcome.js';
import type { Bulkhead } from './bulkhead.js';
import type { ServiceTime } from './service-time.js';

/** Runs calls inside the bulkhead; learns from every attempt how long a slot is held. */
export function bulkheadLayer(bulkhead: Bulkhead, service: ServiceTime): Layer {
  return (next) => {
    const hold = async (call: ResolvedCall, ctx: CallContext): Promise<Outcome> => {
      const { attempts } = ctx;
      const since = performance.now();
      const leave = (): void => {
        if (ctx.attempts > attempts) service.add(performance.now() - since);
        bulkhead.leave();
      };
      try {
        return await next(call, ctx);
      } finally {
        const { lingering } = ctx;
        if (lingering === undefined) {
          leave();
        } else {
          ctx.lingering = undefined;
          lingering.then(leave, leave);
        }
      }
    };
    const invoke: Invoke = (call, ctx) => {
      const entry = bulkhead.enter(call, ctx);
      if (entry === undefined) return hold(call, ctx);
      if (!(entry instanceof Promise)) return Promise.resolve(entry);
      return entry.then((refusal) => refusal ?? hold(call, ctx));
    };
    return invoke;
  };
}
