// The shared vocabulary of the stair: what a call is, what a tool is, and what a layer is.
// Types only, but for the attempt that layers and upstreams share.
import type { Cancellation } from './cancellation.js';
import type { Remembered } from './errors/classify.js';
import type { ErrorInfo } from './errors/error-info.js';
import type { ErrorRule, Predicate } from './errors/error-rule.js';
import type { CancelReason, Outcome, Phase, ResultBody, TimeoutScope } from './errors/outcome.js';

export type { ErrorRule, Predicate } from './errors/error-rule.js';
export type { Outcome, ResultBody } from './errors/outcome.js';

export type JsonObject = Record<string, unknown>;

/** A call as a client wrote it, after parsing and before anything is believed. */
export interface ToolCall {
  readonly id: string;
  readonly tool: string;
  /** Anything the client sent: an object, JSON text of one, null or absent. */
  readonly arguments: unknown;
  readonly timeoutMs?: number;
  readonly idempotencyKey?: string;
  readonly dependsOn?: readonly string[];
  /** Faults found in the call itself (JSON Pointer -> what was expected); it is not executed. */
  readonly faults?: Readonly<Record<string, string>>;
  /** Faults found inside its arguments (JSON Pointer into the arguments -> what is wrong). */
  readonly argumentFaults?: Readonly<Record<string, string>>;
}

/** A call whose tool is known and whose arguments are valid. */
export interface ResolvedCall {
  readonly id: string;
  readonly tool: ToolDefinition;
  readonly arguments: JsonObject;
  readonly idempotencyKey?: string | undefined;
}

/** One line of `details.attempt_log`. */
export interface AttemptRecord {
  readonly code: string;
  readonly status?: number;
  readonly duration_ms: number;
  readonly retry_after_ms?: number;
}

/** The span of one attempt. */
export interface AttemptTrace {
  /** W3C `traceparent` with this attempt's span as the parent. */
  readonly traceparent: string;
  /** Ends the span; `null` for ok, else the code and category. */
  end(failure: { readonly code: string; readonly category: string } | null): void;
}

/** The span of one call, as far as an attempt needs it. */
export interface CallTrace {
  startAttempt(number: number): AttemptTrace;
}

/** What travels with one call down the stair and gathers facts on the way. One per call. */
export interface CallContext {
  /** Client id from the configuration, or '' for an anonymous caller. */
  readonly client: string;
  readonly runId: string | undefined;
  readonly batchId: string;
  /** When the call must have ended: `performance.now()` milliseconds. */
  readonly deadlineAt: number;
  /** Whose limit `deadlineAt` is. */
  readonly deadlineScope: 'call' | 'deadline';
  /** The whole time from receipt to `deadlineAt`, milliseconds. */
  readonly deadlineMs: number;
  readonly cancellation: Cancellation;
  /** W3C trace context to send upstream (the call's own; an attempt may have a narrower one). */
  readonly traceparent?: string | undefined;
  /** The call's span; absent where nothing is traced. */
  readonly trace?: CallTrace | undefined;
  /** Inbound attempt headers that are forwarded (`x-gateway-attempt`, `grpc-previous-rpc-attempts`). */
  readonly forwardHeaders?: Readonly<Record<string, string>> | undefined;
  /** Progress of a streaming upstream, where the client streams. */
  readonly onProgress?: ((progress: unknown) => void) | undefined;

  /** Attempts that reached the upstream layer so far. */
  attempts: number;
  /** Filled by the retry layer once an attempt failed. */
  attemptLog: AttemptRecord[] | undefined;
  /** Filled by the retry layer when it stopped. */
  retryStoppedBy: string | undefined;
  /** An earlier attempt may have had its effect, whatever the last one says. */
  effectMayHaveHappened: boolean;
  /** An idempotency key goes upstream with this call. */
  keySent: boolean;
  /** What the last failure of this call means (`classifyOnce`). */
  verdict: Remembered | undefined;
  /** Milliseconds spent in queues. */
  queuedMs: number;
  /** Work that goes on after its outcome was given (a module that ignores abort); it keeps its slot. */
  lingering: Promise<unknown> | undefined;
}

/** Runs a call to its outcome. Never rejects. */
export type Invoke = (call: ResolvedCall, ctx: CallContext) => Promise<Outcome>;

/** A policy around an Invoke, built once per tool. */
export type Layer = (next: Invoke) => Invoke;

/** Why an attempt was stopped from outside. */
export type AbortCause =
  | { readonly kind: 'timeout'; readonly scope: TimeoutScope; readonly timeoutMs: number }
  | { readonly kind: 'cancelled'; readonly reason: CancelReason };

/**
 * One attempt, shared by the deadline layer (which stops it) and the upstream (which reports where
 * it stands). The upstream keeps `phase` true, sets `onAbort` to tear down what it holds, and need
 * not produce the outcome of an abort: the deadline layer does.
 */
export class Attempt {
  phase: Phase = 'queued';
  /** Set once the attempt was stopped from outside. */
  aborted: AbortCause | undefined;
  /** Called at most once, synchronously, when the attempt is stopped. */
  onAbort: ((cause: AbortCause) => void) | undefined;
  /** W3C `traceparent` that the upstream sends; the attempt's own span where one is traced. */
  traceparent: string | undefined;
  /** Restarts the idle timer, where the upstream has one (MCP progress). */
  readonly deadlineAt: number;
  readonly number: number;
  readonly ctx: CallContext;
  #controller: AbortController | undefined;

  constructor(ctx: CallContext, number: number, deadlineAt: number) {
    this.ctx = ctx;
    this.number = number;
    this.deadlineAt = deadlineAt;
    this.traceparent = ctx.traceparent;
  }

  /** Stops the attempt; the first cause stays. */
  abort(cause: AbortCause): void {
    if (this.aborted !== undefined) return;
    this.aborted = cause;
    this.#controller?.abort(cause);
    this.onAbort?.(cause);
  }

  /** A real AbortSignal, built on first use: it is dear (see `cancellation.ts`). */
  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.aborted !== undefined) this.#controller.abort(this.aborted);
    }
    return this.#controller.signal;
  }
}

/** An upstream of any kind. Never rejects; resolves promptly after `onAbort`. */
export type UpstreamInvoke = (call: ResolvedCall, attempt: Attempt) => Promise<Outcome>;

// ---- Tools, as the configuration gives them: every default merged, every unit explicit ----

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
  /** Per run_id and tool, across batches. */
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

/** Exactly one per call, always. */
export interface ToolResult {
  readonly id: string;
  readonly tool: string;
  readonly status: 'ok' | 'error' | 'declined';
  readonly result: ResultBody | null;
  readonly errorInfo: ErrorInfo | null;
  readonly attempts: number;
  readonly durationMs: number;
  readonly cached: boolean;
  readonly warnings?: readonly string[] | undefined;
  readonly truncatedFromBytes?: number | undefined;
}

/**
 * What the layers report of one tool while they work; bound to the tool's labels when the
 * configuration loads. Telemetry implements it, the gateway hands it down.
 */
export interface ToolObserver {
  /** An attempt ended: 'ok' or its code. */
  attempt(code: string): void;
  /** The gateway repeats a call after this code. */
  retry(code: string): void;
  breakerChanged(to: 'closed' | 'half_open' | 'open'): void;
  queueWaited(ms: number): void;
  rateLimited(scope: 'tool' | 'client' | 'cooldown'): void;
}
