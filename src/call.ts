// The shared vocabulary of the stair: what a call is and what a layer is (what a tool is stands in
// `tool-definition.ts`). Types only, but for the attempt that layers and upstreams share, and for how
// one ends that is stopped.
import type { Cancellation } from './cancellation.js';
import type { Remembered } from './errors/classify.js';
import type { ErrorInfo } from './errors/error-info.js';
import type { JsonObject, ToolDefinition } from './tool-definition.js';
import type { CancelReason, Outcome, Phase, ResultBody, TimeoutScope } from './errors/outcome.js';

export type * from './tool-definition.js';
export type { ErrorRule, Predicate } from './errors/error-rule.js';
export type { Outcome, ResultBody } from './errors/outcome.js';

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
  /** What a caller that got INTERNAL_ERROR quotes, and the log names. */
  readonly requestId: string;
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
export abstract class Attempt {
  phase: Phase = 'queued';
  /** Set once the attempt was stopped from outside. */
  aborted: AbortCause | undefined;
  /** Called at most once, synchronously, when the attempt is stopped. */
  onAbort: ((cause: AbortCause) => void) | undefined;
  /** W3C `traceparent` that the upstream sends; the attempt's own span where one is traced. */
  traceparent: string | undefined;
  /** When its time is up: `performance.now()` milliseconds. */
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

  /** Takes the outcome of an upstream that has no promise for it. Only the first counts. */
  abstract settle(outcome: Outcome): void;

  /** The same for a fault of ours, which the deadline layer reports. */
  abstract fail(error: unknown): void;

  /** A real AbortSignal, built on first use: it is dear (see `cancellation.ts`). */
  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.aborted !== undefined) this.#controller.abort(this.aborted);
    }
    return this.#controller.signal;
  }
}

/** How an attempt ended that was stopped from outside when it had come as far as `phase`. */
export function abortOutcome(cause: AbortCause, phase: Phase): Outcome {
  return cause.kind === 'timeout'
    ? { kind: 'timeout', scope: cause.scope, timeoutMs: cause.timeoutMs, phase }
    : { kind: 'cancelled', reason: cause.reason, phase };
}

/**
 * An upstream of any kind. Resolves promptly after `onAbort`; rejects on a fault of ours only, which
 * the deadline layer reports. Undefined: it needs no promise, and calls the attempt's `settle` or
 * `fail` instead, at once or later.
 */
export type UpstreamInvoke = (call: ResolvedCall, attempt: Attempt) => Promise<Outcome> | undefined;

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
