// What the gateway says of its work: one line per batch, and one per call that did not end well.
import type { ToolResult } from '../call.js';
import type { ErrorCategory } from '../errors/catalogue.js';
import { countsMember, lineEnd, lineStart, numberMember, textMember } from './line-text.js';
import { writeOwnLine, type Logger } from './log.js';

/** What the line of a batch says. */
export interface BatchLine {
  readonly batchId: string;
  readonly requestId?: string;
  /** No text of the caller's is in the ids. Default false. */
  readonly idsAreOurs?: boolean;
  readonly runId?: string | undefined;
  /** '' for an anonymous caller. */
  readonly client: string;
  readonly format?: string;
  readonly results: readonly ToolResult[];
  readonly durationMs: number;
  readonly traceId?: string | undefined;
}

/** One line per batch, at `info`. */
export function logBatch(logger: Logger, line: BatchLine): void {
  if (!logger.isLevelEnabled('info')) return;
  const byStatus = { ok: 0, error: 0, declined: 0 };
  let byCode: Record<string, number> | undefined;
  for (const { status, errorInfo } of line.results) {
    byStatus[status] += 1;
    if (errorInfo === null) continue;
    byCode ??= {};
    byCode[errorInfo.code] = (byCode[errorInfo.code] ?? 0) + 1;
  }
  const { batchId, requestId, runId } = line;
  const ids =
    line.idsAreOurs === true
      ? `,"batch_id":"${batchId}","request_id":"${requestId ?? ''}"`
      : textMember('batch_id', batchId) + textMember('request_id', requestId);
  const text =
    lineStart('info') +
    ids +
    textMember('run_id', runId) +
    textMember('client', line.client) +
    textMember('format', line.format) +
    numberMember('calls', line.results.length) +
    countsMember('by_status', byStatus) +
    countsMember('by_code', byCode) +
    numberMember('duration_ms', line.durationMs) +
    textMember('trace_id', line.traceId) +
    lineEnd('batch');
  writeOwnLine(
    logger,
    text,
    (line.idsAreOurs === true ? '' : `${batchId} ${requestId ?? ''} `) + (runId ?? ''),
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
  /** No text of the caller's is in the batch's id. Default false. */
  readonly idsAreOurs?: boolean;
  /** The tool is configured, its name no text of the caller's. Default false. */
  readonly known?: boolean;
  readonly client: string;
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
  const { id, tool } = result;
  const reason = codeOrNothing(errorInfo?.reason);
  const stoppedBy = codeOrNothing(errorInfo?.details['retry_stopped_by']);
  const text =
    lineStart(level) +
    textMember('batch_id', line.batchId) +
    textMember('call_id', id) +
    textMember('tool', tool) +
    textMember('client', line.client) +
    textMember('status', result.status) +
    textMember('code', errorInfo?.code) +
    textMember('category', errorInfo?.category) +
    textMember('reason', reason) +
    textMember('effect', errorInfo?.effect) +
    textMember('retry_stopped_by', stoppedBy) +
    numberMember('attempts', result.attempts) +
    (result.cached ? ',"cached":true' : '') +
    numberMember('duration_ms', result.durationMs) +
    textMember('trace_id', line.traceId) +
    lineEnd('call');
  const outside =
    id +
    (line.idsAreOurs === true ? '' : ` ${line.batchId}`) +
    (line.known === true ? '' : ` ${tool}`) +
    (reason === undefined ? '' : ` ${reason}`) +
    (stoppedBy === undefined ? '' : ` ${stoppedBy}`);
  writeOwnLine(logger, text, outside);
}
