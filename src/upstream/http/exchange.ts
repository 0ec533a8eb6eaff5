// One request and its answer on the wire, with undici's `dispatch` and a handler of our own: the
// cheapest way there is. It keeps the attempt's phase true, holds the byte limits, and ends exactly
// once, whatever the peer does.
import type { IncomingHttpHeaders } from 'node:http';
import type { Dispatcher } from 'undici';
import type { Attempt } from '../../call.js';
import { ERROR_BODY_MAX_BYTES, type Outcome } from '../../errors/outcome.js';
import type { HttpRequest } from './request.js';
import type { Connection, TrackedOptions } from './pools.js';

/** An answer as it came, before anything is decoded. */
export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly chunks: readonly Buffer[];
  /** Bytes in `chunks`. */
  readonly byteLength: number;
  /** Bytes of the whole body as far as it was read; more than `byteLength` where it was cut. */
  readonly bytesSeen: number;
}

export type ExchangeEnd =
  | { readonly kind: 'answer'; readonly answer: Answer }
  /** The headers alone decided. */
  | { readonly kind: 'screened'; readonly outcome: Outcome }
  | {
      readonly kind: 'failed';
      readonly error: Error;
      /** `never_sent`, `unanswered`: lost on an idle connection that the peer had given up. */
      readonly race: 'never_sent' | 'unanswered' | undefined;
    };

export interface AnswerLimits {
  /** Bytes of a 2xx body that are kept. */
  readonly maxBytes: number;
  /** Bytes of a 2xx body that are read (and counted) before the rest is given up. */
  readonly readBytes: number;
  /** Looks at the head of an answer; an outcome ends the exchange at once. */
  screen(status: number, headers: IncomingHttpHeaders): Outcome | undefined;
}

/** What a peer does to a connection that it has given up. */
const RESET_CODES = new Set(['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET']);

const GIVEN_UP = new Error('The rest of the answer is not wanted.');

export class Exchange implements Dispatcher.DispatchHandler {
  connection: Connection | undefined;
  readonly #attempt: Attempt;
  readonly #limits: AnswerLimits;
  readonly #onEnd: (end: ExchangeEnd) => void;
  #controller: Dispatcher.DispatchController | undefined;
  #ended = false;
  #reusedConnection = false;
  #bytesReadBefore = 0;
  #status = 0;
  #headers: IncomingHttpHeaders = {};
  #keep = 0;
  #read = 0;
  readonly #chunks: Buffer[] = [];
  #byteLength = 0;
  #bytesSeen = 0;

  /**
   * @param onEnd called exactly once, unless `abort` came first: then never
   */
  constructor(attempt: Attempt, limits: AnswerLimits, onEnd: (end: ExchangeEnd) => void) {
    this.#attempt = attempt;
    this.#limits = limits;
    this.#onEnd = onEnd;
  }

  /** @param dispatcher of our own connections (see `pools.ts`) */
  send(dispatcher: Dispatcher, request: HttpRequest): void {
    this.#attempt.phase = 'connecting';
    const options: TrackedOptions = {
      method: request.method,
      path: request.path,
      headers: request.headers,
      body: request.body,
      carrier: this,
    };
    dispatcher.dispatch(options, this);
  }

  /** Tears the connection down, connecting or not. Nothing more is reported. */
  abort(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#notePhase();
    if (this.#controller !== undefined) this.#controller.abort(GIVEN_UP);
    else this.connection?.abortConnecting();
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    if (this.#ended) {
      controller.abort(GIVEN_UP);
      return;
    }
    this.#controller = controller;
    this.#attempt.phase = 'sending';
    const { connection } = this;
    if (connection === undefined) return;
    this.#reusedConnection = connection.requests++ > 0;
    this.#bytesReadBefore = connection.socket?.bytesRead ?? 0;
  }

  onResponseStart(
    controller: Dispatcher.DispatchController,
    status: number,
    headers: IncomingHttpHeaders,
  ): void {
    if (this.#ended || status < 200) return;
    this.#attempt.phase = 'reading_body';
    const outcome = this.#limits.screen(status, headers);
    if (outcome !== undefined) {
      this.#end({ kind: 'screened', outcome });
      controller.abort(GIVEN_UP);
      return;
    }
    this.#status = status;
    this.#headers = headers;
    const success = status < 300;
    this.#keep = success ? this.#limits.maxBytes : ERROR_BODY_MAX_BYTES;
    this.#read = success ? this.#limits.readBytes : ERROR_BODY_MAX_BYTES;
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#ended) return;
    this.#bytesSeen += chunk.length;
    const room = this.#keep - this.#byteLength;
    if (room > 0) {
      const kept = chunk.length <= room ? chunk : chunk.subarray(0, room);
      this.#chunks.push(kept);
      this.#byteLength += kept.length;
    }
    if (this.#bytesSeen > this.#read) {
      this.#answer();
      // An unread body would block the connection; one that is not wanted ends it.
      controller.abort(GIVEN_UP);
    }
  }

  onResponseEnd(): void {
    if (!this.#ended) this.#answer();
  }

  onResponseError(_controller: unknown, error: Error): void {
    if (this.#ended) return;
    this.#notePhase();
    this.#end({ kind: 'failed', error, race: this.#lostRace(error) });
  }

  #answer(): void {
    this.#end({
      kind: 'answer',
      answer: {
        status: this.#status,
        headers: this.#headers,
        chunks: this.#chunks,
        byteLength: this.#byteLength,
        bytesSeen: this.#bytesSeen,
      },
    });
  }

  #end(end: ExchangeEnd): void {
    this.#ended = true;
    this.#onEnd(end);
  }

  /** All is written once the socket holds nothing back. */
  #notePhase(): void {
    if (this.#attempt.phase !== 'sending') return;
    if (this.connection?.socket?.writableLength === 0) this.#attempt.phase = 'awaiting_headers';
  }

  /** A peer may close an idle connection just as we use it; the request is then no fault of it. */
  #lostRace(error: Error & { code?: unknown }): 'never_sent' | 'unanswered' | undefined {
    const { connection } = this;
    if (!RESET_CODES.has(String(error.code)) || connection === undefined) return undefined;
    if (this.#controller === undefined) return connection.connected ? 'never_sent' : undefined;
    const heard = (connection.socket?.bytesRead ?? 0) > this.#bytesReadBefore;
    return this.#reusedConnection && !heard ? 'unanswered' : undefined;
  }
}
