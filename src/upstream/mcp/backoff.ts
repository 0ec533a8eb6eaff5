// When the next try to connect is due: the wait doubles with every failure in a row, with jitter,
// so that many gateways do not come back to a restarted server together.

const BASE_MS = 200;
const MAX_MS = 30_000;

export class Backoff {
  #failures = 0;
  #dueAt = 0;

  /** Milliseconds until the next try may start; 0 when it may now. */
  get remainingMs(): number {
    return Math.max(0, this.#dueAt - performance.now());
  }

  failed(): void {
    const ceiling = Math.min(MAX_MS, BASE_MS * 2 ** this.#failures);
    this.#failures += 1;
    this.#dueAt = performance.now() + ceiling * (0.5 + Math.random() / 2);
  }

  succeeded(): void {
    this.#failures = 0;
    this.#dueAt = 0;
  }
}
