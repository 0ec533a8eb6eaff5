// The stair of one call: resolve -> authorise -> validate -> pipeline -> classify. It always ends
// in exactly one ToolResult; a fault of ours becomes INTERNAL_ERROR, never a rejection.
import type { CallContext, JsonObject, ResolvedCall, ToolCall, ToolResult } from '../call.js';
import type { Cancellation } from '../cancellation.js';
import type { ClassifySubject } from '../errors/classify.js';
import type { CancelledOutcome, FailedOutcome, Outcome } from '../errors/outcome.js';
import { screenResult } from '../format/screen.js';
import type { CallSpan } from '../telemetry/tracing.js';
import type { BatchContext } from './batch-context.js';
import { toResult } from './call-result.js';
import type { Client } from './clients.js';
import type { ToolRuntime } from './tool-runtime.js';

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
export function executeCall(
  call: ToolCall,
  batch: BatchContext,
  directory: ToolDirectory,
): Promise<ToolResult> {
  const startedAt = performance.now();
  const runtime = directory.find(call.tool);
  if (runtime !== undefined || call.faults !== undefined || !batch.client.mayUse(call.tool)) {
    return execute(call, batch, directory, runtime, startedAt);
  }
  const asked = directory.discover(call.tool, deadlineOf(call, batch), batch.cancellation);
  if (asked === undefined) return execute(call, batch, directory, undefined, startedAt);
  return asked.then(() => execute(call, batch, directory, directory.find(call.tool), startedAt));
}

/** Not an async function: on the hot path its promises would cost as much as a layer. */
function execute(
  call: ToolCall,
  batch: BatchContext,
  directory: ToolDirectory,
  runtime: ToolRuntime | undefined,
  startedAt: number,
): Promise<ToolResult> {
  const span = batch.trace?.startCall(runtime === undefined ? '' : call.tool);
  const ctx = createContext(call, batch, span);
  const finish = (outcome: Outcome): ToolResult => {
    const subject =
      runtime?.subject ??
      (outcome.kind === 'mcp-connection' || outcome.kind === 'response'
        ? directory.unreachable(call.tool)?.subject
        : undefined) ??
      directory.noTool;
    const told = toResult(call, ctx, outcome, subject, startedAt);
    const result = screen(told, runtime, () =>
      toResult(call, ctx, internal(batch), subject, startedAt),
    );
    report({ result, runtime, batch, span }, directory);
    return result;
  };
  const fail = (error: unknown): ToolResult => {
    directory.onInternalError(error, batch.requestId);
    return finish(internal(batch));
  };
  try {
    const outcome = settle(call, ctx, batch, runtime, directory);
    return outcome instanceof Promise
      ? outcome.then(finish, fail)
      : Promise.resolve(finish(outcome));
  } catch (error) {
    return Promise.resolve(fail(error));
  }
}

function internal({ requestId }: BatchContext): FailedOutcome {
  return { kind: 'internal', requestId };
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
    requestId: batch.requestId,
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
