// POST /v1/tool-calls: a batch in, one truthful result per call out, as JSON or as a stream.
// HTTP only; the gateway does the work.
import { randomUUID } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Cancellation } from '../src/cancellation.js';
import { FORMAT_NAMES, parseEnvelope, type ReadEnvelope } from '../src/format/index.js';
import type { BatchRequest } from '../src/gateway/gateway.js';
import type { ParsedBody } from '../src/plugins/body.js';
import { invalidEnvelope } from '../src/plugins/problem.js';
import { usableTraceparent } from '../src/telemetry/traceparent.js';
import { cancelWhenClientLeaves } from './disconnect.js';
import { batchBody } from './render-batch.js';
import { problems } from './schemas/problems.js';
import { batchResultExample } from './schemas/tool-calls.js';
import { streamBatch, streamKind } from './stream-batch.js';

type Query = Record<string, string | undefined>;

const schema = {
  operationId: 'callTools',
  summary: 'Call tools',
  description:
    "Executes 1 to server.max_batch calls concurrently and answers 200 whenever the envelope could be read: each call's failure is data in its result. Also takes a model's own message (openai, openai-responses, anthropic, gemini, mcp, xml, text).",
  tags: ['calls'],
  querystring: {
    type: 'object',
    properties: {
      format: {
        type: 'string',
        enum: FORMAT_NAMES,
        description: 'Forces the format of the body instead of recognising it.',
      },
      deadline_ms: { type: 'integer', minimum: 1, description: 'As in the envelope.' },
      run_id: { type: 'string', maxLength: 256, description: 'As in the envelope.' },
      return_order: { type: 'string', enum: ['submission', 'completion'] },
      envelope: {
        type: 'string',
        enum: ['none'],
        description: 'Leaves untrusted text in `messages` unwrapped; the caller does it.',
      },
    },
  },
  body: {
    content: {
      'application/json': {
        schema: {
          anyOf: [
            { $ref: 'Batch#' },
            {
              type: 'object',
              description: "A model's own message; gateway options ride beside it in `toolgate`.",
              properties: { toolgate: { $ref: 'BatchOptions#' } },
            },
            { type: 'array', description: "A model's own items or blocks.", items: {} },
          ],
        },
      },
    },
  },
  response: {
    200: {
      description: 'One result per call.',
      content: {
        'application/json': { schema: { $ref: 'BatchResult#' }, example: batchResultExample },
        'application/x-ndjson': {
          schema: { type: 'string' },
          example: '{"id":"c1",…}\n{"batch_id":"0c8a…","done":true,"calls":1}\n',
        },
        'text/event-stream': {
          schema: { type: 'string' },
          example:
            'event: result\ndata: {"id":"c1",…}\n\nevent: done\ndata: {"batch_id":"0c8a…","done":true,"calls":1}\n\n',
        },
      },
    },
    ...problems(400, 401, 403, 413, 415, 429, 500, 503),
  },
};

export function toolCallRoutes(app: FastifyInstance): void {
  app.post<{ Querystring: Query; Body: ParsedBody }>(
    '/v1/tool-calls',
    {
      schema,
      config: { takesWork: true },
    },
    callTools,
  );
}

async function callTools(
  request: FastifyRequest<{ Querystring: Query; Body: ParsedBody }>,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { gateway } = request.server;
  const envelope = readEnvelope(request);
  const cancellation = new Cancellation();
  const batchId = batchIdOf(request);
  cancelWhenClientLeaves(reply, cancellation);
  const { deadlineMs, runId, returnOrder } = envelope.options;
  const { headers } = request;
  const { tracestate } = headers;
  const batch: BatchRequest = {
    calls: envelope.calls,
    batchId,
    requestId: request.id,
    client: request.client,
    format: envelope.format,
    runId,
    deadlineMs,
    returnOrder,
    receivedAt: request.receivedAt,
    mayReference: request.body.text.includes('$from'),
    cancellation,
    traceparent: usableTraceparent(headers['traceparent']),
    tracestate: typeof tracestate === 'string' ? tracestate : undefined,
    forwardHeaders: attemptCounters(request),
  };
  const stream = streamKind(headers.accept);
  if (stream !== undefined) return streamBatch(gateway, batch, stream, reply);
  const outcome = await gateway.execute(batch);
  if (!outcome.ok) throw invalidEnvelope('The order of the calls cannot be kept.', outcome.errors);
  return reply
    .header('content-type', 'application/json; charset=utf-8')
    .header('x-batch-id', batchId)
    .send(batchBody(batchId, outcome.results, envelope, gateway));
}

/** The caller's own `x-batch-id`, so that it can cancel before an answer; else a new one. */
function batchIdOf(request: FastifyRequest): string {
  const { 'x-batch-id': own, 'x-request-id': requestId } = request.headers;
  // The request's id names the batch, too, unless a caller chose it: it may be chosen twice.
  if (own === undefined) return requestId === undefined ? request.id : randomUUID();
  if (typeof own !== 'string' || !/^[\w-]{1,64}$/.test(own)) {
    throw invalidEnvelope('The x-batch-id header must be 1 to 64 letters, digits, "_" or "-".');
  }
  if (request.server.gateway.running.has(request.client.id, own)) {
    throw invalidEnvelope('A batch of this x-batch-id is running.');
  }
  return own;
}

function readEnvelope(
  request: FastifyRequest<{ Querystring: Query; Body: ParsedBody }>,
): ReadEnvelope {
  const { gateway } = request.server;
  const { value, faults } = request.body;
  const { query } = request;
  const envelope = parseEnvelope(value, faults, {
    maxBatch: gateway.config.server.maxBatch,
    query,
    fromAlias: (alias) => gateway.registry.aliases.fromAlias.get(alias) ?? alias,
  });
  if (envelope.ok) return envelope;
  throw invalidEnvelope(envelope.message, envelope.errors, envelope.code);
}

/** Counts of earlier attempts that go on upstream, so that nobody's retries multiply unseen. */
const ATTEMPT_COUNTERS = ['x-gateway-attempt', 'grpc-previous-rpc-attempts'];

function attemptCounters({ headers }: FastifyRequest): Record<string, string> | undefined {
  let counters: Record<string, string> | undefined;
  for (const name of ATTEMPT_COUNTERS) {
    const value = headers[name];
    if (typeof value === 'string' && /^\d{1,6}$/.test(value)) (counters ??= {})[name] = value;
  }
  return counters;
}
