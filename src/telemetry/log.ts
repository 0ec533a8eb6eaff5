// The logger: pino with allow-listed fields (log-fields.ts) and a last look at the finished line,
// because ids come from clients and messages from libraries.
import { pino, type DestinationStream, type Logger } from 'pino';
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

/** Lines are gathered: a write for each would cost a batch of one call a tenth of its time. */
const STDOUT = { dest: 1, sync: false, minLength: 4096, periodicFlush: 100 } as const;

export interface LoggerOptions {
  /** Default `info`. */
  readonly level?: LogLevel;
  /** Asked for every line, so that a reload can bring new secrets. */
  readonly scrubber?: () => LineScrubber;
  /** Default: standard output, written in the background and flushed at exit. */
  readonly destination?: DestinationStream;
}

type LineScrubber = Pick<Scrubber, 'text' | 'value'>;

/** Per logger: its scrubber, and whether the line being written needs it no more. */
interface LineState {
  readonly scrubber: () => LineScrubber;
  vouched: boolean;
}

const lineStates = new WeakMap<Logger, LineState>();

/**
 * Writes a line of the gateway's own making. Its fields are numbers, codes and configured names but
 * for `outside`: where that holds nothing to scrub, neither does the line, and looking through the
 * whole of it (4 µs, and more with every secret) is saved.
 */
export function writeVouched(
  logger: Logger,
  level: 'debug' | 'info' | 'warn' | 'error',
  fields: Record<string, unknown>,
  message: string,
  outside: string,
): void {
  const state = lineStates.get(logger);
  if (state !== undefined) state.vouched = isClean(outside, state.scrubber());
  try {
    logger[level](fields, message);
  } finally {
    if (state !== undefined) state.vouched = false;
  }
}

function isClean(text: string, scrubber: LineScrubber): boolean {
  return scrubber.text(text, Infinity) === text;
}

/**
 * A line with the secrets taken out. The quick look is at the whole line; where it finds something,
 * the values are scrubbed one by one, so that the line stays JSON.
 */
function scrubLine(line: string, scrubber: LineScrubber): string {
  const body = line.trimEnd();
  if (isClean(body, scrubber)) return line;
  const scrubbed = JSON.stringify(scrubber.value(JSON.parse(body) as unknown));
  if (isClean(scrubbed, scrubber)) return `${scrubbed}\n`;
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
  const state = scrubber && { scrubber, vouched: false };
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
        ...(state && {
          streamWrite: (line: string) => (state.vouched ? line : scrubLine(line, state.scrubber())),
        }),
      },
    },
    options.destination ?? pino.destination(STDOUT),
  );
  if (state !== undefined) lineStates.set(logger, state);
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
