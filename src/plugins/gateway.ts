// Makes the gateway reachable from routes, refuses new work while it drains, and keeps count of the
// work that was taken.
import type { FastifyInstance, preHandlerHookHandler } from 'fastify';
import fp from 'fastify-plugin';
import type { Gateway } from '../gateway/gateway.js';
import { Problem } from './problem.js';
import { type TakenRequest, TakenRequests } from './taken-requests.js';

declare module 'fastify' {
  interface FastifyInstance {
    gateway: Gateway;
    taken: TakenRequests;
  }
  interface FastifyRequest {
    /** Of routes that take work. */
    taken: TakenRequest;
  }
  interface FastifyContextConfig {
    /** The route takes work: refused with 503 while draining. */
    takesWork?: boolean;
  }
}

export const gatewayPlugin = fp<{ gateway: Gateway }>(
  (app: FastifyInstance, { gateway }, done) => {
    const taken = new TakenRequests();
    app.decorate('gateway', gateway);
    app.decorate('taken', taken);
    // Objects may not be shared as decorators; the hook sets it before anyone looks.
    app.decorateRequest('taken', null as unknown as TakenRequest);
    app.addHook('onRequest', (_request, reply, next) => {
      if (gateway.draining) reply.header('connection', 'close');
      next();
    });
    // Only now that the body is here: draining may have begun while it came in, and to close on a
    // client that still sends would reset it. What passes is taken.
    const take: preHandlerHookHandler = (request, reply, next) => {
      if (gateway.draining) {
        reply.header('connection', 'close');
        next(draining(gateway));
        return;
      }
      request.taken = taken.add(reply.raw);
      next();
    };
    app.addHook('onRoute', (route) => {
      if (route.config?.takesWork === true) route.preHandler = take;
    });
    done();
  },
  { name: 'gateway', dependencies: ['problem'] },
);

function draining(gateway: Gateway): Problem {
  return new Problem({
    status: 503,
    code: 'RESOURCE_EXHAUSTED',
    title: 'Service Unavailable',
    detail: 'The gateway is shutting down and takes no new work.',
    retryAfterMs: gateway.config.server.drainTimeoutMs,
  });
}
