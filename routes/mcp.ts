// POST /mcp: the gateway as an MCP server, stateless over streamable HTTP, in every revision that
// the official server package speaks. HTTP only; `mcp/` holds what is said over it.
import type { McpHttpHandler } from '@modelcontextprotocol/server';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Cancellation } from '../src/cancellation.js';
import type { ParsedBody } from '../src/plugins/body.js';
import type { Caller } from './mcp/face.js';
import { sortFaults } from './mcp/json-faults.js';
import { idFaults } from './mcp/message-ids.js';
import { problems } from './schemas/problems.js';

const schema = {
  operationId: 'mcp',
  summary: 'The gateway as an MCP server',
  description:
    'Streamable HTTP without sessions: `tools/list` and `tools/call` of the tools you may use. A failed call is a result with `isError` and `structuredContent.error_info`.',
  tags: ['mcp'],
  body: {
    content: {
      'application/json': {
        schema: { type: 'object', additionalProperties: true },
        example: {
          jsonrpc: '2.0',
          id: 1,
          method: 'tools/call',
          params: { name: 'demo.weather', arguments: { city: 'Oslo' } },
        },
      },
    },
  },
  response: {
    200: {
      description: 'A JSON-RPC response, as JSON or as a stream of events.',
      content: {
        'application/json': {
          schema: { type: 'object', additionalProperties: true },
          example: {
            jsonrpc: '2.0',
            id: 1,
            result: { content: [{ type: 'text', text: '{"city":"Oslo","days":1}' }] },
          },
        },
        'text/event-stream': {
          schema: { type: 'string' },
          example: 'event: message\ndata: {"jsonrpc":"2.0","id":1,"result":{"content":[]}}\n\n',
        },
      },
    },
    ...problems(400, 401, 403, 413, 415, 429, 503),
  },
};

export function mcpRoutes(app: FastifyInstance): void {
  let handler: Promise<McpHttpHandler> | undefined;
  const loadHandler = async (): Promise<McpHttpHandler> => {
    const { createHandler } = await import('./mcp/handler.js');
    return createHandler(app.gateway);
  };
  app.addHook('onClose', async () => (await handler)?.close());
  app.post<{ Body: ParsedBody }>(
    '/mcp',
    { schema, config: { takesWork: true } },
    async (request, reply) => answer(await (handler ??= loadHandler()), request, reply),
  );
}

async function answer(
  handler: McpHttpHandler,
  request: FastifyRequest<{ Body: ParsedBody }>,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { value, faults } = request.body;
  const { maxBatch } = request.server.gateway.config.server;
  if (Array.isArray(value) && value.length > maxBatch) {
    return reply.code(400).send(rpcError('The batch holds too many messages.', {}));
  }
  const sorted = sortFaults(value, faults);
  if (!sorted.ok) return reply.code(400).send(rpcError('The message is faulty.', sorted.errors));
  const ids = idFaults(value);
  if (Object.keys(ids).length > 0) {
    return reply.code(400).send(rpcError('An id is faulty.', ids));
  }
  const cancellation = new Cancellation();
  request.taken.cancelOnceClientLeft(cancellation);
  const caller: Caller = {
    client: request.client,
    requestId: request.id,
    receivedAt: request.receivedAt,
    cancellation,
    argumentFaults: sorted.argumentFaults,
  };
  const response = await handler.fetch(toWebRequest(request, cancellation), {
    parsedBody: withoutCancellations(value),
    authInfo: { token: '', clientId: request.client.id, scopes: [], extra: { caller } },
  });
  return reply.send(response);
}

/**
 * A batch without the cancellations in it: they may be ignored (MCP, Cancellation), and the package
 * would wait for ever for the answer to a request that it has cancelled itself.
 */
function withoutCancellations(value: unknown): unknown {
  if (!Array.isArray(value)) return value;
  const kept = value.filter(
    (message) => (message as { method?: unknown } | null)?.method !== 'notifications/cancelled',
  );
  return kept.length === 0 ? value : kept;
}

const INVALID_REQUEST = -32600;

function rpcError(message: string, errors: Readonly<Record<string, string>>): object {
  return { jsonrpc: '2.0', id: null, error: { code: INVALID_REQUEST, message, data: { errors } } };
}

/** The head of the request; its body has been read and is handed over parsed. */
function toWebRequest(request: FastifyRequest, cancellation: Cancellation): Request {
  const headers = new Headers();
  for (const [name, value] of Object.entries(request.headers)) {
    for (const one of typeof value === 'string' ? [value] : (value ?? []))
      headers.append(name, one);
  }
  const gone = new AbortController();
  cancellation.subscribe(() => gone.abort());
  return new Request(`http://gateway${request.url}`, {
    method: 'POST',
    headers,
    signal: gone.signal,
  });
}
