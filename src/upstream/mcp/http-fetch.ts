// The `fetch` that the official HTTP transports are given. It knows which of our requests a POST
// carries (by the JSON-RPC id in its body) and settles that request from what it sees: status,
// headers, whole JSON bodies. Only SSE streams go on to the transport, which resumes them.
import type { HeaderBag } from '../../errors/outcome.js';
import type { ExchangeAnswer } from './http-exchange.js';
import { type HttpSender, type Parcel, withHeader } from './http-sender.js';
import { namelessError, type PendingRequest, type PendingTable } from './pending.js';
import type { HttpReply } from './reply.js';
import { TokenError, type TokenSource } from './oauth.js';

/** Our own messages, and only ours, are built with their members in this order. */
const OUR_REQUEST = /^\{"jsonrpc":"2\.0","id":(\d+),/;
const NO_BODY = new Set([204, 205, 304]);

/** The last answer or failure that belonged to none of our requests; explains a failed handshake. */
export type LastExchange = HttpReply | { readonly kind: 'failed'; readonly error: unknown };

export interface McpFetchDeps {
  readonly sender: HttpSender;
  readonly table: PendingTable;
  /** From the configuration; sent with every request. */
  readonly headers: Readonly<Record<string, string>>;
  readonly tokens: TokenSource | undefined;
  /** False for the old HTTP+SSE transport, which acknowledges a POST and answers elsewhere. */
  readonly answersOnPost: boolean;
}

export class McpFetch {
  last: LastExchange | undefined;
  readonly #deps: McpFetchDeps;

  constructor(deps: McpFetchDeps) {
    this.#deps = deps;
  }

  /** Bound, to be passed on as `fetch`. Rejects, like fetch, where there is no answer at all. */
  readonly fetch = async (input: string | URL, init: RequestInit = {}): Promise<Response> => {
    const packed = this.#pack(input, init);
    const owner = this.#ownerOf(packed);
    if (owner === 'gone') return new Response(null, { status: 405 });
    // What the transport says of itself (session, revision, content type) is not to be overruled.
    const headers = { ...owner?.headers, ...packed.headers };
    const parcel = { ...packed, headers };
    const isResumption = owner !== undefined && packed.method === 'GET';
    try {
      const answer = await this.#sendAuthorised(parcel, owner, init.signal);
      if (owner === undefined) return this.#pass(answer);
      return isResumption && !isUsable(answer)
        ? this.#endStream(owner)
        : this.#deliver(answer, owner);
    } catch (error) {
      // What we closed ourselves explains nothing.
      const ours = init.signal?.aborted === true;
      if (owner === undefined) this.last = ours ? this.last : { kind: 'failed', error };
      else if (isResumption) return this.#endStream(owner);
      else this.#deps.table.settle(owner, replyOfFailure(error, owner));
      throw error;
    }
  };

  #pack(input: string | URL, init: RequestInit): Parcel {
    const headers: Record<string, string> = {};
    for (const [name, value] of Object.entries(this.#deps.headers)) {
      headers[name.toLowerCase()] = value;
    }
    new Headers(init.headers).forEach((value, name) => {
      headers[name] = value;
    });
    const body = typeof init.body === 'string' ? init.body : null;
    return { url: new URL(input), method: init.method ?? 'GET', headers, body };
  }

  /** The request of ours that an exchange serves; 'gone' when nobody waits for it any more. */
  #ownerOf({ method, headers, body }: Parcel): PendingRequest | 'gone' | undefined {
    const { table, answersOnPost } = this.#deps;
    const eventId = headers['last-event-id'];
    if (method === 'GET' && eventId !== undefined && answersOnPost) {
      return table.byEventId(eventId) ?? 'gone';
    }
    const id = OUR_REQUEST.exec(body?.slice(0, 64) ?? '')?.[1];
    return id === undefined ? undefined : (table.get(Number(id)) ?? 'gone');
  }

  /** Sends; with OAuth, gets a new token and sends once more after a 401. */
  async #sendAuthorised(
    parcel: Parcel,
    owner: PendingRequest | undefined,
    signal: AbortSignal | null | undefined,
  ): Promise<ExchangeAnswer> {
    const { tokens, sender } = this.#deps;
    if (tokens === undefined) return sender.send(parcel, owner, signal);
    const token = await tokens.get();
    const answer = await sender.send(bearing(parcel, token), owner, signal);
    if (answer.kind !== 'whole' || answer.status !== 401) return answer;
    tokens.invalidate(token);
    return sender.send(bearing(parcel, await tokens.get()), owner, signal);
  }

  /** An answer that is none of ours, as the transport wants it. */
  #pass(answer: ExchangeAnswer): Response {
    switch (answer.kind) {
      case 'failed':
        throw answer.error;
      case 'too_large':
        throw new Error('the answer is over the limit');
      case 'stream':
        return toResponse(answer.status, answer.headers, answer.stream);
      case 'whole':
        this.last = httpReply(answer);
        return toResponse(answer.status, answer.headers, answer.body);
    }
  }

  /** Settles our request, and leaves the transport nothing to do but to read a stream. */
  #deliver(answer: ExchangeAnswer, owner: PendingRequest): Response {
    const { table } = this.#deps;
    switch (answer.kind) {
      case 'failed':
        table.settle(owner, { kind: 'transport', error: answer.error, phase: answer.phase });
        break;
      case 'too_large':
        table.settle(owner, { ...answer, limitBytes: owner.maxBytes });
        break;
      case 'stream':
        return toResponse(answer.status, answer.headers, answer.stream);
      case 'whole':
        if (answer.status >= 300 && answer.status < 400) {
          owner.lastHttp = httpReply(answer);
          return toResponse(answer.status, answer.headers, answer.body);
        }
        if (answer.status >= 400) table.settle(owner, httpReply(answer));
        else if (this.#deps.answersOnPost) this.#readAnswer(answer, owner);
    }
    return new Response(null, { status: 202 });
  }

  /** The call itself went out before: how its resumption is refused says nothing of it. */
  #endStream(owner: PendingRequest): Response {
    this.#deps.table.settle(owner, { kind: 'stream_ended' });
    return new Response(null, { status: 405 });
  }

  #readAnswer(answer: Extract<ExchangeAnswer, { kind: 'whole' }>, owner: PendingRequest): void {
    const { table } = this.#deps;
    if (answer.status === 202 || answer.status === 204) {
      table.settle(owner, { kind: 'accepted' });
      return;
    }
    let parsed: unknown;
    try {
      // RFC 8259 §8.1: a byte order mark may be ignored.
      parsed = JSON.parse(answer.body.toString('utf8').replace(/^\uFEFF/, ''));
    } catch {
      table.settle(owner, { kind: 'not_json' });
      return;
    }
    const messages = Array.isArray(parsed) ? (parsed as unknown[]) : [parsed];
    // JSON-RPC 2.0 §5: a request that could not be read is answered without its id.
    const nameless = messages.map(namelessError).find((reply) => reply !== undefined);
    for (const message of messages) table.route(message, answer.body.length);
    if (nameless !== undefined) table.settle(owner, nameless);
    // Somebody else's answer: ours may still come by another way, and the caller's timer decides.
    if (!owner.settled && !owner.sawForeignResponse) table.settle(owner, { kind: 'not_json' });
  }
}

