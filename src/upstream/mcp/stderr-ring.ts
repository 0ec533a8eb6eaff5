// The last words of a stdio child. Its stderr must be read, or a full pipe blocks the child; only
// a bounded tail is kept, and only for the log.

const RING_BYTES = 8_192;
const TAIL_CHARS = 2_048;

export class StderrRing {
  #kept = Buffer.alloc(0);

  push(chunk: Buffer): void {
    const joined = Buffer.concat([this.#kept, chunk.subarray(-RING_BYTES)]);
    this.#kept = Buffer.from(joined.subarray(-RING_BYTES));
  }

  /** At most 2 KiB of the end, scrubbed as a whole before it is cut. */
  tail(scrub: (text: string) => string): string {
    return scrub(this.#kept.toString('utf8')).trimEnd().slice(-TAIL_CHARS);
  }
}
