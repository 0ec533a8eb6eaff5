// A ToolResult as an MCP result. An answer that came from an MCP server goes on as it came; any
// other becomes text, and structured content where the tool promises it. A failure is text for the
// model and `error_info` for the program.
import { type CallToolResult, isCallToolResult } from '@modelcontextprotocol/server';
import type { ResultBody, ToolDefinition, ToolResult } from '../../src/call.js';
import { offeredOutputSchema, toMcpContent } from '../../src/format/mcp.js';
import { readValue } from '../../src/format/result-content.js';

/** @param tool undefined for a tool that is not configured. */
export function toCallToolResult(
  result: ToolResult,
  tool: ToolDefinition | undefined,
): CallToolResult {
  if (result.errorInfo !== null) return failure(result, tool);
  return success(result.result ?? { kind: 'value', value: null }, tool);
}

function success(body: ResultBody, tool: ToolDefinition | undefined): CallToolResult {
  if (tool?.upstream.kind === 'mcp' && body.kind === 'value' && isCallToolResult(body.value)) {
    return body.value;
  }
  return {
    content: [{ type: 'text', text: textOf(body) }],
    ...(promisesStructure(tool) && { structuredContent: readValue(body) }),
  };
}

function textOf(body: ResultBody): string {
  switch (body.kind) {
    case 'text':
    case 'json':
      return body.text;
    case 'json-bytes':
      return Buffer.concat(body.chunks).toString('utf8');
    case 'value':
      return typeof body.value === 'string' ? body.value : JSON.stringify(body.value ?? null);
  }
}

function failure(result: ToolResult, tool: ToolDefinition | undefined): CallToolResult {
  return {
    content: toMcpContent(result, { toAlias: (name) => name }),
    structuredContent: { error_info: result.errorInfo },
    // A refusal is no error, but a client that was promised a structure would throw it away.
    isError: result.status === 'error' || promisesStructure(tool),
  };
}

function promisesStructure(tool: ToolDefinition | undefined): boolean {
  return tool !== undefined && offeredOutputSchema(tool) !== undefined;
}
