// /admin: what an operator changes while it runs. With the admin key only; every act is audited.
import type { FastifyInstance, FastifyReply } from 'fastify';
import type { Admin, AdminResult } from '../src/plugins/admin.js';
import { addFault, faultList } from '../src/format/pointers.js';
import type { ParsedBody } from '../src/plugins/body.js';
import { invalidEnvelope, Problem } from '../src/plugins/problem.js';
import { problems } from './schemas/problems.js';

const config = { auth: 'admin' } as const;
const ok = {
  description: 'Done.',
  content: {
    'application/json': {
      schema: { type: 'object', properties: { ok: { type: 'boolean' } }, required: ['ok'] },
      example: { ok: true },
    },
  },
};
const nameParams = {
  type: 'object',
  properties: { name: { type: 'string' } },
  required: ['name'],
};

function jsonBody(schema: object): object {
  return { content: { 'application/json': { schema } } };
}

export function adminRoutes(app: FastifyInstance): void {
  const port = (): Admin => {
    if (app.admin !== undefined) return app.admin;
    throw new Problem({
      status: 404,
      code: 'PARSER_INVALID_FORMAT',
      title: 'Not Found',
      detail: 'This process cannot be administered.',
    });
  };

  app.post(
    '/admin/reload',
    {
      schema: {
        operationId: 'reload',
        summary: 'Read the configuration again',
        description:
          'A faulty file changes nothing. Calls in flight finish under the old configuration; unchanged tools keep their breakers, limiters and counters. server.max_body_bytes, server.rate_limit and server.trust_proxy take effect at the next start.',
        tags: ['admin'],
        response: { 200: ok, ...problems(401, 403, 422, 500) },
      },
      config,
    },
    async (_request, reply) => answer(reply, await port().reload('admin'), 'CONFIGURATION_ERROR'),
  );

  app.put<{ Params: { name: string }; Body: ParsedBody }>(
    '/admin/tools/:name',
    {
      schema: {
        operationId: 'putTool',
        summary: 'Add or replace a tool until the next reload',
        tags: ['admin'],
        params: nameParams,
        body: jsonBody({
          type: 'object',
          additionalProperties: true,
          description:
            'As in the configuration file, without the name; ${NAME} is taken to the letter.',
          examples: [
            {
              description: 'Echo',
              input_schema: { type: 'object' },
              http: { method: 'GET', url: 'http://127.0.0.1:9000/echo' },
            },
          ],
        }),
        response: { 200: ok, ...problems(400, 401, 403, 413, 415, 422, 500) },
      },
      config,
    },
    async (request, reply) => {
      const result = await port().putTool(request.params.name, soundValue(request.body));
      return answer(reply, result, 'TOOL_REGISTRATION_FAILED');
    },
  );

  app.delete<{ Params: { name: string } }>(
    '/admin/tools/:name',
    {
      schema: {
        operationId: 'deleteTool',
        summary: 'Remove a tool until the next reload',
        tags: ['admin'],
        params: nameParams,
        response: { 200: ok, ...problems(401, 403, 404, 422, 500) },
      },
      config,
    },
    async (request, reply) => {
      const result = await port().deleteTool(request.params.name);
      if (result === undefined) throw noSuchTool();
      return answer(reply, result, 'CONFIGURATION_ERROR');
    },
  );

  app.put<{ Params: { name: string }; Body: ParsedBody }>(
    '/admin/tools/:name/breaker',
    {
      schema: {
        operationId: 'forceBreaker',
        summary: "Force a tool's breaker open or closed",
        description:
          'Open: it is tried again after open_ms, as after failures. A tool without a breaker is a 422.',
        tags: ['admin'],
        params: nameParams,
        body: jsonBody({
          type: 'object',
          properties: { state: { type: 'string', enum: ['open', 'closed'] } },
          required: ['state'],
          examples: [{ state: 'open' }],
        }),
        response: { 200: ok, ...problems(400, 401, 403, 404, 413, 415, 422, 500) },
      },
      config,
    },
    async (request, reply) => {
      const { state } = Object(soundValue(request.body)) as { state?: unknown };
      if (state !== 'open' && state !== 'closed') {
        throw invalidEnvelope('The state is faulty.', { '/state': 'must be "open" or "closed"' });
      }
      const done = port().forceBreaker(request.params.name, state);
      if (done === 'no_tool') throw noSuchTool();
      if (done === 'no_breaker') throw noBreaker();
      return reply.send({ ok: true });
    },
  );

  app.put<{ Body: ParsedBody }>(
    '/admin/log-level',
    {
      schema: {
        operationId: 'setLogLevel',
        summary: "Set the log's level until the next start",
        tags: ['admin'],
        body: jsonBody({
          type: 'object',
          properties: { level: { type: 'string' } },
          required: ['level'],
          examples: [{ level: 'debug' }],
        }),
        response: { 200: ok, ...problems(400, 401, 403, 413, 415, 500) },
      },
      config,
    },
    async (request, reply) => {
      const { level } = Object(soundValue(request.body)) as { level?: unknown };
      if (typeof level !== 'string' || !port().setLogLevel(level)) {
        const expected = 'must be trace, debug, info, warn, error, fatal or silent';
        throw invalidEnvelope('The level is faulty.', { '/level': expected });
      }
      return reply.send({ ok: true });
    },
  );
}

/** As in the file: the same key twice and the like are faults, not a choice made in silence. */
function soundValue({ value, faults }: ParsedBody): unknown {
  if (faults.length === 0) return value;
  const places = faultList();
  for (const { pointer, problem } of faults) addFault(places, pointer, problem);
  throw invalidEnvelope('The body is faulty.', places);
}

async function answer(
  reply: FastifyReply,
  result: AdminResult,
  code: 'CONFIGURATION_ERROR' | 'TOOL_REGISTRATION_FAILED',
): Promise<FastifyReply> {
  if (result.ok) return reply.send({ ok: true });
  throw new Problem({
    status: 422,
    code,
    title: 'Unprocessable Content',
    detail: 'The configuration is faulty; nothing was changed.',
    details: { errors: result.faults },
  });
}

function noBreaker(): Problem {
  return new Problem({
    status: 422,
    code: 'CONFIGURATION_ERROR',
    title: 'Unprocessable Content',
    detail: 'The tool has no breaker (breaker: false); nothing was changed.',
  });
}

function noSuchTool(): Problem {
  return new Problem({
    status: 404,
    code: 'TOOL_NOT_FOUND',
    title: 'Not Found',
    detail: 'There is no tool of this name.',
  });
}
