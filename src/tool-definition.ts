// A tool as the configuration gives it: every default merged, every unit explicit. Types only.
import type { ErrorRule, Predicate } from './errors/error-rule.js';

export type JsonObject = Record<string, unknown>;

export interface RetryPolicy {
  readonly maxAttempts: number;
  readonly baseMs: number;
  readonly maxMs: number;
  /** The longest time hint that is slept through inside the gateway. */
  readonly maxWaitMs: number;
}

/** Token bucket over retries, per tool. */
export interface RetryBudgetPolicy {
  readonly tokens: number;
  readonly retryCost: number;
  readonly successRefill: number;
}

export interface BreakerPolicy {
  readonly windowMs: number;
  readonly minCalls: number;
  /** Opens when failures / finished calls reaches this share (0..1]. */
  readonly failureRate: number;
  readonly openMs: number;
  readonly halfOpenProbes: number;
  /** MCP tools share their server's breaker unless `tool`. */
  readonly scope: 'tool' | 'server';
}

export interface BulkheadPolicy {
  readonly maxConcurrent: number;
  readonly maxQueue: number;
  readonly queueTimeoutMs: number;
}

export interface RateLimitPolicy {
  readonly calls: number;
  readonly perMs: number;
  readonly burst: number;
}

export interface ResultPolicy {
  readonly maxBytes: number;
  readonly onOversize: 'error' | 'truncate';
  readonly validation: 'enforce' | 'warn';
}

export interface IdempotencyPolicy {
  /** Header that carries the key upstream; absent: the key stays here. */
  readonly header?: string;
  readonly ttlMs: number;
}

/** How an unknown outcome is read back: a read-only tool and its arguments. */
export interface VerifyPolicy {
  readonly tool: string;
  /** Argument name -> template over the original arguments (`"{booking_id}"`). */
  readonly arguments: JsonObject;
  /** What in the read-back's result says that the effect happened. */
  readonly confirmedWhen: Predicate;
}

export interface CachePolicy {
  readonly ttlMs: number;
  readonly maxBytes: number;
  readonly perClient: boolean;
}

export interface HttpUpstreamDefinition {
  readonly kind: 'http';
  readonly method: string;
  /** With `{argument}` placeholders in path or query, never in scheme or host. */
  readonly url: string;
  /** Absent: for methods without a body, the arguments not used in the URL. */
  readonly query?: Readonly<Record<string, unknown>>;
  readonly headers: Readonly<Record<string, string>>;
  /** Absent: for methods with a body, the arguments not used in the URL. */
  readonly body?: unknown;
  /** JSON Pointer into the answer. */
  readonly resultPointer?: string;
  readonly successWhen?: Predicate;
  readonly followRedirects: 'none' | 'same_origin';
}

export interface ModuleUpstreamDefinition {
  readonly kind: 'module';
  /** Absolute path of an ES module. */
  readonly path: string;
}

export interface McpUpstreamDefinition {
  readonly kind: 'mcp';
  readonly server: string;
  /** The tool's name at the server. */
  readonly remoteName: string;
}

export type UpstreamDefinition =
  HttpUpstreamDefinition | ModuleUpstreamDefinition | McpUpstreamDefinition;

export interface ToolPolicy {
  /** One attempt. */
  readonly timeoutMs: number;
  readonly retry: RetryPolicy;
  readonly retryBudget: RetryBudgetPolicy;
  /** null: no breaker. */
  readonly breaker: BreakerPolicy | null;
  /** null: no bulkhead. */
  readonly bulkhead: BulkheadPolicy | null;
  /** null: no limit. */
  readonly rateLimit: RateLimitPolicy | null;
  readonly result: ResultPolicy;
  readonly trust503: boolean;
  /** Retries per run_id and tool, across batches; first attempts are not counted. */
  readonly maxToolAttempts: number;
  /**
   * What a model is shown of a result that reads like an instruction. `annotate` (default): all of
   * it, flagged; `truncate`: what stands before it; `fail`: a TOOL_RESULT_ERROR in its place.
   */
  readonly onSuspicion?: OnSuspicion;
}

export interface ToolDefinition {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonObject;
  readonly outputSchema?: JsonObject;
  readonly idempotent: boolean;
  /** Only reads: a GET or HEAD, or declared `read_only: true`. Needed for `cache` and `verify`. */
  readonly readOnly: boolean;
  readonly upstream: UpstreamDefinition;
  readonly policy: ToolPolicy;
  readonly idempotency?: IdempotencyPolicy;
  readonly verify?: VerifyPolicy;
  readonly cache?: CachePolicy;
  readonly errorRules: readonly ErrorRule[];
}

export type OnSuspicion = 'annotate' | 'truncate' | 'fail';
