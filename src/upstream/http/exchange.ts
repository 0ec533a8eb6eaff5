// One request and its answer on the wire, with undici's `dispatch` and a handler of our own: the
// cheapest way there is. It keeps the attempt's phase true, holds the byte limits, and ends exactly
// once, whatever the peer does.
import type { IncomingHttpHeaders } from 'node:http';
import type { Dispatcher } from 'undici';
import type { Attempt } from '../../call.js';
import { ERROR_BODY_MAX_BYTES, type Outcome } from '../../errors/outcome.js';
import type { HttpRequest } from './request.js';
import type { Connection } from './connection.js';

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

/** Who hears how an exchange ended: one of these, once, unless it was aborted first. */
export interface ExchangeOwner {
  answered(answer: Answer): void;
  /** The headers alone decided. */
  screened(outcome: Outcome): void;
  /** @param neverSent the peer had given an idle connection up; nothing of the request left over it */
  failed(error: Error, neverSent: boolean): void;
}

export interface AnswerLimits {
  /** Bytes of a 2xx body that are kept. */
  readonly maxBytes: number;
  /** Bytes of a 2xx body that are read (and counted) before the rest is given up. */
  readonly readBytes: number;
  /** Looks at the head of an answer; an outcome ends the exchange at once. */
  screen(status: number, headers: IncomingHttpHeaders): Outcome | undefined;
}

const NO_HEADERS: IncomingHttpHeaders = {};
/** Never written to. */
const NO_CHUNKS: Buffer[] = [];
/** What a peer does to a connection that it has given up. */
const RESET_CODES = new Set(['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET']);

export class Exchange implements Dispatcher.DispatchHandler {
  readonly #connection: Connection;
  readonly #attempt: Attempt;
  readonly #limits: AnswerLimits;
  readonly #owner: ExchangeOwner;
  #started = false;
  #ended = false;
  #status = 0;
  #headers = NO_HEADERS;
  #keep = 0;
  #read = 0;
  #chunks = NO_CHUNKS;
  #byteLength = 0;
  #bytesSeen = 0;

  /** @param connection used for this exchange alone, and given back or destroyed at its end */
  constructor(
    connection: Connection,
    attempt: Attempt,
    limits: AnswerLimits,
    owner: ExchangeOwner,
  ) {
    this.#connection = connection;
    this.#attempt = attempt;
    this.#limits = limits;
    this.#owner = owner;
  }

  send(request: HttpRequest): void {
    this.#attempt.phase = 'connecting';
    this.#connection.dispatch(request, this);
  }

  /** Tears the connection down, connecting or not. Nothing more is reported. */
  abort(): void {
    if (this.#ended) return;
    this.#notePhase();
    this.#ended = true;
    this.#connection.destroy();
  }

  onRequestStart(): void {
    if (this.#ended) return;
    this.#started = true;
    this.#attempt.phase = 'sending';
  }

  onResponseStart(_controller: unknown, status: number, headers: IncomingHttpHeaders): void {
    if (this.#ended || status < 200) return;
    this.#attempt.phase = 'reading_body';
    const outcome = this.#limits.screen(status, headers);
    if (outcome !== undefined) {
      this.#end(false);
      this.#owner.screened(outcome);
      return;
    }
    this.#status = status;
    this.#headers = headers;
    const success = status < 300;
    this.#keep = success ? this.#limits.maxBytes : ERROR_BODY_MAX_BYTES;
    this.#read = success ? this.#limits.readBytes : ERROR_BODY_MAX_BYTES;
    // It has no body, but may declare the length that one would have (RFC 9110 §15.4.5); undici
    // would wait for it and call its absence a mismatch.
    if (status === 304) this.#answer(false);
  }

  onResponseData(_controller: unknown, chunk: Buffer): void {
    if (this.#ended) return;
    this.#bytesSeen += chunk.length;
    const room = this.#keep - this.#byteLength;
    if (room > 0) {
      const kept = chunk.length <= room ? chunk : chunk.subarray(0, room);
      // What is pushed into an empty array makes room for 17; most answers are one piece.
      if (this.#chunks.length === 0) this.#chunks = [kept];
      else this.#chunks.push(kept);
      this.#byteLength += kept.length;
    }
    // An unread body would block the connection; one that is not wanted ends it.
    if (this.#bytesSeen > this.#read) this.#answer(false);
  }

  onResponseEnd(): void {
    if (!this.#ended) this.#answer(true);
  }

  onResponseError(_controller: unknown, error: Error): void {
    if (this.#ended) return;
    this.#notePhase();
    // A definite status stands, whatever became of its body; only a 2xx lives by its body.
    if (this.#attempt.phase === 'reading_body' && this.#status >= 300) {
      this.#answer(false);
      return;
    }
    const neverSent = this.#neverSent(error);
    this.#end(false);
    this.#owner.failed(error, neverSent);
  }

  #answer(whole: boolean): void {
    this.#end(whole);
    this.#owner.answered({
      status: this.#status,
      headers: this.#headers,
      chunks: this.#chunks,
      byteLength: this.#byteLength,
      bytesSeen: this.#bytesSeen,
    });
  }

  #end(reusable: boolean): void {
    this.#ended = true;
    if (reusable) this.#connection.release();
    else this.#connection.destroy();
  }

  /** All is written once the socket holds nothing back. */
  #notePhase(): void {
    if (this.#attempt.phase !== 'sending') return;
    if (this.#connection.socket?.writableLength === 0) this.#attempt.phase = 'awaiting_headers';
  }

  /** The connection was dead before it could be used: nothing of the request has left. */
  #neverSent({ code }: Error & { code?: unknown }): boolean {
    return RESET_CODES.has(String(code)) && !this.#started && this.#connection.connected;
  }
}
