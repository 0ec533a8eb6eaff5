// MCP servers as upstreams, behind a port of our own: the official client does the handshake and
// keeps the protocol's other duties; calls, timers, limits and evidence are ours.
import type { McpServerDefinition } from '../../config.js';
import { McpServer, type McpServerDeps } from './server.js';

export type { DiscoveredTool } from './discovery.js';
export type { McpServer } from './server.js';

/** One MCP server of the configuration, not yet connected. */
export function createMcpServer(definition: McpServerDefinition, deps: McpServerDeps): McpServer {
  return new McpServer(definition, deps);
}
