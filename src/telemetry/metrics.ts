// The metrics of the contract, in a registry of the gateway's own. Counting happens in one ToolMeter
// per tool; what stands here is their names, their labels and the text that a scrape gets.
import { Registry, type RegistryContentType } from 'prom-client';
import type { ToolDefinition, ToolResult } from '../call.js';
import { type GatewayGauges, registerGauges } from './gauges.js';
import { registerGatewayMetrics } from './gateway-metrics.js';
import { HistogramCells, type Labels, type TraceIds } from './cells.js';
import { processRegistry } from './process-metrics.js';
import { registerToolMetrics } from './tool-metrics.js';
import { ToolMeter } from './tool-meter.js';

const BATCH_BOUNDS: readonly number[] = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000];

export interface MetricsOptions {
  /** Answer in OpenMetrics, with the last trace of every duration bucket. Default false. */
  readonly exemplars?: boolean;
  readonly version?: string;
}

export interface Metrics {
  /** Of what `render` gives. */
  readonly contentType: string;
  /**
   * The tool's counters, made on first use and kept over a reload. It observes the pipeline
   * (`ToolObserver`) and counts finished calls (`callDone`).
   */
  toolObserver(tool: Pick<ToolDefinition, 'name' | 'idempotent'>): ToolMeter;
  /** Drops the series of every tool that is not named. */
  retainTools(names: Iterable<string>): void;
  /** Counts a finished call; a tool without an observer counts under `tool=""`. */
  callDone(tool: string, result: ToolResult, trace?: TraceIds): void;
  batchDone(calls: number): void;
  /** A request that failed as a whole (problem+json). */
  requestRefused(httpStatus: number, code: string): void;
  configReloaded(applied: boolean): void;
  /** Where the gauges come from; asked at scrape time. */
  setGaugeSource(source: () => GatewayGauges): void;
  /** All meters; the one of unknown tools (`tool: ''`) last, once there was such a call. */
  meters(): Iterable<ToolMeter>;
  meter(tool: string): ToolMeter | undefined;
  /** The whole text. */
  render(): Promise<string>;
}

const NOTHING: GatewayGauges = { tools: [], mcpServers: [], logLinesDropped: 0 };

class MetricsRegistry implements Metrics {
  readonly #registry: Registry<RegistryContentType>;
  readonly #meters = new Map<string, ToolMeter>();
  /** Calls to names that no tool has. */
  #unknown: ToolMeter | undefined;
  readonly #batches = new HistogramCells({}, BATCH_BOUNDS);
  readonly #refused = new Map<string, { labels: Labels; value: number }>();
  readonly #reloads = { applied: 0, refused: 0, lastApplied: true };
  #gaugeSource: () => GatewayGauges = () => NOTHING;

  constructor({ exemplars = false, version = '' }: MetricsOptions) {
    const registry = new Registry();
    this.#registry = registry;
    this.#registry.setContentType(
      exemplars ? Registry.OPENMETRICS_CONTENT_TYPE : Registry.PROMETHEUS_CONTENT_TYPE,
    );
    registerToolMetrics(registry, () => this.meters());
    registerGauges(registry, () => this.#gaugeSource());
    registerGatewayMetrics(registry, version, {
      batches: this.#batches,
      refused: this.#refused,
      reloads: this.#reloads,
    });
  }

  get contentType(): string {
    return this.#registry.contentType;
  }

  toolObserver({ name, idempotent }: Pick<ToolDefinition, 'name' | 'idempotent'>): ToolMeter {
    let meter = this.#meters.get(name);
    if (meter === undefined) {
      meter = new ToolMeter(name, idempotent);
      this.#meters.set(name, meter);
    }
    meter.idempotent = idempotent;
    return meter;
  }

  retainTools(names: Iterable<string>): void {
    const kept = new Set(names);
    for (const name of this.#meters.keys()) if (!kept.has(name)) this.#meters.delete(name);
  }

  callDone(tool: string, result: ToolResult, trace?: TraceIds): void {
    const meter = this.#meters.get(tool) ?? (this.#unknown ??= new ToolMeter('', true));
    meter.callDone(result, trace);
  }

  batchDone(calls: number): void {
    this.#batches.observe(calls);
  }

  requestRefused(httpStatus: number, code: string): void {
    const key = `${httpStatus} ${code}`;
    const known = this.#refused.get(key);
    if (known !== undefined) known.value += 1;
    else this.#refused.set(key, { labels: { http_status: String(httpStatus), code }, value: 1 });
  }

  configReloaded(applied: boolean): void {
    this.#reloads[applied ? 'applied' : 'refused'] += 1;
    this.#reloads.lastApplied = applied;
  }

  setGaugeSource(source: () => GatewayGauges): void {
    this.#gaugeSource = source;
  }

  *meters(): Generator<ToolMeter> {
    yield* this.#meters.values();
    if (this.#unknown !== undefined) yield this.#unknown;
  }

  meter(tool: string): ToolMeter | undefined {
    return this.#meters.get(tool);
  }

  render(): Promise<string> {
    const own: Registry<RegistryContentType> = this.#registry;
    const all = [own, processRegistry(own.contentType)] as Registry[];
    return Registry.merge(all).metrics();
  }
}

/** Makes the metrics of one gateway. Throws nothing later: counting never fails a call. */
export function createMetrics(options: MetricsOptions = {}): Metrics {
  return new MetricsRegistry(options);
}
