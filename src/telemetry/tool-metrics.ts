// Names and help of what is counted per tool, and which cell of the meter each reads. Series stand
// at zero from the start where `increase()` must not miss the first event.
import type { Registry } from 'prom-client';
import type { HistogramCells, LabelledCounts } from './cells.js';
import { counterView, histogramView, type Sample } from './prom-views.js';
import type { ToolMeter } from './tool-meter.js';

type Reader<T> = (meter: ToolMeter) => Iterable<T>;

const COUNTERS: readonly { name: string; help: string; read: Reader<Sample> }[] = [
  {
    name: 'toolgate_calls_total',
    help: 'Finished calls. code and category are those of error_info, empty for ok.',
    *read({ tool, okCount, failures }) {
      yield { labels: { tool, status: 'ok', code: '', category: '' }, value: okCount };
      for (const { status, code, category, count } of failures.values()) {
        yield { labels: { tool, status, code, category }, value: count };
      }
    },
  },
  {
    name: 'toolgate_upstream_attempts_total',
    help: 'Attempts that reached the upstream layer, by how they ended: ok or a code.',
    read: countsBy('code', (meter) => meter.attempts),
  },
  {
    name: 'toolgate_retries_total',
    help: 'Attempts that the gateway repeated, by the code of the attempt before.',
    read: countsBy('reason', (meter) => meter.retries),
  },
  {
    name: 'toolgate_retries_stopped_total',
    help: 'Failed calls that the gateway did not try again, by details.retry_stopped_by.',
    read: countsBy('reason', (meter) => meter.retriesStopped),
  },
  {
    name: 'toolgate_effect_unknown_total',
    help: 'Failed calls that may have had their effect all the same (effect unknown).',
    read: ({ tool, idempotent, effectUnknown }) => [
      { labels: { tool, idempotent: String(idempotent) }, value: effectUnknown },
    ],
  },
  {
    name: 'toolgate_breaker_transitions_total',
    help: 'Changes of the circuit breaker, by the state it went to.',
    read: countsBy('to', (meter) => meter.transitions),
  },
  {
    name: 'toolgate_rate_limited_total',
    help: 'Calls that a limiter of the gateway refused, by whose limit it was.',
    read: countsBy('scope', (meter) => meter.limited),
  },
];

const HISTOGRAMS: readonly { name: string; help: string; read: Reader<HistogramCells> }[] = [
  {
    name: 'toolgate_call_duration_seconds',
    help: 'From receipt of a call to its result, retries and queues included.',
    read: (meter) => meter.durations.values(),
  },
  {
    name: 'toolgate_queue_wait_seconds',
    help: 'Time that calls waited for a slot.',
    read: (meter) => (meter.queueWait === undefined ? [] : [meter.queueWait]),
  },
];

/** A reader of samples with the labels `tool` and one more. */
function countsBy(label: string, pick: (meter: ToolMeter) => LabelledCounts): Reader<Sample> {
  return function* (meter) {
    for (const [value, count] of pick(meter).counts) {
      yield { labels: { tool: meter.tool, [label]: value }, value: count };
    }
  };
}

function overAll<T>(meters: () => Iterable<ToolMeter>, read: Reader<T>) {
  return function* (): Generator<T> {
    for (const meter of meters()) yield* read(meter);
  };
}

/** Registers every counter and histogram with a `tool` label. */
export function registerToolMetrics(registry: Registry, meters: () => Iterable<ToolMeter>): void {
  for (const { name, help, read } of COUNTERS) {
    counterView(registry, { name, help, read: overAll(meters, read) });
  }
  for (const { name, help, read } of HISTOGRAMS) {
    histogramView(registry, { name, help, read: overAll(meters, read) });
  }
}
