// The requests that wait for an answer on one connection, by JSON-RPC id. Our ids start far above
// the ones that the official client counts from 0, so that both can share a transport.
import type { Phase } from '../../errors/outcome.js';
import type { HttpReply, Reply } from './reply.js';

const FIRST_ID = 1_000_000;

/** JSON-RPC framing and SSE field names around a result, allowed on top of a size limit. */
export const FRAMING_BYTES = 512;

export interface RequestHooks {
  /** The request moved on; the last word before the reply is where it stood. */
  readonly onPhase?: (phase: Phase) => void;
  /** `params` of a progress notification, without its token. */
  readonly onProgress?: (progress: Readonly<Record<string, unknown>>) => void;
}

/** One request on its way. Settles exactly once. */
export class PendingRequest {
  readonly id: number;
  readonly reply: Promise<Reply>;
  /** The largest answer that is read, bytes. */
  readonly maxBytes: number;
  readonly hooks: RequestHooks;
  /** Headers of this request alone, where the transport is HTTP. */
  readonly headers: Readonly<Record<string, string>> | undefined;
  phase: Phase = 'connecting';
  settled = false;
  /** Frees what the request holds on the wire; set by the HTTP layer. */
  release: (() => void) | undefined;
  /** The last SSE event id of its stream, for resumption. */
  lastEventId: string | undefined;
  /** The last HTTP answer that is no usable 2xx: a redirect that was not followed. */
  lastHttp: HttpReply | undefined;
  /** A response that answers no request of ours came on its stream. */
  sawForeignResponse = false;
  readonly #resolve: (reply: Reply) => void;

  constructor(
    id: number,
    maxBytes: number,
    hooks: RequestHooks,
    headers: Readonly<Record<string, string>> | undefined,
  ) {
    this.id = id;
    this.headers = headers;
    this.maxBytes = maxBytes;
    this.hooks = hooks;
    let resolve!: (reply: Reply) => void;
    this.reply = new Promise<Reply>((done) => {
      resolve = done;
    });
    this.#resolve = resolve;
  }

  /** Notes how far the request got. */
  moveTo(phase: Phase): void {
    if (this.settled) return;
    this.phase = phase;
    this.hooks.onPhase?.(phase);
  }

  settle(reply: Reply): void {
    if (this.settled) return;
    this.settled = true;
    this.#resolve(reply);
  }
}

type Message = Readonly<Record<string, unknown>>;

/** All pending requests of one connection. */
export class PendingTable {
  /** Called whenever the last pending request is gone. */
  onEmpty: (() => void) | undefined;
  readonly #byId = new Map<number, PendingRequest>();
  readonly #byEventId = new Map<string, PendingRequest>();
  #nextId = FIRST_ID;

  get size(): number {
    return this.#byId.size;
  }

  /** The largest answer that any pending request may have, bytes. */
  get largestLimit(): number {
    let largest = 0;
    for (const request of this.#byId.values()) largest = Math.max(largest, request.maxBytes);
    return largest;
  }

  open(
    maxBytes: number,
    hooks: RequestHooks,
    headers?: Readonly<Record<string, string>>,
  ): PendingRequest {
    const request = new PendingRequest(this.#nextId++, maxBytes, hooks, headers);
    this.#byId.set(request.id, request);
    return request;
  }

  get(id: number): PendingRequest | undefined {
    return this.#byId.get(id);
  }

  /** The request whose stream last gave this SSE event id. */
  byEventId(eventId: string): PendingRequest | undefined {
    return this.#byEventId.get(eventId);
  }

  noteEventId(request: PendingRequest, eventId: string): void {
    if (request.settled) return;
    if (request.lastEventId !== undefined) this.#byEventId.delete(request.lastEventId);
    request.lastEventId = eventId;
    this.#byEventId.set(eventId, request);
  }

  settle(request: PendingRequest, reply: Reply): void {
    this.forget(request);
    request.settle(reply);
  }

  /** Drops a request that nobody waits for any more. */
  forget(request: PendingRequest): void {
    const known = this.#byId.delete(request.id);
    if (known && this.#byId.size === 0) this.onEmpty?.();
    if (request.lastEventId !== undefined) this.#byEventId.delete(request.lastEventId);
  }

  settleAll(reply: Reply): void {
    for (const request of [...this.#byId.values()]) this.settle(request, reply);
  }

  /**
   * Takes a message that belongs to one of our requests: its answer, or its progress.
   *
   * @returns false when the message is for the official client.
   */
  route(message: unknown, bytes: number | null): boolean {
    if (typeof message !== 'object' || message === null) return false;
    const { id, method, params } = message as Message;
    if (method === 'notifications/progress') return this.#progress(params);
    if (method !== undefined || id === undefined) return false;
    const request = this.#byId.get(Number(id));
    if (request !== undefined) this.settle(request, replyOf(message, bytes));
    else this.#foreign(id);
    return request !== undefined || isOurs(id);
  }

  #progress(params: unknown): boolean {
    const { progressToken, ...progress } = (params ?? {}) as Message;
    const request = this.#byId.get(Number(progressToken));
    request?.hooks.onProgress?.(progress);
    return request !== undefined || isOurs(progressToken);
  }

  /** On a shared stream nobody can say whose answer went astray: each waits for its own timer. */
  #foreign(id: unknown): void {
    if (typeof id === 'string' && id.startsWith('listen:')) return;
    for (const request of this.#byId.values()) request.sawForeignResponse = true;
  }
}

function isOurs(id: unknown): boolean {
  return Number(id) >= FIRST_ID;
}

/** The error in a response that names no request; undefined where the message is none. */
export function namelessError(message: unknown): Reply | undefined {
  const { id, method, error } = (message ?? {}) as Message;
  if ((id !== undefined && id !== null) || method !== undefined || !error) return undefined;
  return replyOf(message as object, null);
}

/** The answer in a JSON-RPC response. */
function replyOf(message: object, bytes: number | null): Reply {
  const { result, error } = message as Message;
  // Older libraries write `error: null` beside a result.
  const failed = error !== undefined && (error !== null || result === undefined);
  if (!failed) return { kind: 'result', result, bytes };
  const { code, message: text, data } = (error ?? {}) as Message;
  if (typeof code !== 'number') return { kind: 'not_json' };
  return {
    kind: 'error',
    code,
    message: typeof text === 'string' ? text : '',
    ...(data !== undefined && { data }),
  };
}
