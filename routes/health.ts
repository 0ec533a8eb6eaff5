// /livez, /readyz, /healthz: the process is up; it takes work; and how each tool is doing. One tool's
// open breaker makes the gateway degraded, never unready.
import type { FastifyInstance } from 'fastify';
import { healthOf } from '../src/gateway/health.js';
import { problems } from './schemas/problems.js';
import { healthExample, statusSchema } from './schemas/health.js';
import { VERSION } from '../src/version.js';

const open = { auth: 'none', limited: false } as const;

export function healthRoutes(app: FastifyInstance): void {
  app.get(
    '/livez',
    {
      schema: {
        operationId: 'livez',
        summary: 'The process is up',
        tags: ['health'],
        response: { 200: statusSchema('The process is up.', 'ok') },
      },
      config: open,
    },
    async (_request, reply) => reply.send({ status: 'ok' }),
  );

  app.get(
    '/readyz',
    {
      schema: {
        operationId: 'readyz',
        summary: 'The gateway takes work',
        tags: ['health'],
        response: {
          200: statusSchema('It takes work.', 'ok'),
          503: statusSchema('It drains, or lacks a required MCP server.', 'draining'),
        },
      },
      config: open,
    },
    async (_request, reply) => {
      const status = readiness();
      return reply.code(status === 'ok' ? 200 : 503).send({ status });
    },
  );

  function readiness(): 'ok' | 'draining' | 'unavailable' {
    if (app.gateway.draining) return 'draining';
    return app.gateway.mcp.requiredAreConnected() ? 'ok' : 'unavailable';
  }

  app.get(
    '/healthz',
    {
      schema: {
        operationId: 'healthz',
        summary: 'How the gateway and each tool are doing',
        description:
          'Where clients are configured, a caller with a key is shown the tools that it may use and their MCP servers; the status is that of all.',
        tags: ['health'],
        response: {
          200: {
            description: 'The state of everything.',
            content: {
              'application/json': {
                schema: { type: 'object', additionalProperties: true },
                example: healthExample,
              },
            },
          },
          ...problems(401, 403, 500),
        },
      },
      config: { auth: 'optional', limited: false },
    },
    async (request, reply) => {
      const { gateway } = app;
      const shown = !gateway.clients.required || request.isAdmin || request.client.id !== '';
      const mayUse = request.isAdmin ? undefined : request.client.mayUse;
      const { status, uptimeMs, tools, servers } = healthOf(gateway, mayUse);
      return reply.send({
        status,
        version: VERSION,
        uptime_ms: Math.round(uptimeMs),
        batches_in_flight: gateway.running.size,
        tools: shown ? tools : null,
        mcp_servers: shown ? servers : null,
      });
    },
  );
}
