// What is true at the moment of a scrape: breaker states, slots and queues, and what the log counts
// of itself. Nothing is kept here; the gateway and its log are asked.
import type { Registry } from 'prom-client';
import { counterView, gaugeView } from './prom-views.js';

const BREAKER_VALUE = { closed: 0, half_open: 1, open: 2 } as const;

type BreakerState = keyof typeof BREAKER_VALUE;

/** What a pipeline says of itself. */
interface ToolGauges {
  readonly tool: string;
  /** null: the tool has no breaker. */
  readonly breaker: BreakerState | null;
  readonly inFlight: number;
  readonly queued: number;
}

export interface GatewayGauges {
  readonly tools: readonly ToolGauges[];
  readonly mcpServers: readonly { readonly name: string; readonly connected: boolean }[];
  /** Since the start. */
  readonly logLinesDropped: number;
}

/** Registers the gauges; `source` is asked once per gauge and scrape. */
export function registerGauges(registry: Registry, source: () => GatewayGauges): void {
  gaugeView(registry, {
    name: 'toolgate_breaker_state',
    help: 'State of the circuit breaker: 0 closed, 1 half-open, 2 open.',
    *read() {
      for (const { tool, breaker } of source().tools) {
        if (breaker !== null) yield { labels: { tool }, value: BREAKER_VALUE[breaker] };
      }
    },
  });
  gaugeView(registry, {
    name: 'toolgate_bulkhead_in_flight',
    help: 'Calls that hold a slot now.',
    read: () => source().tools.map(({ tool, inFlight }) => ({ labels: { tool }, value: inFlight })),
  });
  gaugeView(registry, {
    name: 'toolgate_bulkhead_queued',
    help: 'Calls that wait for a slot now.',
    read: () => source().tools.map(({ tool, queued }) => ({ labels: { tool }, value: queued })),
  });
  gaugeView(registry, {
    name: 'toolgate_mcp_server_connected',
    help: 'Whether the MCP server is connected: 1 or 0.',
    read: () =>
      source().mcpServers.map(({ name, connected }) => ({
        labels: { server: name },
        value: connected ? 1 : 0,
      })),
  });
  counterView(registry, {
    name: 'toolgate_log_lines_dropped_total',
    help: 'Log lines that were not written, as the reader of standard output was too slow or gone.',
    read: () => [{ labels: {}, value: source().logLinesDropped }],
  });
}
