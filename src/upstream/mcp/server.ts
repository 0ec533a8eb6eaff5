// One MCP server of the configuration: its connection, its tools, and the upstream of each tool.
import type { ToolDefinition, UpstreamInvoke } from '../../call.js';
import type { McpServerDefinition, ServerConfig } from '../../config.js';
import type { FailedOutcome } from '../../errors/outcome.js';
import { type ConnectFailure, outcomeOf } from './connect-failure.js';
import type { Connection } from './connection.js';
import type { DiscoveredTool, ToolListing } from './discovery.js';
import { createHttpResources, type HttpResources } from './http-resources.js';
import { paramHeaders } from './param-headers.js';
import type { ChildExit } from './reply.js';
import type { ValidateOutput } from '../result-check.js';
import { RunningCall, type ToolSetup } from './running-call.js';
import { type ConnectionState, Supervisor } from './supervisor.js';
import { ToolCatalogue } from './tool-catalogue.js';
import { watchTools } from './tool-watch.js';

/** What of an oversized answer is read at most to cut it (`on_oversize: truncate`), bytes. */
const TRUNCATE_READ_BYTES = 16 * 1_048_576;

export interface McpServerDeps {
  /** Which of the server's tool names are wanted. */
  readonly include: (remoteName: string) => boolean;
  /** The list that `tools()` gives has changed. */
  readonly onToolsChanged: () => void;
  readonly log: (event: object, message: string, level?: 'info' | 'warn') => void;
  readonly scrub: (text: string) => string;
  /** Which addresses may be dialled; absent: all. */
  readonly egress?: ServerConfig['egress'];
}

export interface McpServerStatus {
  readonly state: ConnectionState;
  readonly transport: 'streamable_http' | 'sse' | 'stdio' | null;
  /** The negotiated revision; null while not connected. */
  readonly protocolVersion: string | null;
  /** Why the last handshake failed, in our words; null after a good one. */
  readonly problem: ConnectFailure['problem'] | null;
}

/** One per server of the configuration. Nothing of it rejects: `status` and outcomes tell. */
export class McpServer {
  readonly name: string;
  readonly #definition: McpServerDefinition;
  readonly #deps: McpServerDeps;
  readonly #http: HttpResources | undefined;
  readonly #supervisor: Supervisor;
  readonly #catalogue: ToolCatalogue;
  #listing: Promise<unknown> | undefined;
  /** Calls under way, and what is to happen when the last of them has ended. */
  #running = 0;
  #whenIdle: (() => void) | undefined;

