// A transport that is not yet connected, with what lies below it: a sender of HTTP exchanges or a
// child process.
import { StreamableHTTPClientTransport, type Transport } from '@modelcontextprotocol/client';
import type { McpTransportDefinition } from '../../config.js';
import { type LastExchange, McpFetch } from './http-fetch.js';
import type { HttpResources } from './http-resources.js';
import { HttpSender } from './http-sender.js';
import { createOldTransport } from './old-transport.js';
import { PendingTable } from './pending.js';
import type { ChildExit } from './reply.js';
import { StdioTransport } from './stdio-transport.js';
import type { StderrRing } from './stderr-ring.js';
import { TapTransport } from './tap-transport.js';

type HttpDefinition = Extract<McpTransportDefinition, { kind: 'http' }>;
type StdioDefinition = Extract<McpTransportDefinition, { kind: 'stdio' }>;

export type ChannelKind = 'streamable_http' | 'sse' | 'stdio';

export interface Channel {
  readonly kind: ChannelKind;
  /** Tapped: answers to our own requests do not reach the official client. */
  readonly transport: Transport;
  readonly table: PendingTable;
  /** What the handshake's own exchanges came to last (HTTP). */
  readonly lastExchange: () => LastExchange | undefined;
  readonly exit: () => ChildExit | undefined;
  readonly lastWords?: StderrRing;
  /** Called when the channel's one shared stream ends; the owner then closes the transport. */
  onStreamLost: (() => void) | undefined;
  /** Ends the session at the server, where there is one. */
  farewell(): Promise<void>;
  /** Frees what lies below the transport. */
  dispose(): Promise<void>;
}

const RECONNECT = {
  initialReconnectionDelay: 1_000,
  maxReconnectionDelay: 30_000,
  reconnectionDelayGrowFactor: 2,
  maxRetries: 5,
};

/** A channel to an HTTP server, not yet connected; `kind` is the transport to speak. */
export function openHttp(
  definition: HttpDefinition,
  kind: 'streamable_http' | 'sse',
  { agent, tokens }: HttpResources,
): Channel {
  const table = new PendingTable();
  const sender = new HttpSender(agent, table);
  const answersOnPost = kind === 'streamable_http';
  const { headers } = definition;
  const mcpFetch = new McpFetch({ sender, table, headers, tokens, answersOnPost });
  const url = new URL(definition.url);
  const { fetch } = mcpFetch;
  const streamable = answersOnPost
    ? new StreamableHTTPClientTransport(url, { fetch, reconnectionOptions: RECONNECT })
    : undefined;
  const inner = streamable ?? createOldTransport(url, fetch);
  const channel: Channel = {
    kind,
    table,
    transport: new TapTransport(inner, table),
    lastExchange: () => mcpFetch.last,
    exit: () => undefined,
    onStreamLost: undefined,
    farewell: () => streamable?.terminateSession() ?? Promise.resolve(),
    dispose: () => {
      sender.closeAll();
      return Promise.resolve();
    },
  };
  if (!answersOnPost) sender.onGetStreamEnd = () => channel.onStreamLost?.();
  return channel;
}

/** A channel to a child process, not yet spawned. */
export function openStdio(definition: StdioDefinition): Channel {
  const table = new PendingTable();
  const inner = new StdioTransport(definition, table);
  return {
    kind: 'stdio',
    table,
    transport: new TapTransport(inner, table),
    lastExchange: () => undefined,
    exit: () => inner.exit,
    lastWords: inner.lastWords,
    onStreamLost: undefined,
    farewell: () => Promise.resolve(),
    dispose: () => inner.close(),
  };
}
