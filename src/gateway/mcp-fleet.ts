// The MCP servers of the configuration: which are connected, which tools they offer, and how those
// become tools of ours. One server's trouble is its own.
import { isDeepStrictEqual } from 'node:util';
import type { ToolDefinition, UpstreamInvoke } from '../call.js';
import { Cancellation } from '../cancellation.js';
import type { McpServerDefinition, ServerConfig } from '../config.js';
import { Breaker } from '../policy/breaker.js';
import { compilePatterns } from '../tools/permissions.js';
import { createMcpServer, type DiscoveredTool, type McpServer } from '../upstream/mcp/index.js';
import type { ToolSource } from './registry.js';
import type { ValidateOutput } from '../upstream/result-check.js';

interface Member {
  readonly definition: McpServerDefinition;
  /** Which addresses it may dial: part of its connections from the start. */
  readonly egress: ServerConfig['egress'];
  readonly server: McpServer;
  /** Shared by the server's tools unless they ask for one of their own. */
  readonly breaker: Breaker | undefined;
}

export interface McpFleetDeps {
  readonly onToolsChanged: () => void;
  readonly log: (event: object, message: string, level?: 'info' | 'warn') => void;
  readonly scrub: (text: string) => string;
}

/** How long a start waits for MCP servers; what is not there by then comes later. */
const START_WAIT_MS = 10_000;

/** Waits for all of them, but no longer than `ms` and not once it is cancelled. */
async function within(
  ms: number,
  promises: readonly Promise<unknown>[],
  cancellation = new Cancellation(),
): Promise<void> {
  if (cancellation.reason !== undefined) return;
  let enough = (): void => undefined;
  const stopped = new Promise<void>((resolve) => {
    enough = resolve;
  });
  const timer = setTimeout(enough, Math.max(0, ms));
  cancellation.subscribe(enough);
  await Promise.race([Promise.allSettled(promises), stopped]);
  cancellation.unsubscribe(enough);
  clearTimeout(timer);
}

const TOOL_NAME = /^[A-Za-z0-9_.-]{1,64}$/;

/** All MCP servers of one gateway. */
export class McpFleet {
  #members: readonly Member[] = [];
  #started = false;
  readonly #deps: McpFleetDeps;

  constructor(deps: McpFleetDeps) {
    this.#deps = deps;
  }

  all(): readonly Member[] {
    return this.#members;
  }

  /** Puts these servers in place of the present ones; unchanged ones keep their connection. */
  replace(definitions: readonly McpServerDefinition[], egress: ServerConfig['egress']): void {
    const kept = new Set<Member>();
    const next = definitions.map((definition) => {
      const present = this.#members.find(
        (member) =>
          isDeepStrictEqual(member.definition, definition) &&
          // What a child process dials is its own business.
          (definition.transport.kind === 'stdio' || isDeepStrictEqual(member.egress, egress)),
      );
      if (present === undefined) return this.#create(definition, egress);
      kept.add(present);
      return present;
    });
    const gone = this.#members.filter((member) => !kept.has(member));
    this.#members = next;
    // Calls in flight finish on the old connection.
    for (const { server, breaker } of gone) {
      void server.retire();
      breaker?.dispose();
    }
    if (this.#started) void this.connectEager();
  }

  #create(definition: McpServerDefinition, egress: ServerConfig['egress']): Member {
    const server = createMcpServer(definition, {
      include: compilePatterns(definition.tools),
      onToolsChanged: this.#deps.onToolsChanged,
      log: this.#deps.log,
      scrub: this.#deps.scrub,
      egress,
    });
    const { breaker } = definition.policy;
    return {
      definition,
      egress,
      server,
      breaker: breaker?.scope === 'server' ? new Breaker(breaker) : undefined,
    };
  }

  /** Connects every server that does not wait for its first call. Never rejects. */
  async connectEager(): Promise<void> {
    this.#started = true;
    const eager = this.#members.filter(
      ({ definition, server }) =>
        definition.connect === 'eager' && server.status().state !== 'connected',
    );
    await within(
      START_WAIT_MS,
      eager.map(({ server }) => server.connect()),
    );
  }

  /**
   * Connects the servers that have not told their tools yet and may offer this one; undefined where
   * there are none. The wait ends with the call's time or its cancellation; connecting goes on.
   */
  discover(
    name: string,
    deadlineAt: number,
    cancellation: Cancellation,
  ): Promise<void> | undefined {
    const silent = this.#silent(name);
    if (silent.length === 0) return undefined;
    return within(
      deadlineAt - performance.now(),
      silent.map(({ server }) => server.connect()),
      cancellation,
    );
  }

  /** The server that may offer this tool but cannot be reached to ask; undefined: there is none. */
  unreachable(name: string): McpServer | undefined {
    return this.#silent(name).find(({ server }) => server.status().state !== 'connected')?.server;
  }

  #silent(name: string): Member[] {
    return this.#members.filter(
      ({ definition, server }) => server.tools().length === 0 && name.startsWith(definition.prefix),
    );
  }

  requiredAreConnected(): boolean {
    return this.#members.every(
      ({ definition, server }) => !definition.required || server.status().state === 'connected',
    );
  }

  breakerOf(server: string): Breaker | undefined {
    return this.#find(server)?.breaker;
  }

  createUpstream(
    server: string,
    tool: ToolDefinition,
    deps: { validateOutput?: ValidateOutput },
  ): UpstreamInvoke {
    const member = this.#find(server);
    if (member !== undefined) return member.server.createUpstream(tool, deps);
    const explanation = 'The MCP server of this tool is not configured.';
    return () => Promise.resolve({ kind: 'misconfigured', explanation });
  }

  /** Every tool that the servers offer now, as tools of ours. */
  offers(): ToolSource[] {
    return this.#members.flatMap(({ definition, server }) =>
      server.tools().flatMap((tool) => {
        const name = `${definition.prefix}${tool.remoteName}`.replace(/[^A-Za-z0-9_.-]/g, '_');
        if (!TOOL_NAME.test(name)) return [];
        const { fault } = tool;
        return [{ definition: toDefinition(name, tool, definition), origin: server, fault }];
      }),
    );
  }

  async close(): Promise<void> {
    for (const { breaker } of this.#members) breaker?.dispose();
    await Promise.allSettled(this.#members.map(({ server }) => server.close()));
  }

  #find(name: string): Member | undefined {
    return this.#members.find(({ definition }) => definition.name === name);
  }
}

/** Annotations count only where the server is trusted; the configuration always wins. */
function toDefinition(
  name: string,
  tool: DiscoveredTool,
  server: McpServerDefinition,
): ToolDefinition {
  const hints = server.trusted ? tool.annotations : undefined;
  const readOnly = hints?.readOnlyHint === true;
  return {
    name,
    description: tool.description ?? '',
    inputSchema: tool.inputSchema,
    ...(tool.outputSchema !== undefined && { outputSchema: tool.outputSchema }),
    idempotent: server.idempotent ?? (readOnly || hints?.idempotentHint === true),
    readOnly,
    upstream: { kind: 'mcp', server: server.name, remoteName: tool.remoteName },
    policy: server.policy,
    ...(server.idempotency !== undefined && { idempotency: server.idempotency }),
    ...(server.cache !== undefined && readOnly && { cache: server.cache }),
    errorRules: server.errorRules,
  };
}
