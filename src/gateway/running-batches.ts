// The batches that run right now: to cancel one by its id, to count them while draining, to cancel
// them all when draining took too long.
import type { Cancellation } from '../cancellation.js';
import type { CancelReason } from '../errors/outcome.js';

interface Running {
  readonly client: string;
  readonly cancellation: Cancellation;
}

/** Every batch is added when it begins and removed when its last call has ended. */
export class RunningBatches {
  readonly #running = new Map<string, Running>();
  #waiters: (() => void)[] = [];

  get size(): number {
    return this.#running.size;
  }

  has(batchId: string): boolean {
    return this.#running.has(batchId);
  }

  add(batchId: string, client: string, cancellation: Cancellation): void {
    this.#running.set(batchId, { client, cancellation });
  }

  remove(batchId: string): void {
    this.#running.delete(batchId);
    if (this.#running.size > 0) return;
    for (const wake of this.#waiters.splice(0)) wake();
  }

  /** Cancels a batch of this client; false where none of that id runs (another client's counts as none). */
  cancel(batchId: string, client: string): boolean {
    const running = this.#running.get(batchId);
    if (running?.client !== client) return false;
    running.cancellation.cancel('cancelled_by_request');
    return true;
  }

  cancelAll(reason: CancelReason): void {
    for (const { cancellation } of this.#running.values()) cancellation.cancel(reason);
  }

  /** Resolves once nothing runs, or after `timeoutMs`: true where it became idle. */
  async idle(timeoutMs: number): Promise<boolean> {
    if (this.#running.size === 0) return true;
    return new Promise((resolve) => {
      const timer = setTimeout(() => {
        this.#waiters = this.#waiters.filter((waiter) => waiter !== wake);
        resolve(false);
      }, timeoutMs);
      const wake = (): void => {
        clearTimeout(timer);
        resolve(true);
      };
      this.#waiters.push(wake);
    });
  }
}
