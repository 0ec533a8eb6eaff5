// The batches that run right now: to cancel one by its id, to count them, to cancel them all when
// draining took too long.
import type { Cancellation } from '../cancellation.js';
import type { CancelReason } from '../errors/outcome.js';

/**
 * Every batch is added when it begins and removed when its last call has ended. An id is its
 * client's own: another client may use the same, and learns nothing of this one.
 */
export class RunningBatches {
  /** Client -> batch id -> its cancellation. */
  readonly #running = new Map<string, Map<string, Cancellation>>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  has(client: string, batchId: string): boolean {
    return this.#running.get(client)?.has(batchId) === true;
  }

  add(client: string, batchId: string, cancellation: Cancellation): void {
    const batches = this.#running.get(client) ?? new Map<string, Cancellation>();
    this.#running.set(client, batches.set(batchId, cancellation));
    this.#size += 1;
  }

  remove(client: string, batchId: string): void {
    const batches = this.#running.get(client);
    if (batches?.delete(batchId) !== true) return;
    this.#size -= 1;
    if (batches.size === 0) this.#running.delete(client);
  }

  /** False where this client has no running batch of that id. */
  cancel(client: string, batchId: string): boolean {
    const cancellation = this.#running.get(client)?.get(batchId);
    cancellation?.cancel('cancelled_by_request');
    return cancellation !== undefined;
  }

  cancelAll(reason: CancelReason): void {
    for (const batches of this.#running.values()) {
      for (const cancellation of batches.values()) cancellation.cancel(reason);
    }
  }
}
