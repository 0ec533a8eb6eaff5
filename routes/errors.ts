// GET /v1/errors: the catalogue. POST /v1/errors/classify: the classifier for failures of calls that
// did not pass through the gateway.
import type { FastifyInstance } from 'fastify';
import { CATALOGUE, CATEGORIES, ERROR_CODES, type ErrorCode } from '../src/errors/catalogue.js';
import { classifyReported, type ReportedError } from '../src/errors/report.js';
import type { ParsedBody } from '../src/plugins/body.js';
import { problems } from './schemas/problems.js';
import { classifyResultExample } from './schemas/errors.js';
import { readReport } from './read-report.js';
import { invalidEnvelope } from '../src/plugins/problem.js';

/** One code as `GET /v1/errors` and `toolgate errors` show it. */
export function catalogueEntry(code: ErrorCode): Record<string, unknown> {
  const { category, transient, when, since } = CATALOGUE[code];
  const { mayRetry, callerAction } = CATEGORIES[category];
  return {
    code,
    category,
    may_retry: mayRetry,
    transient,
    when,
    caller_action: callerAction,
    since,
  };
}

const catalogue = JSON.stringify({ errors: ERROR_CODES.map(catalogueEntry) });

const catalogueSchema = {
  operationId: 'listErrors',
  summary: 'The catalogue of codes',
  tags: ['errors'],
  response: {
    200: {
      description: 'Every code, what it means and what the caller does.',
      content: {
        'application/json': {
          schema: {
            type: 'object',
            properties: {
              errors: { type: 'array', items: { type: 'object', additionalProperties: true } },
            },
            required: ['errors'],
          },
          example: { errors: [catalogueEntry('TOOL_RATE_LIMITED')] },
        },
      },
    },
    ...problems(401, 403, 429, 500),
  },
};

const classifySchema = {
  operationId: 'classifyError',
  summary: 'Classify a failure of a call made elsewhere',
  tags: ['errors'],
  body: {
    content: { 'application/json': { schema: { $ref: 'ErrorReport#' } } },
  },
  response: {
    200: {
      description: 'What the failure means.',
      content: {
        'application/json': {
          schema: {
            type: 'object',
            properties: {
              error_info: { $ref: 'ErrorInfo#' },
              bucket: {
                type: 'string',
                enum: ['unknown_tool', 'transient', 'validation', 'tool_error', 'unexpected'],
              },
            },
            required: ['error_info', 'bucket'],
          },
          example: classifyResultExample,
        },
      },
    },
    ...problems(400, 401, 403, 413, 415, 429, 500),
  },
};

export function errorRoutes(app: FastifyInstance): void {
  app.get('/v1/errors', { schema: catalogueSchema }, async (_request, reply) =>
    reply.header('content-type', 'application/json; charset=utf-8').send(catalogue),
  );

  app.post<{ Body: ParsedBody }>(
    '/v1/errors/classify',
    { schema: classifySchema },
    async (request, reply) => {
      const report = readReport(request.body.value);
      if (!report.ok) throw invalidEnvelope('The report of a failure is faulty.', report.errors);
      return reply.send(classify(report.tool, report.idempotent, report.error, request.client));
    },
  );

  function classify(
    name: string | undefined,
    idempotent: boolean | undefined,
    error: ReportedError,
    client: { mayUse: (name: string) => boolean },
  ): object {
    const { gateway } = app;
    const runtime = name === undefined ? undefined : gateway.find(name);
    if (name !== undefined && (runtime === undefined || !client.mayUse(name))) {
      const { available, suggestions } = gateway.registry.alternatives(name, client.mayUse);
      return classifyReported(
        { unknownTool: { name, availableTools: available, suggestions } },
        { ...gateway.noTool, toolName: name.slice(0, 64) },
      );
    }
    const subject = runtime?.subject ?? gateway.noTool;
    return classifyReported(
      { error },
      { ...subject, idempotent: idempotent ?? runtime?.definition.idempotent ?? true },
    );
  }
}
