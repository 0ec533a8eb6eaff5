// How many requests each caller has sent in its window: the store behind @fastify/rate-limit. Its own
// keeps clients and addresses in one LRU, so that whoever comes from many addresses pushes out the
// count of a client.
import type { FastifyRateLimitStore } from '@fastify/rate-limit';

/** Addresses that are remembered; the one longest unseen is forgotten first. */
const MAX_ADDRESSES = 5_000;

interface Window {
  count: number;
  /** Epoch milliseconds. */
  readonly endsAt: number;
}

/** Before a key that is an address; other keys are clients, as many as the configuration has. */
export const ADDRESS = 'ip:';

export class WindowStore implements FastifyRateLimitStore {
  readonly #clients = new Map<string, Window>();
  readonly #addresses = new Map<string, Window>();

  incr(
    key: string,
    callback: (error: Error | null, result?: { current: number; ttl: number }) => void,
    windowMs = 0,
  ): void {
    const isAddress = key.startsWith(ADDRESS);
    const windows = isAddress ? this.#addresses : this.#clients;
    const now = Date.now();
    let window = windows.get(key);
    if (window === undefined || window.endsAt <= now) window = { count: 0, endsAt: now + windowMs };
    window.count += 1;
    if (isAddress) this.#remember(key, window);
    else windows.set(key, window);
    callback(null, { current: window.count, ttl: window.endsAt - now });
  }

  #remember(key: string, window: Window): void {
    // At the new end, for a Map keeps the order of insertion.
    this.#addresses.delete(key);
    this.#addresses.set(key, window);
    if (this.#addresses.size <= MAX_ADDRESSES) return;
    for (const oldest of this.#addresses.keys()) {
      this.#addresses.delete(oldest);
      return;
    }
  }

  /** No route has a limit of its own. */
  child(): this {
    return this;
  }
}
