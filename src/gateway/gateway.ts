// The gateway as one object, without HTTP: it holds the tools, the clients and what runs, and
// survives a reload. Routes, the command line and tests all talk to this.
import type { ToolResult } from '../call.js';
import type { Cancellation } from '../cancellation.js';
import type { GatewayConfig } from '../config.js';
import { compileErrorRules } from '../errors/author-rules.js';
import type { FailedOutcome } from '../errors/outcome.js';
import type { ClassifySubject } from '../errors/classify.js';
import { createScrubber, type Scrubber } from '../errors/scrub.js';
import { createMemoryState } from '../state/memory.js';
import { HttpPools } from '../upstream/http/index.js';
import type { Tracer } from '../telemetry/tracing.js';
import { batchContext, type BatchContext } from './batch-context.js';
import type { BatchOutcome, BatchRequest } from './batch-request.js';
import { type Client, ClientRegistry } from './clients.js';
import { dependencyGraph } from './dependencies.js';
import { executeBatch } from './execute-batch.js';
import type { CallDone, ToolDirectory } from './execute-call.js';
import { McpFleet } from './mcp-fleet.js';
import { type GatewayObserver, SILENT } from './observe.js';
import { ToolRegistry, type ToolSource } from './registry.js';
import { RunningBatches } from './running-batches.js';
import { ToolFactory } from './tool-factory.js';
import type { ToolRuntime } from './tool-runtime.js';

export type { BatchOutcome, BatchRequest } from './batch-request.js';

export interface GatewayOptions {
  readonly observer?: GatewayObserver;
  /** Faults of the gateway itself go here, for the log. */
  readonly onInternalError?: (error: unknown, requestId: string) => void;
  readonly log?: (event: object, message: string, level?: 'info' | 'warn') => void;
  /** Absent: nothing is traced, an inbound traceparent is passed on. */
  readonly tracer?: Tracer | undefined;
}

/** One per process. Build it, `start` it, `execute` batches, `close` it after what listens. */
export class Gateway implements ToolDirectory {
  #config: GatewayConfig;
  #clients: ClientRegistry;
  #scrubber: Scrubber;
  #draining = false;
  /** Follows the configuration: what holds it sees the secrets of a reload, too. */
  readonly scrubber: Scrubber = {
    text: (text, maxChars) => this.#scrubber.text(text, maxChars),
    value: (value) => this.#scrubber.value(value),
  };
  readonly noTool: ClassifySubject = subjectWithoutTool(this.scrubber);
  /** `performance.now()` milliseconds. */
  readonly startedAt = performance.now();
  readonly registry = new ToolRegistry(({ alias, names: [holder, tool] }) => {
    const problem = `its name for model providers, ${alias}, is that of ${holder}`;
    this.#options.log?.({ event: 'alias_collision', tool, problem }, 'tool without alias', 'warn');
  });
  readonly running = new RunningBatches();
  readonly mcp: McpFleet;
  #reloads = 0;
  readonly #factory: ToolFactory;
  readonly #pools: HttpPools;
  readonly #observer: GatewayObserver;
  readonly #options: GatewayOptions;

