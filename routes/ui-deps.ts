// What the page at /ui is fed with: the same state as /healthz, beside what was counted lately.
import type { FastifyInstance } from 'fastify';
import { healthOf } from '../src/gateway/health.js';
import { buildUiSnapshot } from '../src/telemetry/ui-snapshot.js';
import { VERSION } from '../src/version.js';
import type { UiDeps } from './ui.js';

const everything = (): boolean => true;

export function uiDeps(app: FastifyInstance): UiDeps {
  const { gateway } = app;
  return {
    snapshot: () => {
      const health = healthOf(gateway);
      return buildUiSnapshot({
        status: health.status,
        version: VERSION,
        uptimeMs: health.uptimeMs,
        tools: health.tools,
        servers: health.servers,
        meter: (tool) => app.metrics.meter(tool),
      });
    },
    visible: (request) => {
      if (request.isAdmin) return everything;
      if (gateway.clients.required && request.client.id === '') return undefined;
      return request.client.mayUse;
    },
  };
}
