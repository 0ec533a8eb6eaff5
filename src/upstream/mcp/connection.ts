// One live connection to an MCP server, after its handshake: sends our own requests past the
// official client, which keeps the protocol's other duties (ping answers, notifications, envelope).
import { setTimeout as delay } from 'node:timers/promises';
import {
  type Client,
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  type JSONRPCMessage,
  PROTOCOL_VERSION_META_KEY,
} from '@modelcontextprotocol/client';
import type { JsonObject } from '../../call.js';
import type { Channel, ChannelKind } from './channel.js';
import { CLIENT_INFO } from './client-info.js';
import type { PendingRequest, RequestHooks } from './pending.js';
import type { ChildExit } from './reply.js';

const FAREWELL_MS = 1_000;

export interface RequestOptions extends RequestHooks {
  /** The largest answer that is read, bytes. */
  readonly maxBytes: number;
  /** Headers of this request, where the transport is HTTP. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Members of `params._meta`. */
  readonly meta?: JsonObject;
  /** Asks the server for progress. */
  readonly wantProgress?: boolean;
}

/** Requests are answered or settled exactly once, whatever becomes of the connection. */
export class Connection {
  /** The 2026-07-28 revision or a later one: no session, an envelope in every request. */
  readonly modern: boolean;
  /** When anything was last heard of the server: `performance.now()` milliseconds. */
  lastHeardAt = performance.now();
  /** Called once, when the connection is gone for good. */
  onClosed: ((exit: ChildExit | undefined) => void) | undefined;
  readonly protocolVersion: string | undefined;
  readonly client: Client;
  readonly #channel: Channel;
  readonly #envelope: JsonObject | undefined;
  #closed = false;

  /** @param client after its handshake over this channel. */
  constructor(channel: Channel, client: Client) {
    this.#channel = channel;
    this.client = client;
    this.protocolVersion = client.getNegotiatedProtocolVersion();
    this.modern = client.getProtocolEra() === 'modern';
    this.#envelope = this.modern
      ? {
          [PROTOCOL_VERSION_META_KEY]: this.protocolVersion,
          [CLIENT_INFO_META_KEY]: CLIENT_INFO,
          [CLIENT_CAPABILITIES_META_KEY]: {},
        }
      : undefined;
    client.onclose = () => this.#lost();
    this.#closed = client.transport === undefined;
    channel.onStreamLost = () => void client.close().catch(() => undefined);
  }

  get kind(): ChannelKind {
    return this.#channel.kind;
  }

  /** Marked arguments go as headers too (`param-headers.ts`). */
  get mirrorsParameters(): boolean {
    return this.modern && this.kind === 'streamable_http';
  }

  get closed(): boolean {
    return this.#closed;
  }

  /** How a stdio child ended. */
  get exit(): ChildExit | undefined {
    return this.#channel.exit();
  }

  get sessionId(): string | undefined {
    return this.#channel.transport.sessionId;
  }

  get pendingRequests(): number {
    return this.#channel.table.size;
  }

  /** The end of a stdio child's stderr; '' for other transports. */
  lastWords(scrub: (text: string) => string): string {
    return this.#channel.lastWords?.tail(scrub) ?? '';
  }

  /** Sends a request. Its reply never rejects; where no answer comes, `cancel` ends the wait. */
  request(method: string, params: JsonObject, options: RequestOptions): PendingRequest {
    const { table, transport } = this.#channel;
    const pending = table.open(options.maxBytes, options, options.headers);
    void pending.reply.then(({ kind }) => {
      if (kind === 'result' || kind === 'error') this.lastHeardAt = performance.now();
    });
    if (this.#closed) {
      table.settle(pending, { kind: 'closed', exit: this.#channel.exit() });
      return pending;
    }
    const { id } = pending;
    const meta = {
      ...this.#envelope,
      ...options.meta,
      ...(options.wantProgress === true && { progressToken: id }),
    };
    const hasMeta = Object.keys(meta).length > 0;
    // The order of these members is how the HTTP layer knows a request of ours.
    const message = {
      jsonrpc: '2.0',
      id,
      method,
      params: hasMeta ? { ...params, _meta: meta } : params,
    } as JSONRPCMessage;
    if (this.kind === 'stdio') pending.moveTo('awaiting_headers');
    transport
      .send(message, {
        onRequestStreamEnd: () => this.#streamEnded(pending),
        onresumptiontoken: (token) => table.noteEventId(pending, token),
      })
      .catch((error: unknown) => this.#sendFailed(pending, error));
    return pending;
  }

  /** Gives a request up: tells the server, closes its exchange, settles it as `given_up`. */
  cancel(pending: PendingRequest, reason: string): void {
    const { table, transport } = this.#channel;
    if (pending.settled) return;
    table.settle(pending, { kind: 'given_up' });
    const wasSent = pending.phase !== 'connecting' && pending.phase !== 'queued';
    // Since 2026-07-28 closing the POST is the cancellation; before, and on stdio, it is a message.
    if (wasSent && !(this.modern && this.kind === 'streamable_http') && !this.#closed) {
      const message = {
        jsonrpc: '2.0',
        method: 'notifications/cancelled',
        params: {
          requestId: pending.id,
          reason,
          ...(this.#envelope !== undefined && { _meta: this.#envelope }),
        },
      } as JSONRPCMessage;
      transport.send(message).catch(() => undefined);
    }
    pending.release?.();
  }

  /**
   * Takes no more requests and closes when the pending ones have their replies: for a session that
   * was lost while others may still be answered.
   */
  retire(): void {
    this.onClosed = undefined;
    const { table } = this.#channel;
    table.onEmpty = () => void this.close('silent');
    if (table.size === 0) table.onEmpty();
  }

  /**
   * Closes the connection; every pending request is settled as `closed`.
   *
   * @param manner `polite` ends the session at the server first.
   */
  async close(manner: 'polite' | 'silent'): Promise<void> {
    if (manner === 'polite' && !this.#closed) await this.#farewell();
    await this.client.close().catch(() => undefined);
    this.#lost();
    await this.#channel.dispose();
  }

  async #farewell(): Promise<void> {
    const goodbye = this.#channel.farewell().catch(() => undefined);
    await Promise.race([goodbye, delay(FAREWELL_MS, undefined, { ref: false })]);
  }

  #streamEnded(pending: PendingRequest): void {
    if (pending.sawForeignResponse) return;
    this.#channel.table.settle(pending, { kind: 'stream_ended' });
  }

  /** Most failures have settled the request before; what is left is a redirect or the transport's own. */
  #sendFailed(pending: PendingRequest, error: unknown): void {
    const { table } = this.#channel;
    if (this.kind === 'stdio') return;
    table.settle(pending, pending.lastHttp ?? { kind: 'transport', error, phase: pending.phase });
  }

  #lost(): void {
    if (this.#closed) return;
    this.#closed = true;
    const exit = this.#channel.exit();
    this.#channel.table.settleAll({ kind: 'closed', exit });
    this.onClosed?.(exit);
  }
}