function isUsable(answer: ExchangeAnswer): boolean {
  return answer.kind === 'too_large' || (answer.kind !== 'failed' && answer.status < 300);
}

function bearing(parcel: Parcel, token: string): Parcel {
  return withHeader(parcel, 'authorization', `Bearer ${token}`);
}

/** A failure before an answer: almost always the token endpoint, for exchanges do not reject. */
function replyOfFailure(
  error: unknown,
  owner: PendingRequest,
):
  | HttpReply
  | {
      readonly kind: 'transport';
      readonly error: unknown;
      readonly phase: PendingRequest['phase'];
    } {
  if (error instanceof TokenError && error.refused) {
    return { kind: 'http', status: 401, headers: {}, body: '', truncated: false };
  }
  return { kind: 'transport', error, phase: owner.phase };
}

function httpReply(answer: Extract<ExchangeAnswer, { kind: 'whole' }>): HttpReply {
  const { status, headers, body, truncated } = answer;
  return { kind: 'http', status, headers, body: body.toString('utf8'), truncated };
}

function toResponse(
  status: number,
  headers: HeaderBag,
  body: Buffer | ReadableStream<Uint8Array>,
): Response {
  const list = new Headers();
  for (const [name, value] of Object.entries(headers)) {
    for (const one of typeof value === 'string' ? [value] : (value ?? [])) list.append(name, one);
  }
  return new Response(NO_BODY.has(status) ? null : body, { status, headers: list });
}
