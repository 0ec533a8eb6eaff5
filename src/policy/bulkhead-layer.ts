// Holds a slot around the inner layers, and keeps it while work lingers that outlived its call: a
// timed out module that still runs must not make room for one more.
import type { CallContext, Layer, ResolvedCall } from '../call.js';
import type { Outcome } from '../errors/outcome.js';
import type { Bulkhead } from './bulkhead.js';
import type { ServiceTime } from './service-time.js';

/**
 * Runs calls inside the bulkhead.
 *
 * @param service learns here how long work lingers; of attempts it learns where they are timed
 */
export function bulkheadLayer(bulkhead: Bulkhead, service: ServiceTime): Layer {
  return (next) => {
    const hold = async (call: ResolvedCall, ctx: CallContext): Promise<Outcome> => {
      try {
        return await next(call, ctx);
      } finally {
        const { lingering } = ctx;
        if (lingering === undefined) {
          bulkhead.leave();
        } else {
          ctx.lingering = undefined;
          leaveAfter(lingering, bulkhead, service);
        }
      }
    };
    return (call, ctx) => {
      const entry = bulkhead.enter(call, ctx);
      if (entry === undefined) return hold(call, ctx);
      if (!(entry instanceof Promise)) return Promise.resolve(entry);
      return entry.then((refusal) => refusal ?? hold(call, ctx));
    };
  };
}

function leaveAfter(work: Promise<unknown>, bulkhead: Bulkhead, service: ServiceTime): void {
  const since = performance.now();
  const leave = (): void => {
    service.extend(performance.now() - since);
    bulkhead.leave();
  };
  work.then(leave, leave);
}
