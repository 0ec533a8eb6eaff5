// Names, labels and help of what is counted of the gateway as a whole.
import type { Registry } from 'prom-client';
import type { HistogramCells, Labels } from './cells.js';
import { counterView, gaugeView, histogramView } from './prom-views.js';

export interface GatewayCounts {
  readonly batches: HistogramCells;
  readonly refused: ReadonlyMap<string, { readonly labels: Labels; readonly value: number }>;
  readonly reloads: {
    readonly applied: number;
    readonly refused: number;
    readonly lastApplied: boolean;
  };
}

/** Registers the metrics without a `tool` label. */
export function registerGatewayMetrics(
  registry: Registry,
  version: string,
  { batches, refused, reloads }: GatewayCounts,
): void {
  histogramView(registry, {
    name: 'toolgate_batch_calls',
    help: 'Calls per batch.',
    read: () => [batches],
  });
  counterView(registry, {
    name: 'toolgate_requests_refused_total',
    help: 'Requests that failed as a whole, by HTTP status and code.',
    read: () => refused.values(),
  });
  counterView(registry, {
    name: 'toolgate_config_reloads_total',
    help: 'Reloads of the configuration: applied, or refused because it was faulty.',
    read: () => [
      { labels: { result: 'applied' }, value: reloads.applied },
      { labels: { result: 'refused' }, value: reloads.refused },
    ],
  });
  gaugeView(registry, {
    name: 'toolgate_config_last_reload_ok',
    help: 'Whether the last reload was applied: 1 or 0. 1 before the first.',
    read: () => [{ labels: {}, value: reloads.lastApplied ? 1 : 0 }],
  });
  gaugeView(registry, {
    name: 'toolgate_build_info',
    help: 'Always 1; the version is in its label.',
    read: () => [{ labels: { version }, value: 1 }],
  });
}
