// HTTP codes that have a twin of their own for tools behind an MCP server.
import type { ErrorCode } from './catalogue.js';

// prettier-ignore
const TWINS: Readonly<Partial<Record<ErrorCode, ErrorCode>>> = {
  TOOL_TIMEOUT:           'MCP_TIMEOUT',
  TOOL_CONNECTION_FAILED: 'MCP_CONNECTION_FAILED',
  TOOL_TRANSPORT_ERROR:   'MCP_TRANSPORT_ERROR',
  UPSTREAM_SERVER_ERROR:  'MCP_SERVER_ERROR',
};

/** The MCP twin of a code, or the code itself. */
export function mcpTwin(code: ErrorCode): ErrorCode {
  return TWINS[code] ?? code;
}
