// The batches that run right now: to cancel one by its id, to count them, to cancel them all when
// draining took too long.
import type { Cancellation } from '../cancellation.js';
import type { CancelReason } from '../errors/outcome.js';
import { LiveList } from '../live-list.js';

interface Running {
  readonly client: { readonly id: string };
  readonly batchId: string;
  readonly cancellation: Cancellation;
}

/**
 * Every batch is added when it begins and removed when its last call has ended. An id is its
 * client's own: another client may use the same, and learns nothing of this one.
 */
export class RunningBatches {
  readonly #running = new LiveList<Running>();

  get size(): number {
    return this.#running.size;
  }

  has(client: string, batchId: string): boolean {
    return this.#find(client, batchId) !== undefined;
  }

  /** Returns the place, to `remove` it by. */
  add(batch: Running): number {
    return this.#running.add(batch);
  }

  remove(place: number): void {
    this.#running.remove(place);
  }

  /** False where this client has no running batch of that id. */
  cancel(client: string, batchId: string): boolean {
    const batch = this.#find(client, batchId);
    batch?.cancellation.cancel('cancelled_by_request');
    return batch !== undefined;
  }

  cancelAll(reason: CancelReason): void {
    for (const { cancellation } of this.#running) cancellation.cancel(reason);
  }

  /** Looks at all of them: only those who name their batches, or cancel one, ask. */
  #find(client: string, batchId: string): Running | undefined {
    for (const batch of this.#running) {
      if (batch.batchId === batchId && batch.client.id === client) return batch;
    }
    return undefined;
  }
}
