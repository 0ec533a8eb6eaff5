// The process's own metrics (CPU, memory, event loop, GC). They belong to the process, not to a
// gateway: prom-client's monitors cannot be stopped, so there is one set of them per text format
// however many gateways a process builds (tests build hundreds).
import { collectDefaultMetrics, Registry, type RegistryContentType } from 'prom-client';

const registries = new Map<RegistryContentType, Registry>();

/**
 * The registry of process metrics in this text format, made on first use.
 *
 * Its event-loop monitor is a native 10 ms timer that runs no JavaScript; handles and memory are
 * read at scrape time only.
 */
export function processRegistry(contentType: RegistryContentType): Registry {
  const known = registries.get(contentType);
  if (known !== undefined) return known;
  const registry = new Registry();
  // The types bind a registry to the classic format; the constructor takes either.
  (registry as Registry<RegistryContentType>).setContentType(contentType);
  collectDefaultMetrics({ register: registry });
  registries.set(contentType, registry);
  return registry;
}
