// The official server package behind POST /mcp. A file of its own, loaded with the first request: the
// package and its schemas are a tenth of a start, and most gateways never answer over MCP.
import { createMcpHandler, type McpHttpHandler } from '@modelcontextprotocol/server';
import type { Gateway } from '../../src/gateway/gateway.js';
import { type Caller, createFace } from './face.js';

export function createHandler(gateway: Gateway): McpHttpHandler {
  return createMcpHandler(
    ({ authInfo }) => createFace(gateway, authInfo?.extra?.['caller'] as Caller),
    // Nothing is announced over a subscription, so none is opened that would outlive a drain.
    { maxSubscriptions: 0 },
  );
}
