// Telemetry wired to the gateway: one logger and one set of metrics per process.
import type { GatewayConfig } from './config.js';
import { createScrubber } from './errors/scrub.js';
import type { Gateway, GatewayOptions } from './gateway/gateway.js';
import type { GatewayGauges } from './telemetry/gauges.js';
import { createLogger, type LogLevel, type Logger } from './telemetry/log.js';
import { createMetrics, type Metrics } from './telemetry/metrics.js';
import { createObserver } from './telemetry/observer.js';
import { VERSION } from './version.js';

export interface Observability {
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly gatewayOptions: Required<GatewayOptions>;
  /** Gauges and the log's scrubber follow this gateway from now on. */
  attach(gateway: Gateway): void;
}

/** @param config for its secrets, until a gateway is attached. */
export function createObservability(level: LogLevel, config: GatewayConfig): Observability {
  let scrubber = createScrubber(config.secrets);
  const logger = createLogger({ level, scrubber: () => scrubber });
  const metrics = createMetrics({ version: VERSION });
  return {
    logger,
    metrics,
    gatewayOptions: {
      observer: createObserver(metrics, logger),
      onInternalError: (error, requestId) => {
        logger.error({ request_id: requestId, err: error }, 'internal error');
      },
      log: (event, message) => {
        logger.info(event, message);
      },
    },
    attach: (gateway) => {
      scrubber = gateway.scrubber;
      metrics.setGaugeSource(() => gauges(gateway));
    },
  };
}

function gauges(gateway: Gateway): GatewayGauges {
  return {
    tools: [...gateway.registry.all()].map(({ definition, pipeline }) => {
      const { breaker, inFlight, queued } = pipeline.snapshot();
      return { tool: definition.name, breaker: breaker?.state ?? null, inFlight, queued };
    }),
    mcpServers: gateway.mcp.all().map(({ server }) => ({
      name: server.name,
      connected: server.status().state === 'connected',
    })),
  };
}
