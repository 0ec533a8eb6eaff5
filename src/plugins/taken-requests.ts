// The requests that were taken: read whole, not refused, and not yet answered to the last byte. To
// drain means that none is left. Node counts an answer as given once it is handed to the socket, and
// would close the connection under a large one.
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { LiveList } from '../live-list.js';
import { onceClosed } from './response-closed.js';

export class TakenRequests {
  readonly #open = new LiveList<ServerResponse>();
  #waiters: (() => void)[] = [];

  /** Whether an answer is finished for us and still on its way. */
  get delivering(): boolean {
    for (const response of this.#open) if (response.writableEnded) return true;
    return false;
  }

  add(response: ServerResponse): void {
    const place = this.#open.add(response);
    onceClosed(response, () => {
      this.#open.remove(place);
      if (this.#open.size > 0) return;
      for (const wake of this.#waiters.splice(0)) wake();
    });
  }

  /**
   * Tells clients that their connection closes with the answer, so that they send nothing more on
   * it. In a pipeline only the last answer may say so: the connection ends there.
   */
  closeConnections(): void {
    const last = new Map<Socket, ServerResponse>();
    for (const response of this.#open) last.set(response.req.socket, response);
    for (const response of last.values()) {
      if (!response.headersSent) response.setHeader('connection', 'close');
    }
  }

  /** Resolves once none is left, or after `timeoutMs`: true where none is. */
  async idle(timeoutMs: number): Promise<boolean> {
    if (this.#open.size === 0) return true;
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
