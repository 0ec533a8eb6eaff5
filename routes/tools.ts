// GET /v1/tools and /v1/tools/{name}: what this caller may use, and how each behaves.
import type { FastifyInstance } from 'fastify';
import type { ToolDefinition } from '../src/call.js';
import { isOfferFormat, OFFER_FORMATS, offerTools } from '../src/format/index.js';
import { invalidEnvelope, Problem } from '../src/plugins/problem.js';
import { policyView } from './policy-view.js';
import { problems } from './schemas/problems.js';
import { toolListExample, toolExample } from './schemas/tools.js';

/** A tool as `GET /v1/tools` shows it: nothing of its upstream. */
export function toolView(tool: ToolDefinition): Record<string, unknown> {
  return {
    name: tool.name,
    description: tool.description,
    input_schema: tool.inputSchema,
    output_schema: tool.outputSchema ?? null,
    idempotent: tool.idempotent,
    read_only: tool.readOnly,
  };
}

/** One tool with its policy and the codes its author declared. */
function toolDetail(tool: ToolDefinition): Record<string, unknown> {
  return {
    ...toolView(tool),
    policy: policyView(tool),
    reasons: tool.errorRules.flatMap(({ then }) => {
      const reason = then.declined ?? then.transient ?? then.permanent;
      if (reason === undefined) return [];
      const kind =
        then.declined !== undefined
          ? 'declined'
          : then.transient !== undefined
            ? 'transient'
            : 'permanent';
      return [{ reason, kind, message: then.message ?? null }];
    }),
  };
}

const listSchema = {
  operationId: 'listTools',
  summary: 'List the tools you may use',
  tags: ['tools'],
  querystring: {
    type: 'object',
    properties: {
      format: {
        type: 'string',
        enum: OFFER_FORMATS,
        description: "The tools in a provider's own form.",
      },
      q: {
        type: 'string',
        maxLength: 200,
        description: 'Search over name, description and parameters.',
      },
    },
  },
  response: {
    200: {
      description: 'The tools, best match first where searched.',
      content: {
        'application/json': {
          schema: {
            type: 'object',
            properties: {
              tools: { type: 'array', items: { type: 'object', additionalProperties: true } },
              notes: { type: 'array', items: { type: 'object', additionalProperties: true } },
            },
            required: ['tools'],
          },
          example: toolListExample,
        },
      },
    },
    ...problems(400, 401, 403, 429, 500),
  },
};

const oneSchema = {
  operationId: 'getTool',
  summary: 'One tool, with its policy and its author’s reasons',
  tags: ['tools'],
  params: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
  response: {
    200: {
      description: 'The tool.',
      content: {
        'application/json': {
          schema: { type: 'object', additionalProperties: true },
          example: toolExample,
        },
      },
    },
    ...problems(401, 403, 404, 429, 500),
  },
};

/** A parameter that is given twice is an array. */
type ListQuery = Partial<Record<'format' | 'q', string | string[]>>;

export function toolRoutes(app: FastifyInstance): void {
  app.get<{ Querystring: ListQuery }>(
    '/v1/tools',
    { schema: listSchema },
    async (request, reply) => {
      const { format, q } = request.query;
      const { registry } = app.gateway;
      if (Array.isArray(q)) throw invalidEnvelope('q must be given once.');
      const tools = found(registry.visible(request.client.mayUse), q);
      if (format === undefined) return reply.send({ tools: tools.map(toolView) });
      if (Array.isArray(format) || !isOfferFormat(format)) {
        throw invalidEnvelope(`format must be one of ${OFFER_FORMATS.join(', ')}.`);
      }
      const { toAlias } = registry.aliases;
      return reply.send(offerTools(format, tools, (name) => toAlias.get(name)));
    },
  );

  /** The tools that match a search, best first; all of them without one. */
  function found(tools: ToolDefinition[], q: string | undefined): ToolDefinition[] {
    if (q === undefined || q.trim() === '') return tools;
    const byName = new Map(tools.map((tool) => [tool.name, tool]));
    return app.gateway.registry.index
      .search(q.slice(0, 200))
      .flatMap((name) => byName.get(name) ?? []);
  }

  app.get<{ Params: { name: string } }>(
    '/v1/tools/:name',
    { schema: oneSchema },
    async (request, reply) => {
      const { name } = request.params;
      const { registry } = app.gateway;
      const tool = request.client.mayUse(name) ? registry.find(name)?.definition : undefined;
      if (tool !== undefined) return reply.send(toolDetail(tool));
      const { available, suggestions } = registry.alternatives(name, request.client.mayUse);
      throw new Problem({
        status: 404,
        code: 'TOOL_NOT_FOUND',
        title: 'Not Found',
        detail: 'There is no tool of this name that you may use.',
        details: { available_tools: available, suggestions },
      });
    },
  );
}
