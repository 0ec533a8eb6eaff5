// The stair of one call: resolve -> authorise -> validate -> pipeline -> classify. It always ends
// in exactly one ToolResult; a fault of ours becomes INTERNAL_ERROR, never a rejection.
import type { CallContext, JsonObject, ResolvedCall, ToolCall, ToolResult } from '../call.js';
import type { Cancellation } from '../cancellation.js';
import { classifyOnce, type ClassifySubject } from '../errors/classify.js';
import type { Classification, ErrorInfo } from '../errors/error-info.js';
import type { CancelledOutcome, FailedOutcome, Outcome } from '../errors/outcome.js';
import { screenResult } from '../format/screen.js';
import type { BatchTrace, CallSpan } from '../telemetry/tracing.js';
import type { Client } from './clients.js';
import type { ToolRuntime } from './tool-runtime.js';

/** What all calls of one batch share. */
export interface BatchContext {
  readonly batchId: string;
  readonly requestId: string;
  readonly client: Client;
  readonly runId: string | undefined;
  /** `performance.now()` milliseconds. */
  readonly receivedAt: number;
  readonly deadlineAt: number;
  readonly cancellation: Cancellation;
  /** Absent where no tracer is at work; then `traceparent` is passed on as it came. */
  readonly trace?: BatchTrace | undefined;
  readonly traceparent?: string | undefined;
  readonly forwardHeaders?: Readonly<Record<string, string>> | undefined;
  readonly onProgress?: ((callId: string, progress: unknown) => void) | undefined;
}

/** What a call needs of the gateway. */
export interface ToolDirectory {
  find(name: string): ToolRuntime | undefined;
  /** Connects servers that may offer this tool and have not told yet; undefined: there are none. */
  discover(name: string, deadlineAt: number, cancellation: Cancellation): Promise<void> | undefined;
  /** Of a server that may offer this tool but cannot be asked: its subject, and why; undefined: none. */
  unreachable(name: string): { subject: ClassifySubject; outcome: FailedOutcome } | undefined;
  /** For TOOL_NOT_FOUND: names that this client may use. */
  alternatives(name: string, client: Client): { available: string[]; suggestions: string[] };
  /** The classifier's subject where there is no tool. */
  readonly noTool: ClassifySubject;
  onResult(done: CallDone): void;
  onInternalError(error: unknown, requestId: string): void;
}

/** A finished call, with what it belongs to. */
export interface CallDone {
  readonly result: ToolResult;
  readonly runtime: ToolRuntime | undefined;
  readonly batch: BatchContext;
  readonly span: CallSpan | undefined;
}

/** Executes one call. Never rejects. */
export async function executeCall(
  call: ToolCall,
  batch: BatchContext,
  directory: ToolDirectory,
): Promise<ToolResult> {
  const startedAt = performance.now();
  let runtime = directory.find(call.tool);
  if (runtime === undefined && call.faults === undefined && batch.client.mayUse(call.tool)) {
    await directory.discover(call.tool, deadlineOf(call, batch), batch.cancellation);
    runtime = directory.find(call.tool);
  }
  const span = batch.trace?.startCall(runtime === undefined ? '' : call.tool);
  const ctx = createContext(call, batch, span);
  let outcome: Outcome;
  try {
    outcome = await settle(call, ctx, batch, runtime, directory);
  } catch (error) {
    directory.onInternalError(error, batch.requestId);
    outcome = { kind: 'internal', requestId: batch.requestId };
  }
  const subject =
    runtime?.subject ??
    (outcome.kind === 'mcp-connection' || outcome.kind === 'response'
      ? directory.unreachable(call.tool)?.subject
      : undefined) ??
    directory.noTool;
  const told = toResult(call, ctx, outcome, subject, startedAt);
  const result = screen(told, runtime, () => {
    const internal = { kind: 'internal', requestId: batch.requestId } as const;
    return toResult(call, ctx, internal, subject, startedAt);
  });
  report({ result, runtime, batch, span }, directory);
  return result;
}

/** What `on_suspicion: fail` holds back; a result that cannot be screened is held back, too. */
function screen(
  told: ToolResult,
  runtime: ToolRuntime | undefined,
  otherwise: () => ToolResult,
): ToolResult {
  try {
    return screenResult(told, runtime?.definition.policy.onSuspicion ?? 'annotate');
  } catch {
    return otherwise();
  }
}

/** Telemetry hears of the call; its faults must not cost the caller the answer. */
function report(done: CallDone, directory: ToolDirectory): void {
  try {
    done.span?.end(done.result);
    directory.onResult(done);
  } catch (error) {
    directory.onInternalError(error, done.batch.requestId);
  }
}

/** The result of a call that is not executed, for a reason that lies outside of it. */
export function settleWithout(
  call: ToolCall,
  outcome: FailedOutcome,
  batch: BatchContext,
  directory: ToolDirectory,
): ToolResult {
  const runtime = directory.find(call.tool);
  const subject = runtime?.subject ?? directory.noTool;
  const ctx = createContext(call, batch, undefined);
  const result = toResult(call, ctx, outcome, subject, performance.now());
  report({ result, runtime, batch, span: undefined }, directory);
  return result;
}

/** When a call must have ended: by its own limit or the batch's, whichever is first. */
function deadlineOf({ timeoutMs }: ToolCall, { receivedAt, deadlineAt }: BatchContext): number {
  return timeoutMs === undefined ? deadlineAt : Math.min(receivedAt + timeoutMs, deadlineAt);
}

