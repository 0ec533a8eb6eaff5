// Stops an attempt when a server has been silent for too long: neither an answer nor progress.
import type { Attempt } from '../../call.js';

export class IdleTimer {
  readonly #timeoutMs: number;
  readonly #attempt: Attempt;
  #timer: NodeJS.Timeout | undefined;

  constructor(timeoutMs: number, attempt: Attempt) {
    this.#timeoutMs = timeoutMs;
    this.#attempt = attempt;
  }

  /** Starts, or starts again. Without a timer where the attempt's own ends first. */
  restart(): void {
    if (this.#timer !== undefined) {
      this.#timer.refresh();
      return;
    }
    const timeoutMs = this.#timeoutMs;
    if (performance.now() + timeoutMs >= this.#attempt.deadlineAt) return;
    this.#timer = setTimeout(() => {
      this.#attempt.abort({ kind: 'timeout', scope: 'idle', timeoutMs });
    }, timeoutMs);
  }

  stop(): void {
    clearTimeout(this.#timer);
  }
}
