// What all calls of one batch share: what was asked for, within what the configuration allows.
import type { Cancellation } from '../cancellation.js';
import type { ServerConfig } from '../config.js';
import type { BatchTrace } from '../telemetry/tracing.js';
import type { BatchRequest } from './batch-request.js';
import type { Client } from './clients.js';

export interface BatchContext {
  readonly batchId: string;
  readonly requestId: string;
  /** The caller chose neither id. */
  readonly idsAreOurs: boolean;
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

export function batchContext(
  request: BatchRequest,
  { defaultDeadlineMs, maxDeadlineMs }: Pick<ServerConfig, 'defaultDeadlineMs' | 'maxDeadlineMs'>,
  trace: BatchTrace | undefined,
): BatchContext {
  const deadlineMs = Math.min(request.deadlineMs ?? defaultDeadlineMs, maxDeadlineMs);
  return {
    batchId: request.batchId,
    requestId: request.requestId,
    idsAreOurs: request.idsAreOurs === true,
    client: request.client,
    runId: request.runId,
    receivedAt: request.receivedAt,
    deadlineAt: request.receivedAt + deadlineMs,
    cancellation: request.cancellation,
    trace,
    traceparent: request.traceparent,
    forwardHeaders: request.forwardHeaders,
    onProgress: request.onProgress,
  };
}