function createContext(
  call: ToolCall,
  batch: BatchContext,
  span: CallSpan | undefined,
): CallContext {
  const deadlineAt = deadlineOf(call, batch);
  const { onProgress } = batch;
  return {
    client: batch.client.id,
    runId: batch.runId,
    batchId: batch.batchId,
    deadlineAt,
    deadlineScope: deadlineAt < batch.deadlineAt ? 'call' : 'deadline',
    deadlineMs: deadlineAt - batch.receivedAt,
    cancellation: batch.cancellation,
    traceparent: span?.traceparent ?? batch.trace?.traceparent ?? batch.traceparent,
    trace: span,
    forwardHeaders: batch.forwardHeaders,
    onProgress:
      onProgress === undefined
        ? undefined
        : (progress: unknown) => {
            onProgress(call.id, progress);
          },
    attempts: 0,
    attemptLog: undefined,
    retryStoppedBy: undefined,
    effectMayHaveHappened: false,
    keySent: false,
    verdict: undefined,
    lingering: undefined,
  };
}

function settle(
  call: ToolCall,
  ctx: CallContext,
  batch: BatchContext,
  runtime: ToolRuntime | undefined,
  directory: ToolDirectory,
): Promise<Outcome> | Outcome {
  if (call.faults !== undefined) return { kind: 'invalid-call', errors: call.faults };
  const { client } = batch;
  if (runtime === undefined) {
    const unreachable = client.mayUse(call.tool) ? directory.unreachable(call.tool) : undefined;
    if (unreachable !== undefined) return cancelledBefore(ctx) ?? unreachable.outcome;
    const { available, suggestions } = directory.alternatives(call.tool, client);
    return { kind: 'unknown-tool', availableTools: available, suggestions };
  }
  if (!client.mayUse(call.tool)) return { kind: 'not-permitted' };
  if (runtime.fault !== undefined) return { kind: 'misconfigured', explanation: runtime.fault };
  if (call.argumentFaults !== undefined) {
    return { kind: 'invalid-arguments', errors: call.argumentFaults };
  }
  // The format that read the call made an object of them, or said what hindered it.
  const args = call.arguments as JsonObject;
  const errors = runtime.input.validate(args);
  if (errors !== undefined) return { kind: 'invalid-arguments', errors };
  const cancelled = cancelledBefore(ctx);
  if (cancelled !== undefined) return cancelled;
  const admission = client.limiter?.take();
  if (admission !== undefined && !admission.admitted) {
    const { retryAfterMs, limit } = admission;
    runtime.observer.rateLimited('client');
    return { kind: 'rate-limited', scope: 'client', retryAfterMs, limit };
  }
  const { id, idempotencyKey } = call;
  const resolved: ResolvedCall = {
    id,
    tool: runtime.definition,
    arguments: args,
    idempotencyKey,
  };
  return runtime.pipeline.invoke(resolved, ctx);
}

/** The outcome of a call that was cancelled before anything was sent. */
function cancelledBefore({ cancellation: { reason } }: CallContext): CancelledOutcome | undefined {
  return reason === undefined ? undefined : { kind: 'cancelled', reason, phase: 'queued' };
}

function toResult(
  call: ToolCall,
  ctx: CallContext,
  outcome: Outcome,
  subject: ClassifySubject,
  startedAt: number,
): ToolResult {
  const isOk = outcome.kind === 'ok';
  const classification = isOk ? undefined : classifyOnce(outcome, subject, ctx);
  // One literal for every result: conditional spreads cost more than all layers together.
  return {
    id: call.id,
    tool: call.tool,
    status: classification?.status ?? 'ok',
    result: isOk ? outcome.result : null,
    errorInfo:
      isOk || classification === undefined
        ? null
        : withHistory(classification, outcome, call, ctx, subject),
    attempts: ctx.attempts,
    durationMs: performance.now() - startedAt,
    cached: isOk ? outcome.cached === true : outcome.kind === 'stored',
    warnings: isOk ? outcome.warnings : undefined,
    truncatedFromBytes: isOk ? outcome.truncatedFromBytes : undefined,
  };
}

/**
 * Adds what only the whole call knows: its attempts, why it stopped, and effects of earlier attempts.
 * The verdict belongs to this call alone, so that it is written to, not copied.
 */
function withHistory(
  { info, refusedBeforeExecution }: Classification,
  outcome: FailedOutcome,
  call: ToolCall,
  ctx: CallContext,
  subject: ClassifySubject,
): ErrorInfo {
  if (outcome.kind === 'stored') return info;
  const { details } = info;
  details.attempts = ctx.attempts;
  // Without a tool the name is whatever the caller wrote.
  if (subject.toolName === '') details.tool_name = subject.scrubber.text(call.tool, 64);
  if (ctx.retryStoppedBy !== undefined) details['retry_stopped_by'] = ctx.retryStoppedBy;
  if (ctx.attemptLog !== undefined) details['attempt_log'] = ctx.attemptLog;
  // "Not sent" is true of the last attempt only: an earlier one may have had its effect.
  if (ctx.effectMayHaveHappened && (info.effect === 'not_sent' || refusedBeforeExecution)) {
    info.effect = 'unknown';
    info.retryable &&= subject.idempotent || ctx.keySent;
  }
  return info;
}
