// One HTTP exchange over undici's dispatch, seen from inside: how far the request got, the status
// with its headers, every byte against a limit, and the end of the stream. Never rejects.
import type { Dispatcher } from 'undici';
import { ERROR_BODY_MAX_BYTES, type HeaderBag, type Phase } from '../../errors/outcome.js';
import { EventMeter } from './event-meter.js';

const STREAM_BUFFER_BYTES = 65_536;

export interface ExchangeHooks {
  /** The largest whole body, and the largest single SSE event, bytes. */
  readonly maxBytes: number;
  onPhase(phase: Phase): void;
  /** An event of an SSE stream is over the limit; the stream is cut. */
  onTooLarge(): void;
  /** Called once, when nothing of the exchange is left. */
  onDone(): void;
}

export type ExchangeAnswer =
  | {
      readonly kind: 'whole';
      readonly status: number;
      readonly headers: HeaderBag;
      readonly body: Buffer;
      readonly truncated: boolean;
    }
  | {
      readonly kind: 'stream';
      readonly status: number;
      readonly headers: HeaderBag;
      readonly stream: ReadableStream<Uint8Array>;
    }
  | { readonly kind: 'too_large'; readonly sizeBytes: number | null }
  | { readonly kind: 'failed'; readonly error: unknown; readonly phase: Phase };

export class HttpExchange implements Dispatcher.DispatchHandler {
  readonly answer: Promise<ExchangeAnswer>;
  readonly #hooks: ExchangeHooks;
  #resolve!: (answer: ExchangeAnswer) => void;
  #phase: Phase = 'connecting';
  #controller: Dispatcher.DispatchController | undefined;
  #abortReason: Error | undefined;
  #ended = false;
  #readerLeft = false;
  #head: { status: number; headers: HeaderBag } | undefined;
  readonly #chunks: Uint8Array[] = [];
  #bytes = 0;
  #limit = 0;
  #stream: ReadableStreamDefaultController<Uint8Array> | undefined;
  #meter: EventMeter | undefined;

  constructor(hooks: ExchangeHooks) {
    this.#hooks = hooks;
    this.answer = new Promise((resolve) => {
      this.#resolve = resolve;
    });
  }

  get ended(): boolean {
    return this.#ended;
  }

  /** Closes the exchange, and its socket where the request was under way. */
  abort(reason = new Error('aborted')): void {
    if (this.#ended || this.#abortReason !== undefined) return;
    this.#abortReason = reason;
    this.#controller?.abort(reason);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#abortReason !== undefined) {
      controller.abort(this.#abortReason);
      return;
    }
    this.#moveTo('awaiting_headers');
  }

  onResponseStart(
    controller: Dispatcher.DispatchController,
    status: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    if (status < 200) return;
    this.#moveTo('reading_body');
    this.#head = { status, headers };
    const ok = status < 300;
    if (ok && isEventStream(headers['content-type'])) {
      this.#openStream(controller, status, headers);
      return;
    }
    this.#limit = ok ? this.#hooks.maxBytes : ERROR_BODY_MAX_BYTES;
    const declared = Number(headers['content-length'] ?? 0);
    if (ok && declared > this.#limit) this.#cut(controller, declared);
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#stream !== undefined) {
      this.#streamData(controller, this.#stream, chunk);
      return;
    }
    if (this.#head === undefined) return;
    this.#bytes += chunk.length;
    if (this.#bytes <= this.#limit) this.#chunks.push(chunk);
    else if (this.#head.status < 300) this.#cut(controller, null);
    else {
      this.#chunks.push(chunk.subarray(0, chunk.length - (this.#bytes - this.#limit)));
      this.#whole(true);
      controller.abort(new Error('error body over the limit'));
    }
  }

  onResponseEnd(): void {
    this.#ended = true;
    if (this.#stream === undefined) this.#whole(false);
    else if (!this.#readerLeft) this.#stream.close();
    this.#hooks.onDone();
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.#ended = true;
    // The head of a refusal says what its body, which broke off, only explains.
    const refused = this.#abortReason === undefined && (this.#head?.status ?? 0) >= 300;
    if (refused) this.#whole(true);
    // Without effect where the answer was given: a cut body, an abort after the answer.
    this.#resolve({ kind: 'failed', error, phase: this.#phase });
    this.#stream?.error(error);
    this.#hooks.onDone();
  }

  #moveTo(phase: Phase): void {
    this.#phase = phase;
    this.#hooks.onPhase(phase);
  }

  #cut(controller: Dispatcher.DispatchController, sizeBytes: number | null): void {
    this.#resolve({ kind: 'too_large', sizeBytes });
    controller.abort(new Error('body over the limit'));
  }

  #whole(truncated: boolean): void {
    if (this.#head === undefined) return;
    const body = Buffer.concat(this.#chunks);
    this.#resolve({ kind: 'whole', ...this.#head, body, truncated });
  }

  #openStream(controller: Dispatcher.DispatchController, status: number, headers: HeaderBag): void {
    this.#meter = new EventMeter();
    const stream = new ReadableStream<Uint8Array>(
      {
        start: (sink) => {
          this.#stream = sink;
        },
        pull: () => controller.resume(),
        cancel: () => {
          this.#readerLeft = true;
          this.abort();
        },
      },
      new ByteLengthQueuingStrategy({ highWaterMark: STREAM_BUFFER_BYTES }),
    );
    this.#resolve({ kind: 'stream', status, headers, stream });
  }

  #streamData(
    controller: Dispatcher.DispatchController,
    stream: ReadableStreamDefaultController<Uint8Array>,
    chunk: Buffer,
  ): void {
    if (this.#meter !== undefined && this.#meter.add(chunk) > this.#hooks.maxBytes) {
      this.#hooks.onTooLarge();
      controller.abort(new Error('event over the limit'));
      return;
    }
    if (this.#readerLeft) return;
    stream.enqueue(chunk);
    if ((stream.desiredSize ?? 0) <= 0) controller.pause();
  }
}

/** Whether a content type is that of server-sent events. */
function isEventStream(contentType: string | readonly string[] | undefined): boolean {
  return typeof contentType === 'string' && /^\s*text\/event-stream\b/i.test(contentType);
}
