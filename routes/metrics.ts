// GET /metrics: Prometheus text. It names every tool, so with clients configured it needs the admin
// key.
import type { FastifyInstance } from 'fastify';
import { problems } from './schemas/problems.js';

const schema = {
  operationId: 'metrics',
  summary: 'Metrics for Prometheus',
  description: 'Open without configured clients; with them, the admin key is needed.',
  tags: ['health'],
  response: {
    200: {
      description: 'Prometheus text format.',
      content: {
        'text/plain': {
          schema: { type: 'string' },
          example: 'toolgate_calls_total{tool="demo.weather",status="ok",code="",category=""} 3\n',
        },
      },
    },
    ...problems(401, 403, 500),
  },
};

export function metricsRoutes(app: FastifyInstance): void {
  app.get(
    '/metrics',
    { schema, config: { auth: 'operator', limited: false } },
    async (_request, reply) =>
      reply.header('content-type', app.metrics.contentType).send(await app.metrics.render()),
  );
}
