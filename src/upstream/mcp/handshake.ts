// How a connection comes about: which transport, which revision, which fallbacks. Streamable HTTP
// first, the old HTTP+SSE where the server does not know it; the newest revision first, the plain
// `initialize` handshake where the server takes the probe for it badly.
import { Client } from '@modelcontextprotocol/client';
import type { McpTransportDefinition } from '../../config.js';
import { type Channel, type ChannelKind, openHttp, openStdio } from './channel.js';
import { CLIENT_INFO } from './client-info.js';
import type { ConnectFailure } from './connect-failure.js';
import { Connection } from './connection.js';
import { describeFailure, PROBE_TIMEOUT_MS } from './describe-failure.js';
import type { HttpResources } from './http-resources.js';

const HANDSHAKE_TIMEOUT_MS = 30_000;

/** What an earlier handshake taught, so that the next one needs no probing. */
export interface Lesson {
  readonly kind: ChannelKind;
  readonly legacy: boolean;
}

export type ConnectResult =
  | { readonly ok: true; readonly connection: Connection; readonly lesson: Lesson }
  | { readonly ok: false; readonly failure: ConnectFailure };

/**
 * Connects once, with every fallback. Never rejects.
 *
 * @param http what all connections to an HTTP server share; undefined for a stdio server.
 * @param signal stops the handshake when the server is closed.
 */
export async function connect(
  transport: McpTransportDefinition,
  http: HttpResources | undefined,
  lesson: Lesson | undefined,
  signal: AbortSignal,
): Promise<ConnectResult> {
  const legacy = lesson?.legacy ?? false;
  if (transport.kind === 'stdio' || http === undefined) {
    if (transport.kind === 'http') throw new TypeError('an HTTP server needs its resources');
    return negotiate(() => openStdio(transport), legacy, signal);
  }
  const kind = lesson?.kind === 'sse' ? 'sse' : 'streamable_http';
  const first = await negotiate(() => openHttp(transport, kind, http), legacy, signal);
  if (first.ok || kind === 'sse' || !suggestsOldTransport(first.failure)) return first;
  const second = await negotiate(() => openHttp(transport, 'sse', http), true, signal);
  return second.ok ? second : first;
}

/** A 4xx that is about the route or the method, not about who asks or how often. */
function suggestsOldTransport({ http }: ConnectFailure): boolean {
  return http !== undefined && [400, 404, 405, 406, 415].includes(http.status);
}

async function negotiate(
  open: () => Channel,
  legacy: boolean,
  signal: AbortSignal,
): Promise<ConnectResult> {
  const first = await attempt(open(), legacy, signal);
  if (first.ok || legacy || !first.failure.probeOnly || signal.aborted) return first;
  return attempt(open(), true, signal);
}

async function attempt(
  channel: Channel,
  legacy: boolean,
  signal: AbortSignal,
): Promise<ConnectResult> {
  const client = new Client(CLIENT_INFO, {
    capabilities: {},
    inputRequired: { autoFulfill: false },
    versionNegotiation: legacy
      ? { mode: 'legacy' }
      : { mode: 'auto', probe: { timeoutMs: PROBE_TIMEOUT_MS } },
  });
  try {
    const connecting = client.connect(channel.transport, { timeout: HANDSHAKE_TIMEOUT_MS });
    await bounded(connecting, signal);
  } catch (error) {
    await channel.transport.close().catch(() => undefined);
    await channel.dispose();
    const failure = describeFailure(error, channel.lastExchange(), channel.exit());
    return { ok: false, failure };
  }
  const connection = new Connection(channel, client);
  return { ok: true, connection, lesson: { kind: channel.kind, legacy: !connection.modern } };
}

/** The client times its requests, but not a stream that opens and then stays silent. */
async function bounded(connecting: Promise<void>, signal: AbortSignal): Promise<void> {
  let stop = (): void => undefined;
  const stopped = new Promise<never>((_, reject) => {
    stop = () => reject(new Error('the handshake was stopped'));
  });
  const timer = setTimeout(stop, HANDSHAKE_TIMEOUT_MS + PROBE_TIMEOUT_MS);
  signal.addEventListener('abort', stop, { once: true });
  try {
    await Promise.race([connecting, stopped]);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', stop);
  }
}
