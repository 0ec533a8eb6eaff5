// `tools/list`: the tools of one caller, in pages.
import {
  type ListToolsResult,
  ProtocolError,
  ProtocolErrorCode,
  type Tool,
} from '@modelcontextprotocol/server';
import type { JsonObject, ToolDefinition } from '../../src/call.js';

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
    tools: tools.slice(from, to).map(toTool),
    ...(to < tools.length && { nextCursor: `from-${to}` }),
  };
}

/**
 * The output schema that clients may rely on; none where a result can be without the structure it
 * promises, for clients throw such a result away.
 */
export function offeredOutputSchema({
  outputSchema,
  policy,
}: ToolDefinition): JsonObject | undefined {
  const { validation, onOversize } = policy.result;
  return validation === 'enforce' && onOversize === 'error' ? outputSchema : undefined;
}

function toTool(tool: ToolDefinition): Tool {
  const outputSchema = offeredOutputSchema(tool);
  return {
    name: tool.name,
    description: tool.description,
    inputSchema: { ...tool.inputSchema, type: 'object' },
    ...(outputSchema !== undefined && { outputSchema }),
    annotations: { readOnlyHint: tool.readOnly, idempotentHint: tool.idempotent },
  };
}
