// Makes the gateway reachable from routes, and refuses new work while it drains.
import type { FastifyInstance } from 'fastify';
import fp from 'fastify-plugin';
import type { Gateway } from '../gateway/gateway.js';
import { Problem } from './problem.js';

declare module 'fastify' {
  interface FastifyInstance {
    gateway: Gateway;
  }
  interface FastifyContextConfig {
    /** The route takes work: refused with 503 while draining. */
    takesWork?: boolean;
  }
}

export const gatewayPlugin = fp<{ gateway: Gateway }>(
  (app: FastifyInstance, { gateway }, done) => {
    app.decorate('gateway', gateway);
    app.addHook('onRequest', (request, reply, next) => {
      if (!gateway.draining) {
        next();
        return;
      }
      reply.header('connection', 'close');
      if (request.routeOptions.config.takesWork !== true) {
        next();
        return;
      }
      const retryAfterMs = gateway.config.server.drainTimeoutMs;
      next(
        new Problem({
          status: 503,
          code: 'RESOURCE_EXHAUSTED',
          title: 'Service Unavailable',
          detail: 'The gateway is shutting down and takes no new work.',
          retryAfterMs,
        }),
      );
    });
    done();
  },
  { name: 'gateway', dependencies: ['problem'] },
);
