// What `/healthz` says: per tool its breaker, what is in flight and queued, its limits and its last
// failure's code; per MCP server its connection. Degraded is not down.
import type { Gateway } from './gateway.js';
import type { PipelineSnapshot } from '../policy/pipeline.js';
import type { LastFailure, ToolRuntime } from './tool-runtime.js';

export interface ToolHealth {
  readonly name: string;
  readonly status: 'ok' | 'degraded' | 'misconfigured';
  readonly breaker: {
    state: 'closed' | 'half_open' | 'open';
    failure_count: number;
    retry_after_ms: number | null;
  } | null;
  readonly in_flight: number;
  readonly queued: number;
  readonly cooldown_ms: number;
  readonly limits: {
    max_concurrent: number | null;
    max_queue: number | null;
    rate_limit: { calls: number; per_ms: number } | null;
  };
  readonly last_failure: { code: string; at: string } | null;
  readonly fault: string | null;
}

/** One tool's health. */
function toolHealth(runtime: ToolRuntime): ToolHealth {
  const { definition, fault, lastFailure } = runtime;
  const snapshot = runtime.pipeline.snapshot();
  const { bulkhead, rateLimit } = definition.policy;
  return {
    name: definition.name,
    status: statusOf(fault, snapshot),
    breaker: snapshot.breaker && {
      state: snapshot.breaker.state,
      failure_count: snapshot.breaker.failureCount,
      retry_after_ms: snapshot.breaker.retryAfterMs,
    },
    in_flight: snapshot.inFlight,
    queued: snapshot.queued,
    cooldown_ms: snapshot.cooldownMs,
    limits: {
      max_concurrent: bulkhead?.maxConcurrent ?? null,
      max_queue: bulkhead?.maxQueue ?? null,
      rate_limit: rateLimit && { calls: rateLimit.calls, per_ms: rateLimit.perMs },
    },
    last_failure: lastFailureOf(lastFailure),
    fault: fault ?? null,
  };
}

function statusOf(fault: string | undefined, snapshot: PipelineSnapshot): ToolHealth['status'] {
  if (fault !== undefined) return 'misconfigured';
  const closed = snapshot.breaker === null || snapshot.breaker.state === 'closed';
  return closed && snapshot.cooldownMs === 0 ? 'ok' : 'degraded';
}

function lastFailureOf(failure: LastFailure | undefined): ToolHealth['last_failure'] {
  return failure === undefined
    ? null
    : { code: failure.code, at: new Date(failure.at).toISOString() };
}

export interface ServerHealth {
  readonly name: string;
  readonly state: string;
  readonly tools: number;
  readonly required: boolean;
}

type Member = ReturnType<Gateway['mcp']['all']>[number];

/**
 * One MCP server's health; nothing where none of its tools may be used. One that has told none yet
 * is asked for by its prefix.
 */
function serverHealth(
  { server, definition }: Member,
  offered: readonly string[],
  mayUse: (name: string) => boolean,
): ServerHealth[] {
  const usable = offered.filter(mayUse);
  const hidden = offered.length > 0 ? usable.length === 0 : !mayUse(definition.prefix);
  if (hidden) return [];
  const { name, required } = definition;
  return [{ name, state: server.status().state, tools: usable.length, required }];
}

/** A lazy server that nobody has called yet is not in trouble. */
function isSound({ server, definition }: Member): boolean {
  const { state } = server.status();
  return state === 'connected' || (definition.connect === 'lazy' && state !== 'failed');
}

function toolsByServer(runtimes: readonly ToolRuntime[]): ReadonlyMap<string, readonly string[]> {
  const names = new Map<string, string[]>();
  for (const { definition } of runtimes) {
    if (definition.upstream.kind !== 'mcp') continue;
    const { server } = definition.upstream;
    const known = names.get(server);
    if (known === undefined) names.set(server, [definition.name]);
    else known.push(definition.name);
  }
  return names;
}

export interface GatewayHealth {
  /** Degraded is not down: it still takes work. */
  readonly status: 'ok' | 'degraded' | 'draining';
  readonly uptimeMs: number;
  readonly tools: readonly ToolHealth[];
  readonly servers: readonly ServerHealth[];
}

/**
 * The whole gateway's health.
 *
 * @param mayUse which tools, and servers of which tools, are shown; the status is that of all.
 */
export function healthOf(
  gateway: Gateway,
  mayUse: (name: string) => boolean = () => true,
): GatewayHealth {
  const runtimes = gateway.registry.all();
  const tools = runtimes.map(toolHealth);
  const members = gateway.mcp.all();
  const offered = toolsByServer(runtimes);
  const sound = tools.every(({ status }) => status === 'ok') && members.every(isSound);
  return {
    status: gateway.draining ? 'draining' : sound ? 'ok' : 'degraded',
    uptimeMs: performance.now() - gateway.startedAt,
    tools: tools.filter(({ name }) => mayUse(name)),
    servers: members.flatMap((member) =>
      serverHealth(member, offered.get(member.definition.name) ?? [], mayUse),
    ),
  };
}