  constructor(config: GatewayConfig, options: GatewayOptions = {}) {
    this.#config = config;
    this.#options = options;
    this.#observer = options.observer ?? SILENT;
    this.#clients = new ClientRegistry(config.clients);
    this.#scrubber = createScrubber(config.secrets);
    this.mcp = new McpFleet({
      onToolsChanged: () => {
        this.#rebuild();
      },
      log: options.log ?? (() => undefined),
      scrub: (text) => this.scrubber.text(text),
    });
    this.#pools = new HttpPools(config.server.egress);
    this.#factory = new ToolFactory({
      scrubber: this.scrubber,
      state: createMemoryState(),
      pools: this.#pools,
      observer: this.#observer,
      mcp: this.mcp,
      reloads: () => this.#reloads,
      find: (name) => this.registry.find(name),
      onInternalError: (error, requestId) => {
        this.onInternalError(error, requestId);
      },
    });
    this.mcp.replace(config.mcpServers, config.server.egress);
    this.#rebuild();
  }

  get config(): GatewayConfig {
    return this.#config;
  }

  get clients(): ClientRegistry {
    return this.#clients;
  }

  get draining(): boolean {
    return this.#draining;
  }

  /** Connects the MCP servers that are to be connected before the first call. Never rejects. */
  async start(): Promise<void> {
    await this.mcp.connectEager();
  }

  /**
   * Executes a batch; rejects nothing but a faulty graph of dependencies, which runs no call. Not an
   * async function, as nothing on the way of a call is that need not be.
   */
  execute(request: BatchRequest): Promise<BatchOutcome> {
    const graph = dependencyGraph(request.calls, request.mayReference);
    if (!graph.ok) return Promise.resolve(graph);
    const trace = this.#options.tracer?.startBatch(request);
    const batch = batchContext(request, this.#config.server, trace);
    const { calls, returnOrder, onResult } = request;
    const running = executeBatch(calls, batch, this, { returnOrder, graph: graph.graph, onResult });
    const place = this.running.add(batch);
    return running.then(
      (results) => {
        this.running.remove(place);
        this.#finished(request, batch, results);
        return { ok: true, results };
      },
      (error: unknown) => {
        this.running.remove(place);
        throw error;
      },
    );
  }

  #finished(request: BatchRequest, batch: BatchContext, results: readonly ToolResult[]): void {
    const { idsAreOurs, trace } = batch;
    trace?.end(results);
    this.#observer.batchDone({
      batchId: request.batchId,
      requestId: request.requestId,
      idsAreOurs,
      runId: request.runId,
      client: request.client.id,
      format: request.format,
      durationMs: performance.now() - request.receivedAt,
      results,
      traceId: trace?.traceId,
    });
  }

  /** Takes no new work from now on. */
  startDraining(): void {
    this.#draining = true;
  }

  /**
   * Puts another configuration in place. Calls in flight finish under the old one; breakers,
   * limiters and counters of unchanged tools keep their state.
   */
  reload(config: GatewayConfig): void {
    this.#reloads += 1;
    this.#config = config;
    this.#clients = new ClientRegistry(config.clients, this.#clients);
    this.#scrubber = createScrubber(config.secrets);
    this.mcp.replace(config.mcpServers, config.server.egress);
    this.#pools.useEgress(config.server.egress);
    this.#rebuild();
    this.#pools.keepFor(config.tools);
  }

  /** Frees everything; calls still in flight are cancelled. */
  async close(): Promise<void> {
    this.#draining = true;
    this.running.cancelAll('shutdown');
    for (const runtime of this.registry.all()) runtime.pipeline.close();
    await Promise.all([this.#pools.close(), this.mcp.close()]);
  }

  // ---- ToolDirectory: what `executeCall` needs ----

  find(name: string): ToolRuntime | undefined {
    return this.registry.find(name);
  }

  alternatives(name: string, client: Client): { available: string[]; suggestions: string[] } {
    return this.registry.alternatives(name, client.mayUse);
  }

  discover(
    name: string,
    deadlineAt: number,
    cancellation: Cancellation,
  ): Promise<void> | undefined {
    return this.mcp.discover(name, deadlineAt, cancellation);
  }

  unreachable(name: string): { subject: ClassifySubject; outcome: FailedOutcome } | undefined {
    const server = this.mcp.unreachable(name);
    if (server === undefined) return undefined;
    const toolName = name.slice(0, 64);
    const subject = { ...this.noTool, toolName, kind: 'mcp', serverName: server.name } as const;
    return { subject, outcome: server.lastFailure() };
  }

  onResult({ result, runtime, batch, span }: CallDone): void {
    if (runtime !== undefined && result.errorInfo !== null && result.status === 'error') {
      runtime.lastFailure = { code: result.errorInfo.code, at: Date.now() };
    }
    this.#observer.callDone(result, runtime !== undefined, {
      batchId: batch.batchId,
      idsAreOurs: batch.idsAreOurs,
      client: batch.client.id,
      trace: span?.ids,
    });
  }

  onInternalError(error: unknown, requestId: string): void {
    this.#options.onInternalError?.(error, requestId);
  }

  // ---- building ----

  #rebuild(): void {
    const sources = new Map<string, ToolSource>();
    for (const definition of this.#config.tools) sources.set(definition.name, { definition });
    // The configuration's own tools win over what a server offers under the same name, or alias.
    for (const source of this.mcp.offers()) {
      if (!sources.has(source.definition.name)) sources.set(source.definition.name, source);
    }
    const gone = this.registry.replace(sources.values(), (source) => this.#factory.build(source));
    for (const runtime of gone) runtime.pipeline.close();
    this.#observer.toolsChanged(sources.keys());
  }
}

function subjectWithoutTool(scrubber: Scrubber): ClassifySubject {
  return {
    toolName: '',
    kind: 'none',
    idempotent: false,
    trust503: false,
    rules: compileErrorRules([]),
    scrubber,
  };
}
