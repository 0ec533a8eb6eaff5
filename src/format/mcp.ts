// MCP: a JSON-RPC `tools/call` request or an array of them (a batch, revision 2025-03-26). A call
// that failed is a result with `isError` (MCP 2025-11-25, Tools, Error Handling); only a request
// that is no `tools/call` at all gets a JSON-RPC error.
import type { JsonObject, ToolDefinition, ToolResult } from '../call.js';
import { modelContent, sentenceAndText } from './model-content.js';
import { neutraliseObject } from './neutralise.js';
import { isMcpResult, readValue } from './result-content.js';
import { isObject } from '../json/object.js';
import type { Answer, FoundCall, OfferNote, RenderOptions, WireFormat } from './wire-format.js';

interface Wire {
  /** The request's own id; null where it had none that can be repeated. */
  readonly id: string | number | null;
  /** JSON-RPC code of a request that is no tools/call. */
  readonly rpcError?: number;
}

const INVALID_REQUEST = -32600;
const METHOD_NOT_FOUND = -32601;
const INVALID_PARAMS = -32602;

function isRequest(value: unknown): boolean {
  return isObject(value) && value['jsonrpc'] === '2.0';
}

function isNotification(value: unknown): boolean {
  if (!isObject(value) || value['id'] !== undefined) return false;
  return typeof value['method'] === 'string' && value['method'].startsWith('notifications/');
}

function faulty(
  at: string,
  id: Wire['id'],
  rpcError: number,
  pointer: string,
  problem: string,
): FoundCall {
  const wire: Wire = { id, rpcError };
  const faults = { [pointer]: problem };
  return { at, id: id === null ? undefined : String(id), name: undefined, args: {}, faults, wire };
}

function read(raw: unknown, at: string): FoundCall {
  if (!isObject(raw)) return faulty(at, null, INVALID_REQUEST, '', 'must be a JSON-RPC request');
  const id =
    typeof raw['id'] === 'string' || Number.isSafeInteger(raw['id'])
      ? (raw['id'] as string | number)
      : null;
  if (raw['jsonrpc'] !== '2.0') return faulty(at, id, INVALID_REQUEST, '/jsonrpc', 'must be "2.0"');
  if (id === null) return faulty(at, id, INVALID_REQUEST, '/id', 'must be a string or an integer');
  if (raw['method'] !== 'tools/call')
    return faulty(at, id, METHOD_NOT_FOUND, '/method', 'must be "tools/call"');
  const params = raw['params'];
  if (!isObject(params) || typeof params['name'] !== 'string') {
    return faulty(at, id, INVALID_PARAMS, '/params/name', 'must be a string');
  }
  const wire: Wire = { id };
  const { name, arguments: args } = params;
  return { at, argumentsAt: `${at}/params/arguments`, id: String(id), name, args, wire };
}

/** The object that goes into `structuredContent`: the tool's own where it is an MCP result. */
function structured({ result }: ToolResult): JsonObject | undefined {
  if (result === null) return undefined;
  const value = readValue(result);
  if (!isObject(value)) return undefined;
  if (!isMcpResult(value)) return value;
  return isObject(value['structuredContent']) ? value['structuredContent'] : undefined;
}

/** The words of an answer: the ones that every model reads, whatever its provider. */
export function toMcpContent(answer: ToolResult, options: RenderOptions) {
  const content = modelContent(answer, options, 'images');
  return [
    { type: 'text' as const, text: sentenceAndText(content) },
    ...content.images.map(({ mimeType, data }) => ({ type: 'image' as const, data, mimeType })),
  ];
}

function toResult(answer: ToolResult, options: RenderOptions) {
  const object = answer.errorInfo === null ? structured(answer) : { error_info: answer.errorInfo };
  // A host may show it to its model, and an object cannot be wrapped.
  const structuredContent = options.envelope === 'none' ? object : neutraliseObject(object);
  return {
    content: toMcpContent(answer, options),
    ...(structuredContent !== undefined && { structuredContent }),
    isError: answer.status === 'error',
  };
}

function toResponse(answer: Answer, options: RenderOptions) {
  const { id, rpcError } = answer.wire as Wire;
  const { errorInfo } = answer.result;
  if (rpcError !== undefined && errorInfo !== null) {
    const error = { code: rpcError, message: errorInfo.message, data: { error_info: errorInfo } };
    return { jsonrpc: '2.0' as const, id, error };
  }
  return { jsonrpc: '2.0' as const, id, result: toResult(answer.result, options) };
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

/** A tool as `tools/list` declares it: under its own name, arguments always an object. */
export function toMcpTool(tool: ToolDefinition) {
  const outputSchema = offeredOutputSchema(tool);
  return {
    name: tool.name,
    description: tool.description,
    inputSchema: { ...tool.inputSchema, type: 'object' as const },
    ...(outputSchema !== undefined && { outputSchema }),
    annotations: { readOnlyHint: tool.readOnly, idempotentHint: tool.idempotent },
  };
}

/** As every revision can carry it: before 2026-07-28 a structure is an object. */
function toOldMcpTool(tool: ToolDefinition, notes: OfferNote[]): ReturnType<typeof toMcpTool> {
  const { outputSchema, ...rest } = toMcpTool(tool);
  if (outputSchema === undefined) return rest;
  if (outputSchema['type'] === 'object') return { ...rest, outputSchema };
  const note = 'the output schema is left out, for its results need not be objects';
  notes.push({ tool: tool.name, at: '', note });
  return rest;
}

export const mcp = {
  name: 'mcp',

  detect(body) {
    return isRequest(body) || (Array.isArray(body) && body.some(isRequest));
  },

  parse(body) {
    if (!Array.isArray(body)) return [read(body, '')];
    return body.flatMap((raw, i) => (isNotification(raw) ? [] : [read(raw, `/${i}`)]));
  },

  render(answers, options) {
    return answers.map((answer) => toResponse(answer, options));
  },

  offer(tools) {
    const notes: OfferNote[] = [];
    return { tools: tools.map((tool) => toOldMcpTool(tool, notes)), notes };
  },
} as const satisfies WireFormat;
