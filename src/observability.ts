// Telemetry wired to the gateway: one logger, one set of metrics and, where `OTEL_*` asks for it,
// one tracer per process.
import type { GatewayConfig } from './config.js';
import { createScrubber } from './errors/scrub.js';
import type { Gateway, GatewayOptions } from './gateway/gateway.js';
import type { GatewayGauges } from './telemetry/gauges.js';
import { createLogger, type LogLevel, type Logger } from './telemetry/log.js';
import { standardOutput } from './telemetry/log-output.js';
import { createMetrics, type Metrics } from './telemetry/metrics.js';
import { createObserver } from './telemetry/observer.js';
import { readTracingRequest, startTracing, type TracingSdk } from './telemetry/otel-sdk.js';
import { createTracer } from './telemetry/tracing.js';
import { VERSION } from './version.js';

export interface Observability {
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly gatewayOptions: Required<GatewayOptions>;
  /** Gauges and the log's scrubber follow this gateway from now on. */
  attach(gateway: Gateway): void;
  /** Sends what is still waiting. Never rejects. */
  shutdown(): Promise<void>;
}

/** @param config for its secrets, until a gateway is attached. */
export async function createObservability(
  level: LogLevel,
  config: GatewayConfig,
  env: NodeJS.ProcessEnv,
): Promise<Observability> {
  let scrubber = createScrubber(config.secrets);
  const output = standardOutput();
  const logger = createLogger({ level, scrubber: () => scrubber, destination: output });
  const tracing = await tracingOf(env, logger);
  const metrics = createMetrics({ version: VERSION, exemplars: tracing !== undefined });
  return {
    logger,
    metrics,
    gatewayOptions: {
      observer: createObserver(metrics, logger),
      onInternalError: (error, requestId) => {
        logger.error({ request_id: requestId, err: error }, 'internal error');
      },
      log: (event, message, level = 'info') => {
        logger[level](event, message);
      },
      tracer: tracing && createTracer(tracing.provider),
    },
    attach: (gateway) => {
      scrubber = gateway.scrubber;
      metrics.setGaugeSource(() => ({ ...gauges(gateway), logLinesDropped: output.dropped }));
    },
    shutdown: async () => tracing?.shutdown(),
  };
}

async function tracingOf(env: NodeJS.ProcessEnv, logger: Logger): Promise<TracingSdk | undefined> {
  const request = readTracingRequest(env);
  if (request.enabled) {
    return startTracing(VERSION, () => {
      logger.warn({ event: 'trace_export_failed' }, 'spans cannot be sent');
    });
  }
  if (request.problem !== undefined) logger.warn({ problem: request.problem }, 'no tracing');
  return undefined;
}

function gauges(gateway: Gateway): Omit<GatewayGauges, 'logLinesDropped'> {
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
