// What an HTTP server of the configuration has from the start, before anything is connected: its
// sockets and its tokens. Apart from the channel, so that building it does not load the client.
import { Agent } from 'undici';
import type { McpTransportDefinition, ServerConfig } from '../../config.js';
import { createConnect } from '../http/egress.js';
import { withConnectTimeout } from './connect-timeout.js';
import { TokenSource } from './oauth.js';

type HttpDefinition = Extract<McpTransportDefinition, { kind: 'http' }>;

/** What all connections to one HTTP server share. */
export interface HttpResources {
  readonly agent: Agent;
  readonly tokens: TokenSource | undefined;
}

/** @param egress which addresses may be dialled; undefined: all. */
export function createHttpResources(
  definition: HttpDefinition,
  egress: ServerConfig['egress'] = { deny: [], allow: [] },
): HttpResources {
  // No timers of undici's: it waits in silence while a tool works, and our own timers decide.
  const connect = withConnectTimeout(createConnect(egress));
  const agent = new Agent({ connect, headersTimeout: 0, bodyTimeout: 0 });
  const { oauth } = definition;
  return { agent, tokens: oauth === undefined ? undefined : new TokenSource(oauth, agent) };
}
