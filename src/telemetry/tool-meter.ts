// Everything that is counted of one tool. Made when the configuration loads; a call costs a few
// array writes and map look-ups here, and nothing is formatted before somebody scrapes.
import type { ToolObserver, ToolResult } from '../call.js';
import { CATALOGUE, type ErrorCode } from '../errors/catalogue.js';
import type { RetryStoppedBy } from '../errors/error-info.js';
import { HistogramCells, LabelledCounts, type TraceIds } from './cells.js';
import { RollingWindow, type WindowSummary } from './rolling-window.js';

/** Seconds. From a local answer to the longest deadline that may be configured. */
const DURATION_BOUNDS: readonly number[] = [
  0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300,
];

type Status = ToolResult['status'];

/** Calls that ended with one code. */
export interface CodeCount {
  readonly status: Status;
  readonly code: string;
  readonly category: string;
  count: number;
  /** Unix milliseconds of the last one. */
  lastAt: number;
}

const STOP_REASONS = {
  max_attempts: true,
  deadline: true,
  retry_after_exceeds_deadline: true,
  budget: true,
  unsafe_to_repeat: true,
  upstream_said_no: true,
  not_retryable: true,
} satisfies Record<RetryStoppedBy, true>;

const isCode = (code: string): code is ErrorCode => Object.hasOwn(CATALOGUE, code);

/** One per tool and process; a reload keeps it. Counting never fails a call. */
export class ToolMeter implements ToolObserver {
  readonly tool: string;
  /** Whether repeating it is harmless; decides which unknown effects are worth a person's time. */
  idempotent: boolean;
  okCount = 0;
  readonly failures = new Map<string, CodeCount>();
  readonly durations = new Map<Status, HistogramCells>();
  readonly attempts = new LabelledCounts((code) => code === 'ok' || isCode(code));
  readonly retries = new LabelledCounts(isCode);
  readonly retriesStopped = new LabelledCounts((reason) => Object.hasOwn(STOP_REASONS, reason));
  readonly transitions = new LabelledCounts(() => true);
  readonly limited = new LabelledCounts(() => true);
  queueWait: HistogramCells | undefined;
  effectUnknown = 0;
  #window: RollingWindow | undefined;

  constructor(tool: string, idempotent: boolean) {
    this.tool = tool;
    this.idempotent = idempotent;
    this.transitions.counts.set('open', 0);
  }

  attempt(code: string): void {
    this.attempts.add(code);
  }

  retry(code: string): void {
    this.retries.add(code);
  }

  breakerChanged(to: 'closed' | 'half_open' | 'open'): void {
    this.transitions.add(to);
  }

  queueWaited(ms: number): void {
    this.queueWait ??= new HistogramCells({ tool: this.tool }, DURATION_BOUNDS);
    this.queueWait.observe(ms / 1000);
  }

  rateLimited(scope: 'tool' | 'client' | 'cooldown'): void {
    this.limited.add(scope);
  }

  /** Counts one finished call. `trace`: its span, where it is sampled. */
  callDone(result: ToolResult, trace?: TraceIds): void {
    const failure = result.errorInfo;
    if (failure === null) {
      this.okCount += 1;
    } else {
      this.#countFailure(result.status, failure.code);
      if (failure.effect === 'unknown') this.effectUnknown += 1;
      const stoppedBy = failure.details['retry_stopped_by'];
      if (typeof stoppedBy === 'string') this.retriesStopped.add(stoppedBy);
    }
    this.#duration(result.status).observe(result.durationMs / 1000, trace);
    const now = performance.now();
    this.#window ??= new RollingWindow(now);
    const asked = result.attempts > 0 || failure === null;
    this.#window.record(now, failure?.category, asked ? result.durationMs : undefined);
  }

  #countFailure(status: Status, code: string): void {
    const key = status === 'declined' ? `declined:${code}` : code;
    let entry = this.failures.get(key);
    if (entry === undefined) {
      const known = isCode(code) ? code : 'UNMAPPED_FAILURE';
      const { category } = CATALOGUE[known];
      entry = { status, code: known, category, count: 0, lastAt: 0 };
      this.failures.set(key, entry);
    }
    entry.count += 1;
    entry.lastAt = Date.now();
  }

  #duration(status: Status): HistogramCells {
    let cells = this.durations.get(status);
    if (cells === undefined) {
      cells = new HistogramCells({ tool: this.tool, status }, DURATION_BOUNDS);
      this.durations.set(status, cells);
    }
    return cells;
  }

  /** The last five minutes; undefined while it was never called. */
  recent(): WindowSummary | undefined {
    return this.#window?.summary(performance.now());
  }
}
