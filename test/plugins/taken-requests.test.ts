// A client that is gone before anybody listens for its leaving.
import { request } from 'node:http';
import { once } from 'node:events';
import Fastify from 'fastify';
import { expect, it, vi } from 'vitest';
import { Cancellation } from '../../src/cancellation.js';
import { TakenRequests } from '../../src/plugins/taken-requests.js';

it.each(['before it is taken', 'after it was taken'])(
  'that left while its request was still on its way to the handler, %s, cancels at once',
  async (when) => {
    const app = Fastify();
    const cancellation = new Cancellation();
    const requests = new TakenRequests();
    let arrived = false;
    app.post('/', async (_request, reply) => {
      const early = when === 'after it was taken' ? requests.add(reply.raw) : undefined;
      arrived = true;
      await once(reply.raw, 'close');
      (early ?? requests.add(reply.raw)).cancelOnceClientLeft(cancellation);
      return reply.send();
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
    expect(await requests.idle(0)).toBe(true);
    await app.close();
  },
);
