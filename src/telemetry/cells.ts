// Plain numbers behind the metrics. A prom-client child hashes its labels on every call; these are
// bound to their labels once and are read when somebody scrapes, so that a call costs array writes.

/** Ids of the span that an observation belongs to; they become an OpenMetrics exemplar. */
export interface TraceIds {
  readonly traceId: string;
  readonly spanId: string;
}

export interface CellExemplar {
  readonly labelSet: { readonly trace_id: string; readonly span_id: string };
  readonly value: number;
  /** Unix time in seconds. */
  readonly timestamp: number;
}

export type Labels = Readonly<Record<string, string>>;

/** Index of the first bound that is not below `value`; `bounds.length` stands for +Inf. */
function bucketOf(bounds: readonly number[], value: number): number {
  for (let i = 0; i < bounds.length; i += 1) {
    const bound = bounds[i];
    if (bound !== undefined && value <= bound) return i;
  }
  return bounds.length;
}

/** One histogram series: counts per bucket (not cumulative), sum and count. */
export class HistogramCells {
  readonly labels: Labels;
  readonly bounds: readonly number[];
  readonly counts: number[];
  /** By bucket; undefined until the first traced observation. */
  exemplars: (CellExemplar | undefined)[] | undefined;
  sum = 0;
  count = 0;

  constructor(labels: Labels, bounds: readonly number[]) {
    this.labels = labels;
    this.bounds = bounds;
    this.counts = new Array<number>(bounds.length + 1).fill(0);
  }

  /** Adds one observation in the metric's unit. What is not a finite number is left out. */
  observe(value: number, trace?: TraceIds): void {
    if (!Number.isFinite(value)) return;
    const bucket = bucketOf(this.bounds, value);
    this.counts[bucket] = (this.counts[bucket] ?? 0) + 1;
    this.sum += value;
    this.count += 1;
    if (trace === undefined) return;
    this.exemplars ??= [];
    this.exemplars[bucket] = {
      labelSet: { trace_id: trace.traceId, span_id: trace.spanId },
      value,
      timestamp: Date.now() / 1000,
    };
  }
}

/** Counts by one label value, where the values are few and known. */
export class LabelledCounts {
  readonly counts = new Map<string, number>();
  readonly #known: (value: string) => boolean;

  /** `known` keeps the label bounded: any other value counts under `other`. */
  constructor(known: (value: string) => boolean) {
    this.#known = known;
  }

  add(value: string): void {
    const before = this.counts.get(value);
    if (before !== undefined) {
      this.counts.set(value, before + 1);
      return;
    }
    const label = this.#known(value) ? value : 'other';
    this.counts.set(label, (this.counts.get(label) ?? 0) + 1);
  }
}
