// The gateway's log: one line per batch, one per call that did not end well, and what the gateway
// itself does. Fields are allow-listed (log-fields.ts); the finished line is scrubbed once more,
// because ids come from clients and messages from libraries.
import { pino, type DestinationStream, type Logger } from 'pino';
import type { ErrorCategory } from '../errors/catalogue.js';
import type { ToolResult } from '../call.js';
import type { Scrubber } from '../errors/scrub.js';
import { allowedFields, describeError, quotesError } from './log-fields.js';

export type { Logger } from 'pino';

export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** Reads `LOG_LEVEL`; undefined for what is no level. Unset or empty means `info`. */
export function parseLogLevel(value: string | undefined): LogLevel | undefined {
  const wanted = value === undefined || value === '' ? 'info' : value.toLowerCase();
  return LOG_LEVELS.find((level) => level === wanted);
}

export interface LoggerOptions {
  /** Default `info`. */
  readonly level?: LogLevel;
  /** Asked for every line, so that a reload can bring new secrets. */
  readonly scrubber?: () => Pick<Scrubber, 'text' | 'value'>;
  /** Default: standard output, written in the background and flushed at exit. */
  readonly destination?: DestinationStream;
}

/**
 * A line with the secrets taken out. The quick look is at the whole line; where it finds something,
 * the values are scrubbed one by one, so that the line stays JSON.
 */
function scrubLine(line: string, scrubber: Pick<Scrubber, 'text' | 'value'>): string {
  const body = line.trimEnd();
  if (scrubber.text(body, Infinity) === body) return line;
  const scrubbed = JSON.stringify(scrubber.value(JSON.parse(body) as unknown));
  if (scrubber.text(scrubbed, Infinity) === scrubbed) return `${scrubbed}\n`;
  return `${JSON.stringify({ level: 'warn', msg: 'a log line was withheld: it held a secret' })}\n`;
}

/** pino and Fastify take an error's message for the line's; it may quote what a client sent. */
function withoutErrorText(args: unknown[]): unknown[] {
  const [first, message] = args;
  if (typeof first !== 'object' || first === null) return args;
  const error: unknown = first instanceof Error ? first : (first as { err?: unknown }).err;
  if (!(error instanceof Error)) return args;
  const err = describeError(error);
  const fields = first instanceof Error ? { err } : { ...first, err };
  const keep = typeof message === 'string' && !quotesError(message, error);
  return keep ? [fields, ...args.slice(1)] : [fields, err.message ?? err.name];
}

/** Makes the logger of one gateway; it may be handed to Fastify as its `loggerInstance`. */
export function createLogger(options: LoggerOptions = {}): Logger {
  const { level = 'info', scrubber } = options;
  const logger = pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      // Errors are described by `allowedFields`, everything else is dropped before a serializer.
      serializers: { err: (error: unknown) => error },
      formatters: {
        level: (label) => ({ level: label }),
        log: allowedFields,
      },
      hooks: {
        logMethod(args, method) {
          method.apply(this, withoutErrorText(args) as Parameters<typeof method>);
        },
        ...(scrubber && { streamWrite: (line: string) => scrubLine(line, scrubber()) }),
      },
    },
    options.destination ?? pino.destination({ dest: 1, sync: false }),
  );
  return withAllowedBindings(logger);
}

/** pino does not run its formatters over a child's bindings. */
function withAllowedBindings(logger: Logger): Logger {
  const own = Object.getPrototypeOf(logger) as Logger;
  logger.child = function (this: Logger, bindings: Record<string, unknown>, options?: object) {
    return own.child.call(this, allowedFields(bindings), options);
  } as typeof logger.child;
  return logger;
}

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
  logger.info(
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

/** An author's reason is a code of theirs; what does not look like one is text. */
const REASON = /^[\w.:-]{1,64}$/;

/**
 * One line per call that did not end `ok`: `error` for a fault of the gateway, `info` for what the
 * caller must mend and for refusals, `warn` for the rest. At `debug`, every call.
 */
export function logCall(logger: Logger, line: CallLine, result: ToolResult): void {
  const level = levelOf(result);
  if (!logger.isLevelEnabled(level)) return;
  const { errorInfo } = result;
  const reason = errorInfo?.reason;
  logger[level](
    {
      batch_id: line.batchId,
      call_id: result.id,
      tool: result.tool,
      client: line.client,
      status: result.status,
      code: errorInfo?.code,
      category: errorInfo?.category,
      reason: reason !== undefined && REASON.test(reason) ? reason : undefined,
      effect: errorInfo?.effect,
      retry_stopped_by: errorInfo?.details['retry_stopped_by'],
      attempts: result.attempts,
      cached: result.cached ? true : undefined,
      queued_ms: line.queuedMs === undefined ? undefined : tenths(line.queuedMs),
      duration_ms: tenths(result.durationMs),
      trace_id: line.traceId,
    },
    'call',
  );
}

/** An administrator's act, for the audit: always at `info`, whatever came of it. */
export function logAudit(
  logger: Logger,
  act: { action: string; actor: string; result: string; tool?: string; to?: string },
): void {
  logger.info({ event: 'audit', ...act }, 'admin');
}
