// What became of one JSON-RPC request, as a fact. A connection never rejects: the official client
// folds time-outs, aborts and lost streams into one error, so we keep our own account of each.
import type { HeaderBag, Phase } from '../../errors/outcome.js';

/** How a stdio child ended. */
export interface ChildExit {
  readonly code: number | null;
  readonly signal: string | null;
}

/** An HTTP answer that is no usable 2xx; the body is cut at `ERROR_BODY_MAX_BYTES`. */
export interface HttpReply {
  readonly kind: 'http';
  readonly status: number;
  readonly headers: HeaderBag;
  readonly body: string;
  readonly truncated: boolean;
}

export type Reply =
  /** `bytes` is the size of the message on the wire; null where it came through an SSE stream. */
  | { readonly kind: 'result'; readonly result: unknown; readonly bytes: number | null }
  | {
      readonly kind: 'error';
      readonly code: number;
      readonly message: string;
      readonly data?: unknown;
    }
  | HttpReply
  /** HTTP 202 to a request: nothing will follow. */
  | { readonly kind: 'accepted' }
  /** The response stream ended without an answer. */
  | { readonly kind: 'stream_ended' }
  | { readonly kind: 'not_json' }
  | {
      readonly kind: 'too_large';
      readonly limitBytes: number;
      readonly sizeBytes: number | null;
    }
  | { readonly kind: 'transport'; readonly error: unknown; readonly phase: Phase }
  /** The whole connection went: a child died, the shared SSE stream ended, or we closed it. */
  | { readonly kind: 'closed'; readonly exit: ChildExit | undefined }
  /** We no longer wait. */
  | { readonly kind: 'given_up' };
