// What a log line may carry. Redaction by path misses what nobody thought of, so this is the other
// way round: a field that does not stand here is not written, and a value that is not small and
// plain is not either. Never arguments, results, headers, URLs with queries or upstream text.

/** Fields of log lines. Strings are cut at `MAX_STRING` characters. */
const FIELDS: ReadonlySet<string> = new Set([
  // which
  ...['batch_id', 'call_id', 'request_id', 'run_id', 'trace_id', 'span_id'],
  ...['client', 'tool', 'server', 'format', 'actor'],
  // how it ended
  ...['status', 'code', 'category', 'reason', 'effect', 'attempts', 'cached'],
  ...['retryable', 'retry_after_ms', 'retry_stopped_by', 'duration_ms', 'http_status'],
  // how much
  ...['calls', 'by_status', 'by_code', 'tools', 'clients', 'servers', 'faults', 'in_flight'],
  // what the gateway itself does
  ...['event', 'action', 'result', 'state', 'from', 'to', 'signal', 'address', 'version', 'file'],
  ...['level_to', 'exit_code', 'exit_signal', 'delay_ms', 'attempt', 'method', 'route', 'problem'],
  'err',
  // the last words of a stdio MCP server, scrubbed where they are kept
  'stderr_tail',
]);

const MAX_STRING = 200;
const MAX_TAIL = 2_048;
const MAX_ITEMS = 40;

/** An error as it may be logged; made by `describeError` only. */
export class LoggedError {
  readonly name: string;
  declare readonly code?: string | number;
  /** Only of errors whose text is known to hold no data: the system's and the framework's. */
  declare readonly message?: string;
  /** The innermost frames, `file:line:column`. */
  declare readonly at?: readonly string[];

  constructor(name: string, more: Partial<LoggedError> = {}) {
    this.name = name;
    Object.assign(this, more);
  }
}

const FRAME = /^ {4}at (?:[\w.<>$# [\]-]+ \()?((?:file:\/\/|node:|\/)[^\s()]+:\d+:\d+)\)?$/;

/** Where it was thrown. The message is cut off first: it may look like a frame. */
function frames(error: Error): string[] {
  const { stack } = error;
  const header = error.message === '' ? error.name : `${error.name}: ${error.message}`;
  if (typeof stack !== 'string' || !stack.startsWith(header)) return [];
  const found: string[] = [];
  for (const line of stack.slice(header.length).split('\n')) {
    const place = FRAME.exec(line)?.[1];
    if (place !== undefined) found.push(place.slice(-120));
    if (found.length === 3) break;
  }
  return found;
}

/**
 * Whether the message is made of names and addresses only: libuv's (`listen EADDRINUSE …`) and
 * Fastify's own (`FST_…`). Any other may quote what it choked on.
 */
function messageIsSafe(error: Error): boolean {
  if ('syscall' in error && 'errno' in error) return true;
  return 'code' in error && typeof error.code === 'string' && error.code.startsWith('FST_');
}

/** Reduces an error to what may be logged. Never throws, whatever was thrown. */
export function describeError(error: unknown): LoggedError {
  try {
    if (error instanceof LoggedError) return error;
    if (!(error instanceof Error)) return new LoggedError(typeof error);
    const name = /^\w{1,64}$/.test(error.name) ? error.name : 'Error';
    const code: unknown = 'code' in error ? error.code : undefined;
    const hasCode =
      typeof code === 'number' || (typeof code === 'string' && /^[\w.-]{1,64}$/.test(code));
    const at = frames(error);
    return new LoggedError(name, {
      ...(hasCode && { code }),
      ...(messageIsSafe(error) && { message: error.message.slice(0, MAX_STRING) }),
      ...(at.length > 0 && { at }),
    });
  } catch {
    return new LoggedError('unreadable');
  }
}

/** Whether a text repeats the error's own; yes where that cannot be read. */
export function quotesError(text: string, error: Error): boolean {
  try {
    return text.includes(error.message);
  } catch {
    return true;
  }
}

function plainValue(value: unknown, maxString = MAX_STRING): unknown {
  switch (typeof value) {
    case 'string':
      return value.length > maxString ? `${value.slice(0, maxString)}…` : value;
    case 'number':
      return Number.isFinite(value) ? value : undefined;
    case 'boolean':
      return value;
    default:
      return value === null ? null : undefined;
  }
}

/** Counts by name, the only object that is written. */
function counts(value: object): Record<string, number> | undefined {
  const out: Record<string, number> = {};
  for (const [key, count] of Object.entries(value).slice(0, MAX_ITEMS)) {
    if (typeof count === 'number') out[key.slice(0, 64)] = count;
  }
  return Object.keys(out).length > 0 ? out : undefined;
}

/** Keeps what may be written of a log object; pino's `formatters.log`. */
export function allowedFields(fields: Record<string, unknown>): Record<string, unknown> {
  const out: Record<string, unknown> = {};
  for (const key in fields) {
    if (!FIELDS.has(key)) continue;
    const value = fields[key];
    if (key === 'err') out[key] = describeError(value);
    else if (typeof value === 'object' && value !== null) out[key] = counts(value);
    else out[key] = plainValue(value, key === 'stderr_tail' ? MAX_TAIL : MAX_STRING);
  }
  return out;
}
