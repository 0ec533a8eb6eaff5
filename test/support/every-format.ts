// One call in every form in which a caller can send it, and every form in which it is answered.
import type { FastifyInstance } from 'fastify';
import { FORMAT_NAMES } from '../../src/format/index.js';

export interface WayRequest {
  readonly url: string;
  readonly headers?: Record<string, string>;
  readonly payload: object;
}

type Body = (tool: string, args: object) => object;

const text: Body = (tool, args) => ({ text: JSON.stringify({ tool, arguments: args }) });
const rpc: Body = (name, args) => ({
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name, arguments: args },
});

const BODIES: Record<(typeof FORMAT_NAMES)[number], Body> = {
  native: (tool, args) => ({ calls: [{ tool, arguments: args }] }),
  openai: (name, args) => ({
    role: 'assistant',
    tool_calls: [
      { id: 'a', type: 'function', function: { name, arguments: JSON.stringify(args) } },
    ],
  }),
  'openai-responses': (name, args) => ({
    output: [{ type: 'function_call', call_id: 'a', name, arguments: JSON.stringify(args) }],
  }),
  anthropic: (name, args) => ({
    role: 'assistant',
    content: [{ type: 'tool_use', id: 'a', name, input: args }],
  }),
  gemini: (name, args) => ({
    candidates: [{ content: { role: 'model', parts: [{ functionCall: { name, args } }] } }],
  }),
  mcp: rpc,
  xml: (tool, args) => ({ text: `<tool name="${tool}" args='${JSON.stringify(args)}'/>` }),
  text,
};

type Way = (tool: string, args: object) => WayRequest;

const toolCalls =
  (body: Body, headers: Record<string, string> = {}, query = ''): Way =>
  (tool, args) => ({ url: `/v1/tool-calls${query}`, headers, payload: body(tool, args) });

/** Every wire format, without our envelope too, both streams, and the MCP server. */
export const WAYS: readonly (readonly [name: string, way: Way])[] = [
  ...FORMAT_NAMES.map((name) => [name, toolCalls(BODIES[name])] as const),
  ...FORMAT_NAMES.map(
    (name) => [`${name}, bare`, toolCalls(BODIES[name], {}, '?envelope=none')] as const,
  ),
  ['NDJSON', toolCalls(BODIES.native, { accept: 'application/x-ndjson' })],
  ['server-sent events', toolCalls(BODIES.native, { accept: 'text/event-stream' })],
  [
    'the MCP server',
    (tool, args) => ({
      url: '/mcp',
      headers: { accept: 'application/json, text/event-stream' },
      payload: rpc(tool, args),
    }),
  ],
];

/** Sends one; its text is all that the caller gets, headers included. */
export async function send(
  app: FastifyInstance,
  request: WayRequest,
): Promise<{ readonly status: number; readonly text: string }> {
  const response = await app.inject({ method: 'POST', ...request });
  return { status: response.statusCode, text: response.body + JSON.stringify(response.headers) };
}
