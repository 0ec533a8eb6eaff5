// prom-client metrics whose samples are read from our cells at scrape time. The registry stays
// prom-client's: it formats, escapes, writes OpenMetrics and merges. Of a metric it asks a name, a
// type and `get()`, so that is what a view is.
import type { Metric, Registry } from 'prom-client';
import type { CellExemplar, HistogramCells, Labels } from './cells.js';

/** One line of the exposition. */
export interface Sample {
  readonly labels: Readonly<Record<string, string | number>>;
  readonly value: number;
  /** Its name, where it is not the metric's own. */
  readonly metricName?: string;
  /** Labels of the whole series; prom-client formats them once per object. */
  readonly sharedLabels?: Labels;
  readonly exemplar?: CellExemplar | undefined;
}

export interface ViewConfig<T> {
  readonly name: string;
  readonly help: string;
  /** Called once per scrape. */
  readonly read: () => Iterable<T>;
}

function registerView(
  registry: Registry,
  type: 'counter' | 'gauge' | 'histogram',
  { name, help, read }: ViewConfig<Sample>,
): void {
  const view = {
    // Not read-only: in OpenMetrics the registry takes `_total` off and puts it on the samples.
    name,
    type,
    get: () => Promise.resolve({ name: view.name, help, type, values: read() }),
  };
  registry.registerMetric(view as unknown as Metric);
}

export function counterView(registry: Registry, config: ViewConfig<Sample>): void {
  registerView(registry, 'counter', config);
}

export function gaugeView(registry: Registry, config: ViewConfig<Sample>): void {
  registerView(registry, 'gauge', config);
}

export function histogramView(registry: Registry, config: ViewConfig<HistogramCells>): void {
  const { name, help, read } = config;
  registerView(registry, 'histogram', {
    name,
    help,
    *read() {
      for (const cells of read()) yield* histogramSamples(name, cells);
    },
  });
}

const NO_LABELS: Labels = {};

function* histogramSamples(name: string, cells: HistogramCells): Generator<Sample> {
  const sharedLabels = cells.labels;
  const metricName = `${name}_bucket`;
  let cumulative = 0;
  for (let i = 0; i < cells.counts.length; i += 1) {
    cumulative += cells.counts[i] ?? 0;
    const labels = { le: cells.bounds[i] ?? '+Inf' };
    const exemplar = cells.exemplars?.[i];
    yield { metricName, labels, sharedLabels, value: cumulative, exemplar };
  }
  yield { metricName: `${name}_sum`, labels: NO_LABELS, sharedLabels, value: cells.sum };
  yield { metricName: `${name}_count`, labels: NO_LABELS, sharedLabels, value: cells.count };
}
