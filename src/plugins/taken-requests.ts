// The requests that were taken: read whole, not refused, and not yet answered to the last byte. To
// drain means that none is left. Node counts an answer as given once it is handed to the socket, and
// would close the connection under a large one.
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Cancellation } from '../cancellation.js';
import { LiveList } from '../live-list.js';
import { onceClosed } from './response-closed.js';

/** One of them. */
export class TakenRequest {
  readonly response: ServerResponse;
  #cancellation: Cancellation | undefined;
  #closed = false;

  constructor(response: ServerResponse) {
    this.response = response;
  }

  /**
   * Cancels with `client_left` once the answer can reach nobody. (`request.signal` aborts as soon as
   * a POST body has been read: fastify#6725. So this looks at the response: closed before it was
   * written whole.)
   */
  cancelOnceClientLeft(cancellation: Cancellation): void {
    this.#cancellation = cancellation;
    if (this.#closed) this.closed();
  }

  closed(): void {
    this.#closed = true;
    if (!this.response.writableFinished) this.#cancellation?.cancel('client_left');
  }
}

export class TakenRequests {
  readonly #open = new LiveList<TakenRequest>();
  #waiters: (() => void)[] = [];

  /** Whether an answer is finished for us and still on its way. */
  get delivering(): boolean {
    for (const { response } of this.#open) if (response.writableEnded) return true;
    return false;
  }

  add(response: ServerResponse): TakenRequest {
    const taken = new TakenRequest(response);
    const place = this.#open.add(taken);
    onceClosed(response, () => {
      this.#open.remove(place);
      taken.closed();
      if (this.#open.size > 0) return;
      for (const wake of this.#waiters.splice(0)) wake();
    });
    return taken;
  }

  /**
   * Tells clients that their connection closes with the answer, so that they send nothing more on
   * it. In a pipeline only the last answer may say so: the connection ends there.
   */
  closeConnections(): void {
    const last = new Map<Socket, ServerResponse>();
    for (const { response } of this.#open) last.set(response.req.socket, response);
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
