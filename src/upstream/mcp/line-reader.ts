// Splits a stdio child's output into lines without ever holding more than a limit. A line over the
// limit is skipped, but its two ends are kept: the JSON-RPC id stands in one of them, and with it
// the one call that is to hear of it.

const NEWLINE = 10;
const END_BYTES = 256;

export interface OversizedLine {
  readonly head: string;
  readonly tail: string;
  readonly bytes: number;
}

export interface LineHandlers {
  line(text: string, bytes: number): void;
  oversized(line: OversizedLine): void;
}

export class LineReader {
  readonly #handlers: LineHandlers;
  readonly #maxBytes: () => number;
  #chunks: Buffer[] = [];
  #bytes = 0;
  #skipping: { head: Buffer; tail: Buffer } | undefined;

  /** @param maxBytes asked for every chunk, since calls with a larger limit come and go. */
  constructor(maxBytes: () => number, handlers: LineHandlers) {
    this.#maxBytes = maxBytes;
    this.#handlers = handlers;
  }

  push(chunk: Buffer): void {
    let from = 0;
    for (let at = chunk.indexOf(NEWLINE); at !== -1; at = chunk.indexOf(NEWLINE, from)) {
      this.#add(chunk.subarray(from, at));
      this.#finish();
      from = at + 1;
    }
    if (from < chunk.length) this.#add(chunk.subarray(from));
  }

  #add(part: Buffer): void {
    this.#bytes += part.length;
    if (this.#skipping !== undefined) {
      this.#skipping.tail = lastBytes(this.#skipping.tail, part);
      return;
    }
    this.#chunks.push(part);
    if (this.#bytes <= this.#maxBytes()) return;
    const held = Buffer.concat(this.#chunks);
    this.#chunks = [];
    this.#skipping = {
      head: Buffer.from(held.subarray(0, END_BYTES)),
      tail: Buffer.from(held.subarray(-END_BYTES)),
    };
  }

  #finish(): void {
    const bytes = this.#bytes;
    const skipped = this.#skipping;
    const chunks = this.#chunks;
    this.#bytes = 0;
    this.#skipping = undefined;
    this.#chunks = [];
    if (skipped !== undefined) {
      const { head, tail } = skipped;
      this.#handlers.oversized({ head: head.toString('utf8'), tail: tail.toString('utf8'), bytes });
    } else if (bytes > 0) {
      const [only] = chunks;
      const line = chunks.length === 1 && only !== undefined ? only : Buffer.concat(chunks);
      this.#handlers.line(line.toString('utf8'), bytes);
    }
  }
}

function lastBytes(kept: Buffer, part: Buffer): Buffer {
  return Buffer.from(Buffer.concat([kept, part.subarray(-END_BYTES)]).subarray(-END_BYTES));
}
