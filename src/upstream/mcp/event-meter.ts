// Measures the size of single events in an SSE stream, so that a long stream of small progress
// events passes a limit that one huge answer does not.

const LF = 10;

export class EventMeter {
  #bytes = 0;
  #endsWithNewline = false;

  /** @returns the size of the largest event that this chunk ends or goes on with, bytes. */
  add(chunk: Buffer): number {
    if (chunk.length === 0) return this.#bytes;
    let largest = 0;
    let from = 0;
    if (this.#endsWithNewline && chunk[0] === LF) {
      largest = this.#bytes;
      this.#bytes = 0;
      from = 1;
    }
    for (let at = boundary(chunk, from); at !== -1; at = boundary(chunk, from)) {
      largest = Math.max(largest, this.#bytes + at - from);
      this.#bytes = 0;
      from = at;
    }
    this.#bytes += chunk.length - from;
    this.#endsWithNewline = chunk[chunk.length - 1] === LF;
    return Math.max(largest, this.#bytes);
  }
}

/** The position after the next empty line, or -1. */
function boundary(chunk: Buffer, from: number): number {
  const lf = chunk.indexOf('\n\n', from, 'latin1');
  const crlf = chunk.indexOf('\n\r\n', from, 'latin1');
  if (lf === -1 && crlf === -1) return -1;
  return lf !== -1 && (crlf === -1 || lf < crlf) ? lf + 2 : crlf + 3;
}
