// What the gateway says of its work: one line per batch, and one per call that did not end well.
import type { ToolResult } from '../call.js';
import type { ErrorCategory } from '../errors/catalogue.js';
import { writeVouched, type Logger } from './log.js';

/** What the line of a batch says. */
export interface BatchLine {
  readonly batchId: string;
  readonly requestId?: string;
  readonly runId?: string | undefined;
  /** '' for an anonymous caller. */
  readonly client: string;
  readonly format?: string;
  readonly results: readonly ToolResult[];
  readonly durationMs: number;
  readonly traceId?: string | undefined;
}

const tenths = (ms: number): number => Math.round(ms * 10) / 10;

/** One line per batch, at `info`. */
export function logBatch(logger: Logger, line: BatchLine): void {
  if (!logger.isLevelEnabled('info')) return;
  const byStatus: Record<string, number> = {};
  let byCode: Record<string, number> | undefined;
  for (const { status, errorInfo } of line.results) {
    byStatus[status] = (byStatus[status] ?? 0) + 1;
    if (errorInfo === null) continue;
    byCode ??= {};
    byCode[errorInfo.code] = (byCode[errorInfo.code] ?? 0) + 1;
  }
  writeVouched(
    logger,
    'info',
    {
      batch_id: line.batchId,
      request_id: line.requestId,
      run_id: line.runId,
      client: line.client,
      format: line.format,
      calls: line.results.length,
      by_status: byStatus,
      by_code: byCode,
      duration_ms: tenths(line.durationMs),
      trace_id: line.traceId,
    },
    'batch',
    `${line.requestId ?? ''} ${line.runId ?? ''}`,
  );
}

/** Failures that are the caller's to mend: worth a line, not a warning. */
const CALLERS_OWN: ReadonlySet<ErrorCategory> = new Set([
  'validation',
  'not_found',
  'permission',
  'cancelled',
  'declined',
]);

function levelOf({ status, errorInfo }: ToolResult): 'debug' | 'info' | 'warn' | 'error' {
  if (errorInfo === null) return 'debug';
  if (errorInfo.code === 'INTERNAL_ERROR') return 'error';
  return status === 'declined' || CALLERS_OWN.has(errorInfo.category) ? 'info' : 'warn';
}

/** What the line of a call says besides its result. */
export interface CallLine {
  readonly batchId: string;
  readonly client: string;
  readonly queuedMs?: number;
  readonly traceId?: string | undefined;
}

/** An author's reason is a code of theirs; what does not look like one is text, and left out. */
function codeOrNothing(value: unknown): string | undefined {
  return typeof value === 'string' && /^[\w.:-]{1,64}$/.test(value) ? value : undefined;
}

/**
 * One line per call that did not end `ok`: `error` for a fault of the gateway, `info` for what the
 * caller must mend and for refusals, `warn` for the rest. At `debug`, every call.
 */
export function logCall(logger: Logger, line: CallLine, result: ToolResult): void {
  const level = levelOf(result);
  if (!logger.isLevelEnabled(level)) return;
  const { errorInfo } = result;
  const reason = codeOrNothing(errorInfo?.reason);
  const stoppedBy = codeOrNothing(errorInfo?.details['retry_stopped_by']);
  writeVouched(
    logger,
    level,
    {
      batch_id: line.batchId,
      call_id: result.id,
      tool: result.tool,
      client: line.client,
      status: result.status,
      code: errorInfo?.code,
      category: errorInfo?.category,
      reason,
      effect: errorInfo?.effect,
      retry_stopped_by: stoppedBy,
      attempts: result.attempts,
      cached: result.cached ? true : undefined,
      queued_ms: line.queuedMs === undefined ? undefined : tenths(line.queuedMs),
      duration_ms: tenths(result.durationMs),
      trace_id: line.traceId,
    },
    'call',
    `${result.id} ${result.tool} ${reason ?? ''} ${stoppedBy ?? ''}`,
  );
}
