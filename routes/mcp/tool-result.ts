// A ToolResult as an MCP result. An answer that came from an MCP server goes on as it came; any
// other becomes text, and structured content where the tool promises it. A failure is text for the
// model and `error_info` for the program.
import { type CallToolResult, isCallToolResult } from '@modelcontextprotocol/server';
import type { ResultBody, ToolDefinition, ToolResult } from '../../src/call.js';
import { renderMessages } from '../../src/format/index.js';
import { offeredOutputSchema } from '../../src/format/mcp.js';

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
  const promised = tool !== undefined && offeredOutputSchema(tool) !== undefined;
  const text = textOf(body);
  return {
    content: [{ type: 'text', text }],
    ...(promised && { structuredContent: valueOf(body, text) }),
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

function valueOf(body: ResultBody, text: string): unknown {
  switch (body.kind) {
    case 'text':
      return text;
    case 'value':
      return body.value ?? null;
    case 'json':
    case 'json-bytes':
      return JSON.parse(text) as unknown;
  }
}

/** The words are the ones that every model reads, whatever its provider. */
function failure(result: ToolResult, tool: ToolDefinition | undefined): CallToolResult {
  const wire = { id: 0 };
  const [message] = renderMessages(
    {
      ok: true,
      format: 'mcp',
      calls: [],
      options: { returnOrder: 'submission' },
      context: { calls: [{ id: result.id, name: result.tool, wire }] },
    },
    [result],
    { toAlias: (name) => name },
  );
  const rendered = (message as { result: CallToolResult }).result;
  // A refusal is no error, but a client that was promised a structure would throw it away.
  const promised = tool !== undefined && offeredOutputSchema(tool) !== undefined;
  return {
    ...rendered,
    structuredContent: { error_info: result.errorInfo },
    isError: result.status === 'error' || promised,
  };
}