  constructor(definition: McpServerDefinition, deps: McpServerDeps) {
    this.name = definition.name;
    this.#definition = definition;
    this.#deps = deps;
    const { transport } = definition;
    this.#http =
      transport.kind === 'http' ? createHttpResources(transport, deps.egress) : undefined;
    this.#catalogue = new ToolCatalogue({
      include: deps.include,
      onChanged: deps.onToolsChanged,
      onTrouble: (listing) => this.#logListing(listing),
    });
    this.#supervisor = new Supervisor({
      // The official client is a megabyte of source: a start without MCP servers does not load it.
      connect: async (lesson, signal) => {
        const { connect } = await import('./handshake.js');
        return connect(transport, this.#http, lesson, signal);
      },
      onConnected: (connection) => this.#connected(connection),
      onLost: (connection, exit) => this.#logLoss(connection, exit),
      onFailed: (failure) => this.#logFailure(failure),
      reconnect: definition.connect === 'eager',
    });
  }

  /** Connects and lists the tools. Never rejects: `status` tells, and it is tried again. */
  async connect(): Promise<void> {
    const acquired = await this.#supervisor.acquire();
    if (acquired.ok) await this.#listing;
  }

  /** The wanted tools as of the last listing. */
  tools(): readonly DiscoveredTool[] {
    return this.#catalogue.tools;
  }

  /**
   * The upstream of one tool.
   *
   * @param deps `validateOutput` tests the structured content against the tool's output schema.
   */
  createUpstream(tool: ToolDefinition, deps: { validateOutput?: ValidateOutput }): UpstreamInvoke {
    const { upstream } = tool;
    if (upstream.kind !== 'mcp') throw new TypeError(`${tool.name} is no MCP tool`);
    const offered = this.tools().find(({ remoteName }) => remoteName === upstream.remoteName);
    if (offered?.fault !== undefined) {
      const explanation = `The MCP server describes this tool wrongly: ${offered.fault}.`;
      return () => Promise.resolve({ kind: 'misconfigured', explanation });
    }
    const { result } = tool.policy;
    const setup: ToolSetup = {
      remoteName: upstream.remoteName,
      contract: {
        policy: result,
        structured: tool.outputSchema !== undefined,
        validateOutput: deps.validateOutput,
      },
      readLimitBytes:
        result.onOversize === 'truncate'
          ? Math.max(TRUNCATE_READ_BYTES, result.maxBytes)
          : result.maxBytes,
      idempotencyHeader: tool.idempotency?.header,
      paramHeaders: paramHeaders(tool.inputSchema),
      idleTimeoutMs: this.#definition.idleTimeoutMs,
      supervisor: this.#supervisor,
      catalogue: this.#catalogue,
      scrub: this.#deps.scrub,
    };
    return (call, attempt) => {
      this.#running += 1;
      return new RunningCall(setup, call, attempt).run().finally(() => {
        this.#running -= 1;
        if (this.#running === 0) this.#whenIdle?.();
      });
    };
  }

  status(): McpServerStatus {
    const { current, state, lastFailure } = this.#supervisor;
    return {
      state,
      transport: current?.kind ?? null,
      protocolVersion: current?.protocolVersion ?? null,
      problem: lastFailure?.problem ?? null,
    };
  }

  /** Why there is no connection, as the outcome of a call that wants one. */
  lastFailure(): FailedOutcome {
    const { lastFailure } = this.#supervisor;
    if (lastFailure === undefined) return { kind: 'mcp-connection', problem: 'connect_failed' };
    return outcomeOf(lastFailure);
  }

  /** Closes once the calls under way have ended: for a server that a reload has replaced. */
  async retire(): Promise<void> {
    if (this.#running > 0) {
      await new Promise<void>((resolve) => {
        this.#whenIdle = resolve;
      });
    }
    await this.close();
  }

  /** Closes the connection, its sockets, and the child with its process group. */
  async close(): Promise<void> {
    this.#catalogue.close();
    await this.#supervisor.close();
    await this.#http?.agent.destroy();
  }

  #connected(connection: Connection): void {
    const refresh = (): Promise<boolean> => this.#catalogue.refresh(connection);
    this.#listing = refresh();
    watchTools(connection, () => void refresh());
    const { kind, protocolVersion } = connection;
    this.#deps.log(
      { event: 'mcp_connected', server: this.name, version: protocolVersion, state: kind },
      'MCP server connected',
    );
  }

  #logLoss(connection: Connection, exit: ChildExit | undefined): void {
    const event = {
      event: 'mcp_connection_lost',
      server: this.name,
      ...(exit !== undefined && { exit_code: exit.code, exit_signal: exit.signal }),
      ...(connection.kind === 'stdio' && { stderr_tail: connection.lastWords(this.#deps.scrub) }),
    };
    this.#deps.log(event, 'MCP connection lost', 'warn');
  }

  #logFailure({ problem, error, http, exit }: ConnectFailure): void {
    const event = {
      event: 'mcp_connect_failed',
      server: this.name,
      problem,
      err: error,
      ...(http !== undefined && { http_status: http.status }),
      ...(exit !== undefined && { exit_code: exit.code, exit_signal: exit.signal }),
    };
    this.#deps.log(event, 'MCP server could not be connected', 'warn');
  }

  #logListing(listing: ToolListing | undefined): void {
    const event = { event: 'mcp_tools_incomplete', server: this.name, faults: listing?.skipped };
    const message = listing === undefined ? 'tools/list failed' : 'some tools are left out';
    this.#deps.log(event, message, 'warn');
  }
}
