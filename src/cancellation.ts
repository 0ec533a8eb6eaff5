// One cancellation per batch, shared by its calls. A plain object: an AbortController with its
// listener costs 5-19 µs a call on Node 20, so a real AbortSignal is built only for who asks.
import type { CancelReason } from './errors/outcome.js';

type Listener = (reason: CancelReason) => void;

/** Never written to. */
const NOBODY: Listener[] = [];

/** Cancels once, with a reason; whoever works for the batch hears of it at once. */
export class Cancellation {
  #reason: CancelReason | undefined;
  /** No Set: of the few that listen most listen to a batch of one, and a Set is ten times an array. */
  #listeners = NOBODY;

  /** Why it was cancelled; undefined while it was not. */
  get reason(): CancelReason | undefined {
    return this.#reason;
  }

  /** How many listeners are registered; for leak checks. */
  get listenerCount(): number {
    return this.#listeners.length;
  }

  /** Cancels once; later calls change nothing. Each listener hears it once and is released. */
  cancel(reason: CancelReason): void {
    if (this.#reason !== undefined) return;
    this.#reason = reason;
    const listeners = this.#listeners;
    this.#listeners = NOBODY;
    for (const listener of listeners) listener(reason);
  }

  /** Registers a listener. The caller must have looked at `reason` first and must `unsubscribe`. */
  subscribe(listener: Listener): void {
    // What is pushed into an empty array makes room for 17.
    if (this.#listeners.length === 0) this.#listeners = [listener];
    else this.#listeners.push(listener);
  }

  unsubscribe(listener: Listener): void {
    const at = this.#listeners.indexOf(listener);
    if (at === -1) return;
    const last = this.#listeners.pop();
    if (last !== undefined && at < this.#listeners.length) this.#listeners[at] = last;
  }
}
