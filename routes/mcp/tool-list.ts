// `tools/list`: the tools of one caller, in pages.
import {
  type ListToolsResult,
  ProtocolError,
  ProtocolErrorCode,
} from '@modelcontextprotocol/server';
import type { ToolDefinition } from '../../src/call.js';
import { toMcpTool } from '../../src/format/mcp.js';

const PAGE_SIZE = 500;

/** One page. @throws ProtocolError for a cursor that is none of ours. */
export function listTools(
  tools: readonly ToolDefinition[],
  cursor: string | undefined,
): ListToolsResult {
  const from =
    cursor === undefined ? 0 : Number(/^from-(\d{1,7})$/.exec(cursor)?.[1] ?? Number.NaN);
  if (Number.isNaN(from))
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'Unknown cursor');
  const to = from + PAGE_SIZE;
  return {
    tools: tools.slice(from, to).map(toMcpTool),
    ...(to < tools.length && { nextCursor: `from-${to}` }),
  };
}
