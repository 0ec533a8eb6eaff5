// The limit of requests per client (not of calls: a batch counts once), on @fastify/rate-limit.
// Answers as a problem with Retry-After, RateLimit and RateLimit-Policy (IETF draft 10 of the
// RateLimit header fields).
import rateLimit from '@fastify/rate-limit';
import type { FastifyInstance } from 'fastify';
import fp from 'fastify-plugin';
import { Problem } from './problem.js';
import { ADDRESS, WindowStore } from './window-store.js';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** False: not limited (health, metrics, documents). */
    limited?: boolean;
  }
}

export const envelopeLimitPlugin = fp(
  async (app: FastifyInstance) => {
    const limit = app.gateway.config.server.rateLimit;
    if (limit === null) return;
    await app.register(rateLimit, { global: false, store: WindowStore });
    const windowSeconds = Math.max(1, Math.ceil(limit.perMs / 1000));
    const check = app.createRateLimit({
      max: limit.requests,
      timeWindow: limit.perMs,
      // Keyed on who is authenticated, never on a header that the caller can rotate.
      keyGenerator: (request) =>
        request.client.id === '' ? ADDRESS + request.ip : `client:${request.client.id}`,
    });
    app.addHook('onRequest', async (request, reply) => {
      if (request.routeOptions.config.limited === false) return;
      const state = await check(request);
      if (state.isAllowed) return;
      const resetSeconds = Math.max(0, state.ttlInSeconds);
      reply.header('ratelimit-policy', `"default";q=${limit.requests};w=${windowSeconds}`);
      reply.header('ratelimit', `"default";r=${Math.max(0, state.remaining)};t=${resetSeconds}`);
      if (!state.isExceeded) return;
      throw new Problem({
        status: 429,
        code: 'TOOL_RATE_LIMITED',
        title: 'Too Many Requests',
        detail: `More than ${limit.requests} requests in ${limit.perMs} ms.`,
        retryAfterMs: state.ttl,
        details: { scope: 'envelope', limit: limit.requests, retry_after: state.ttl / 1000 },
      });
    });
  },
  { name: 'envelope-limit', dependencies: ['problem', 'gateway', 'auth'] },
);
