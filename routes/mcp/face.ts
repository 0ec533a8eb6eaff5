// What the gateway says as an MCP server: its tools, and the outcome of a call. One instance serves
// one HTTP request; nothing is kept between requests.
import {
  type CallToolResult,
  McpServer,
  ProtocolError,
  ProtocolErrorCode,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/server/validators/ajv';
import { Cancellation } from '../../src/cancellation.js';
import { offeredOutputSchema } from '../../src/format/mcp.js';
import type { Client } from '../../src/gateway/clients.js';
import type { BatchRequest, Gateway } from '../../src/gateway/gateway.js';
import { newId } from '../../src/ids.js';
import { VERSION } from '../../src/version.js';
import { readCallOptions } from './call-options.js';
import { listTools } from './tool-list.js';
import { toCallToolResult } from './tool-result.js';

/** Who sent the HTTP request, and what is known of it. */
export interface Caller {
  readonly client: Client;
  readonly requestId: string;
  /** `performance.now()` milliseconds. */
  readonly receivedAt: number;
  readonly cancellation: Cancellation;
  /** JSON-RPC id -> faults of that call's arguments (JSON Pointer -> what is wrong). */
  readonly argumentFaults: ReadonlyMap<unknown, Readonly<Record<string, string>>>;
}

const INSTRUCTIONS =
  'A result with isError carries structuredContent.error_info: a stable code, whether the same call may be retried and when (retry_after_ms), and whether it may have had its effect (effect).';

/** Dear to build, and needed by nothing that the gateway does. */
const sharedValidator = new AjvJsonSchemaValidator();

/** @param caller decides what is listed and what may be called. */
export function createFace(gateway: Gateway, caller: Caller): McpServer {
  const mcp = new McpServer(
    { name: 'toolgate', version: VERSION },
    {
      // The package would promise to announce changes, which nothing here does.
      capabilities: { tools: { listChanged: false } },
      instructions: INSTRUCTIONS,
      jsonSchemaValidator: sharedValidator,
    },
  );
  // Below the package's own registry of tools: ours have plain JSON Schemas and change at run time.
  const { server } = mcp;
  server.setRequestHandler('tools/list', ({ params }) =>
    listTools(gateway.registry.visible(caller.client.mayUse), params?.cursor),
  );
  server.setRequestHandler('tools/call', async ({ params }, context) => {
    const result = await callTool(gateway, caller, params, context);
    const tool = gateway.registry.find(params.name)?.definition;
    return server.projectCallToolResult(result, tool && offeredOutputSchema(tool));
  });
  return mcp;
}

interface CallParams {
  readonly name: string;
  readonly arguments?: Record<string, unknown> | undefined;
}

async function callTool(
  gateway: Gateway,
  caller: Caller,
  params: CallParams,
  { mcpReq }: ServerContext,
): Promise<CallToolResult> {
  const { client, requestId, receivedAt } = caller;
  const { id, _meta: meta, signal } = mcpReq;
  // Its own: what the drain cancels is still answered, where a client that has left is not.
  const cancellation = new Cancellation();
  const { cancellation: whole } = caller;
  if (whole.reason !== undefined) cancellation.cancel(whole.reason);
  whole.subscribe((reason) => {
    cancellation.cancel(reason);
  });
  signal.addEventListener('abort', () => {
    cancellation.cancel(whole.reason ?? 'cancelled_by_request');
  });
  const { call: callOptions, batch: batchOptions, faults } = readCallOptions(meta);
  const argumentFaults = caller.argumentFaults.get(id);
  const request: BatchRequest = {
    calls: [
      {
        id: String(id),
        tool: params.name,
        arguments: params.arguments ?? {},
        ...callOptions,
        ...(faults !== undefined && { faults }),
        ...(argumentFaults !== undefined && { argumentFaults }),
      },
    ],
    batchId: newId(),
    requestId,
    client,
    format: 'mcp',
    receivedAt,
    returnOrder: 'submission',
    mayReference: false,
    cancellation,
    ...batchOptions,
    ...(meta?.progressToken !== undefined && { onProgress: progressTo(mcpReq) }),
  };
  const outcome = await gateway.execute(request);
  const result = outcome.ok ? outcome.results[0] : undefined;
  if (result === undefined) throw new ProtocolError(ProtocolErrorCode.InternalError, 'No result');
  const { errorInfo } = result;
  if (errorInfo?.code === 'TOOL_NOT_FOUND' && errorInfo.effect === 'not_sent') {
    // MCP 2025-11-25, Tools, Error Handling: an unknown tool is a protocol error; arguments that
    // do not fit are the tool's own, so that the model can mend them.
    const data = { error_info: errorInfo };
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, errorInfo.message, data);
  }
  return toCallToolResult(result, gateway.registry.find(params.name)?.definition);
}

/** Passes an upstream's progress on, under the token that the client gave. */
function progressTo(mcpReq: ServerContext['mcpReq']): NonNullable<BatchRequest['onProgress']> {
  const progressToken = mcpReq._meta?.progressToken ?? 0;
  return (_callId, progress) => {
    const params = { progress: 0, ...(progress as object), progressToken };
    mcpReq.notify({ method: 'notifications/progress', params }).catch(() => undefined);
  };
}
