// POST /v1/batches/{batch_id}/cancel: stops a batch that still runs. Its id is in the `x-batch-id`
// header of a streaming answer.
import type { FastifyInstance } from 'fastify';
import { Problem } from '../src/plugins/problem.js';
import { problems } from './schemas/problems.js';

const schema = {
  operationId: 'cancelBatch',
  summary: 'Cancel a running batch',
  description: 'Each call that has not ended becomes TOOL_CANCELLED in the answer to the batch.',
  tags: ['calls'],
  params: { type: 'object', properties: { batch_id: { type: 'string' } }, required: ['batch_id'] },
  response: {
    202: {
      description: 'The batch is being cancelled.',
      content: {
        'application/json': {
          schema: {
            type: 'object',
            properties: { batch_id: { type: 'string' }, cancelled: { type: 'boolean' } },
            required: ['batch_id', 'cancelled'],
          },
          example: { batch_id: '0c8a2d3e6a0b4c0e9d6e0d5f5a1b2c3d', cancelled: true },
        },
      },
    },
    ...problems(401, 403, 404, 429, 500),
  },
};

export function batchRoutes(app: FastifyInstance): void {
  app.post<{ Params: { batch_id: string } }>(
    '/v1/batches/:batch_id/cancel',
    { schema },
    async (request, reply) => {
      const { batch_id } = request.params;
      if (!app.gateway.running.cancel(request.client.id, batch_id)) {
        throw new Problem({
          status: 404,
          code: 'PARSER_INVALID_FORMAT',
          title: 'Not Found',
          detail: 'No batch of this id is running.',
        });
      }
      return reply.code(202).send({ batch_id, cancelled: true });
    },
  );
}
