// Puts exchanges on the wire for one connection and keeps account of those that are open: each is
// closed when its request is given up, and all are when the connection is.
import { setMaxListeners } from 'node:events';
import type { Agent } from 'undici';
import { type ExchangeAnswer, type ExchangeHooks, HttpExchange } from './http-exchange.js';
import { FRAMING_BYTES, type PendingRequest, type PendingTable } from './pending.js';

/** For what is not one of our requests: the handshake, notifications, the standing GET stream. */
const OTHER_MAX_BYTES = 16 * 1_048_576;
/** How long a stream may stay open after it gave the answer, milliseconds. */
const LINGER_MS = 2_000;

/** One request as it goes on the wire; header names in lower case. */
export interface Parcel {
  readonly url: URL;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
}

export function withHeader(parcel: Parcel, name: string, value: string): Parcel {
  return { ...parcel, headers: { ...parcel.headers, [name]: value } };
}

export class HttpSender {
  /** Called when a GET stream is over. */
  onGetStreamEnd: (() => void) | undefined;
  readonly #agent: Agent;
  readonly #table: PendingTable;
  readonly #open = new Set<HttpExchange>();

  constructor(agent: Agent, table: PendingTable) {
    this.#agent = agent;
    this.#table = table;
  }

  /**
   * Sends one request.
   *
   * @param owner the request of ours that it serves; closing it closes the exchange.
   * @param signal closes an exchange without owner.
   */
  async send(
    parcel: Parcel,
    owner: PendingRequest | undefined,
    signal: AbortSignal | null | undefined,
  ): Promise<ExchangeAnswer> {
    if (owner?.settled === true || signal?.aborted === true) throw new Error('given up');
    let done = (): void => undefined;
    const exchange = new HttpExchange(this.#hooks(owner, () => done()));
    const abort = (): void => exchange.abort();
    this.#open.add(exchange);
    if (owner !== undefined) owner.release = abort;
    else if (signal) {
      // One signal of the transport's stands over all its exchanges: many listeners are no leak.
      setMaxListeners(0, signal);
      signal.addEventListener('abort', abort, { once: true });
    }
    let linger: NodeJS.Timeout | undefined;
    done = () => {
      this.#open.delete(exchange);
      signal?.removeEventListener('abort', abort);
      clearTimeout(linger);
    };
    const { url, method, headers, body } = parcel;
    this.#agent.dispatch(
      { origin: url.origin, path: url.pathname + url.search, method, headers, body },
      exchange,
    );
    const answer = await exchange.answer;
    if (answer.kind !== 'stream') return answer;
    if (owner !== undefined) {
      void owner.reply.then(() => {
        if (!exchange.ended) linger = setTimeout(abort, LINGER_MS).unref();
      });
    } else if (method === 'GET') {
      if (exchange.ended) this.onGetStreamEnd?.();
      const finish = done;
      done = () => {
        finish();
        this.onGetStreamEnd?.();
      };
    }
    return answer;
  }

  /** Closes everything that is open. */
  closeAll(): void {
    for (const exchange of [...this.#open]) exchange.abort();
  }

  #hooks(owner: PendingRequest | undefined, onDone: () => void): ExchangeHooks {
    if (owner === undefined) {
      return {
        maxBytes: OTHER_MAX_BYTES,
        onPhase: () => undefined,
        onTooLarge: () => undefined,
        onDone,
      };
    }
    const limitBytes = owner.maxBytes;
    return {
      maxBytes: limitBytes + FRAMING_BYTES,
      onPhase: (phase) => owner.moveTo(phase),
      onTooLarge: () =>
        this.#table.settle(owner, { kind: 'too_large', limitBytes, sizeBytes: null }),
      onDone,
    };
  }
}
