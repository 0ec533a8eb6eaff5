// Standard output for log lines, gathered: a write for each line would cost a batch of one call a
// tenth of its time. Written from the main thread, as handing 8 kB to another costs more than writing
// them, but never waited for: a reader that stands still must not hold up a call.
import { writeSync } from 'node:fs';
import type { DestinationStream } from 'pino';
import { lineEnd, lineStart, numberMember, textMember } from './line-text.js';

const GATHER_CHARS = 8_192;
/** The longest that a line waits for others, milliseconds. */
const GATHER_MS = 100;
/** Between two tries while the reader takes nothing: 3 MB/s still pass a pipe of 64 kB. */
const RETRY_MS = 20;
/** The most that is kept for a slow reader; lines over it are dropped. */
const MAX_KEPT_CHARS = 4 * 1024 * 1024;
/** At exit: how long a reader may take nothing, and how long it may take in all. */
const EXIT_IDLE_MS = 100;
const EXIT_MS = 1_000;

/** Takes some of the bytes and says how many, or throws (`EAGAIN`: none for now). */
export type WriteSome = (bytes: Uint8Array) => number;

/** Gathers lines until there are enough of them, or they are 100 ms old, or the process exits. */
export class LogOutput implements DestinationStream {
  readonly #writeSome: WriteSome;
  #gathered = '';
  /** What the reader has not taken yet of what was handed out before. */
  #rest: Uint8Array = NOTHING;
  #timer: NodeJS.Timeout | undefined;
  #stuck = false;
  #readerGone = false;
  #gap = 0;
  #dropped = 0;

  constructor(writeSome: WriteSome) {
    this.#writeSome = writeSome;
  }

  /** Lines that no reader will see: it was too slow for them, or has gone. */
  get dropped(): number {
    return this.#dropped;
  }

  write(line: string): void {
    if (this.#drops(line)) return;
    this.#gathered += line;
    if (this.#stuck) return;
    if (this.#gathered.length >= GATHER_CHARS) this.#flush();
    else this.#timer ??= setTimeout(this.#flush, GATHER_MS).unref();
  }

  /**
   * Writes what is left, and waits a little for a reader that still takes something: 1 s at most,
   * 0.1 s for one that stands still. For the end of the process: nothing else runs meanwhile.
   */
  end(): void {
    const endAt = performance.now() + EXIT_MS;
    let idleAt = performance.now() + EXIT_IDLE_MS;
    let left = this.#left();
    this.#flush();
    while (this.#stuck && performance.now() < Math.min(endAt, idleAt)) {
      Atomics.wait(SLEEP, 0, 0, RETRY_MS);
      this.#flush();
      if (this.#left() < left) idleAt = performance.now() + EXIT_IDLE_MS;
      left = this.#left();
    }
    clearTimeout(this.#timer);
  }

  #left(): number {
    return this.#rest.length + this.#gathered.length;
  }

  /** Once a line is dropped the next are too, until the reader has caught up: one gap, and counted. */
  #drops(line: string): boolean {
    const full = this.#stuck && this.#left() + line.length > MAX_KEPT_CHARS;
    if (!full && this.#gap === 0 && !this.#readerGone) return false;
    this.#gap += 1;
    this.#dropped += 1;
    return true;
  }

  readonly #flush = (): void => {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#stuck = !this.#writeAll();
    if (this.#stuck) this.#timer = setTimeout(this.#flush, RETRY_MS).unref();
  };

  /** False where the reader takes no more for now. */
  #writeAll(): boolean {
    while (this.#left() > 0) {
      if (this.#rest.length === 0) this.#takeGathered();
      const taken = this.#tryWrite(this.#rest);
      this.#rest = this.#rest.subarray(taken);
      if (taken === 0) return this.#readerGone;
      if (this.#left() === 0 && this.#gap > 0) this.#tellGap();
    }
    return true;
  }

  #takeGathered(): void {
    this.#rest = Buffer.from(this.#gathered);
    this.#gathered = '';
  }

  #tryWrite(bytes: Uint8Array): number {
    try {
      return this.#writeSome(bytes);
    } catch (error) {
      // Nobody will ever read again. All else (a full pipe, a full disk) may pass.
      if ((error as NodeJS.ErrnoException).code === 'EPIPE') this.#leaveOff();
      return 0;
    }
  }

  #leaveOff(): void {
    this.#readerGone = true;
    this.#gathered = '';
    this.#rest = NOTHING;
  }

  #tellGap(): void {
    this.#gathered +=
      lineStart('warn') +
      textMember('event', 'log_lines_dropped') +
      numberMember('dropped', this.#gap) +
      lineEnd('log lines were dropped: standard output was not read');
    this.#gap = 0;
  }
}

const NOTHING = new Uint8Array(0);
const SLEEP = new Int32Array(new SharedArrayBuffer(4));

/**
 * The process's standard output, flushed at exit: a second signal and a crash lose none. Where it is
 * a file nothing is dropped; a terminal that is paused is waited for.
 */
export function standardOutput(): LogOutput {
  // Looking at this stream makes a pipe non-blocking (libuv does), so that a full one says EAGAIN
  // instead of stopping the process. The listeners are for what others print where nobody reads.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
  const output = new LogOutput((bytes) => writeSync(STDOUT_FD, bytes));
  process.once('exit', () => {
    output.end();
  });
  return output;
}

const STDOUT_FD = 1;
