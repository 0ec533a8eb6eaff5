// A client that is gone before anybody listens for its leaving.
import { request } from 'node:http';
import { once } from 'node:events';
import Fastify from 'fastify';
import { expect, it, vi } from 'vitest';
import { cancelWhenClientLeaves } from '../../routes/disconnect.js';
import { Cancellation } from '../../src/cancellation.js';

it('that left while its request was still on its way to the handler cancels at once', async () => {
  const app = Fastify();
  const cancellation = new Cancellation();
  let arrived = false;
  app.post('/', {
    preHandler: async (_request, reply) => {
      arrived = true;
      await once(reply.raw, 'close');
    },
    handler: (_request, reply) => {
      cancelWhenClientLeaves(reply, cancellation);
      return reply.send();
    },
  });
  const { port } = new URL(await app.listen({ host: '127.0.0.1', port: 0 }));
  const leaving = request({ host: '127.0.0.1', port, method: 'POST', path: '/' });
  leaving.on('error', () => undefined);
  leaving.end();
  await vi.waitFor(() => {
    expect(arrived).toBe(true);
  });
  leaving.destroy();
  await vi.waitFor(() => {
    expect(cancellation.reason).toBe('client_left');
  });
  await app.close();
});
