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

export interface LoggerOptions {
  /** Default `info`. */
  readonly level?: LogLevel;
  /** Asked for every line, so that a reload can bring new secrets. */
  readonly scrubber?: () => LineScrubber;
  readonly destination: DestinationStream;
}

type LineScrubber = Pick<Scrubber, 'text' | 'value'>;

/** Per logger: what a finished line still passes. */
interface Way {
  readonly scrubber: (() => LineScrubber) | undefined;
  readonly destination: DestinationStream;
}

const ways = new WeakMap<Logger, Way>();

/**
 * Writes a line of the gateway's own making (line-text.ts). Its members are numbers, codes and
 * configured names but for `outside`: where that holds nothing to scrub, neither does the line, and
 * looking through the whole of it (4 µs, and more with every secret) is saved.
 *
 * @param logger as `createLogger` made it, no child of it; whether the level is enabled is the
 *   caller's to ask
 */
export function writeOwnLine(logger: Logger, line: string, outside: string): void {
  const way = ways.get(logger);
  if (way === undefined) throw new Error('a line for a logger that createLogger did not make');
  const scrubber = way.scrubber?.();
  const clean = scrubber === undefined || isClean(outside, scrubber);
  way.destination.write(clean ? line : scrubLine(line, scrubber));
}

function isClean(text: string, scrubber: LineScrubber): boolean {
  return text === '' || scrubber.text(text, Infinity) === text;
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

/** pino takes an error's message for the line's; it may quote what a client sent. */
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

/** Makes the logger of one gateway. */
export function createLogger(options: LoggerOptions): Logger {
  const { level = 'info', scrubber, destination } = options;
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
    destination,
  );
  ways.set(logger, { scrubber, destination });
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
