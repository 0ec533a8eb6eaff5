// POST /v1/tool-calls: a batch in, one truthful result per call out, as JSON or as a stream.
// HTTP only; the gateway does the work.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Cancellation } from '../src/cancellation.js';
import { FORMAT_NAMES, parseEnvelope, type ReadEnvelope } from '../src/format/index.js';
import type { BatchOutcome, BatchRequest } from '../src/gateway/gateway.js';
import type { ParsedBody } from '../src/plugins/body.js';
import { newId } from '../src/ids.js';
import { invalidEnvelope } from '../src/plugins/problem.js';
import { usableTraceparent } from '../src/telemetry/traceparent.js';
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

/** Not an async function: for a batch of one call its promises would cost as much as the call. */
function callTools(
  request: FastifyRequest<{ Querystring: Query; Body: ParsedBody }>,
  reply: FastifyReply,
): Promise<FastifyReply> | undefined {
  const { gateway } = request.server;
  const envelope = readEnvelope(request);
  const batch = batchOf(request, envelope);
  request.taken.cancelOnceClientLeft(batch.cancellation);
  const stream = streamKind(request.headers.accept);
  if (stream !== undefined) return streamBatch(gateway, batch, stream, reply);
  const fail = (error: unknown): void => {
    if (reply.sent) gateway.onInternalError(error, request.id);
    else void reply.send(error);
  };
  gateway.execute(batch).then((outcome) => {
    try {
      answer(outcome, batch.batchId, envelope, reply);
    } catch (error) {
      fail(error);
    }
  }, fail);
  return undefined;
}

function answer(
  outcome: BatchOutcome,
  batchId: string,
  envelope: ReadEnvelope,
  reply: FastifyReply,
): void {
  if (!outcome.ok) throw invalidEnvelope('The order of the calls cannot be kept.', outcome.errors);
  void reply
    .header('content-type', 'application/json; charset=utf-8')
    .header('x-batch-id', batchId)
    .send(batchBody(batchId, outcome.results, envelope, reply.server.gateway));
}

function batchOf(
  request: FastifyRequest<{ Querystring: Query; Body: ParsedBody }>,
  envelope: ReadEnvelope,
): BatchRequest {
  const { deadlineMs, runId, returnOrder } = envelope.options;
  const { headers } = request;
  const { tracestate } = headers;
  return {
    calls: envelope.calls,
    batchId: batchIdOf(request),
    requestId: request.id,
    idsAreOurs: headers['x-batch-id'] === undefined && headers['x-request-id'] === undefined,
    client: request.client,
    format: envelope.format,
    runId,
    deadlineMs,
    returnOrder,
    receivedAt: request.receivedAt,
    mayReference: request.body.mayReference,
    cancellation: new Cancellation(),
    traceparent: usableTraceparent(headers['traceparent']),
    tracestate: typeof tracestate === 'string' ? tracestate : undefined,
    forwardHeaders: attemptCounters(request),
  };
}

/** The caller's own `x-batch-id`, so that it can cancel before an answer; else a new one. */
function batchIdOf(request: FastifyRequest): string {
  const { 'x-batch-id': own, 'x-request-id': requestId } = request.headers;
  // The request's id names the batch, too, unless a caller chose it: it may be chosen twice.
  if (own === undefined) return requestId === undefined ? request.id : newId();
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
