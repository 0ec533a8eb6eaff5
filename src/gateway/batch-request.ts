// What the gateway is asked to do: a batch of calls, whatever its wire format was. Types only.
import type { ToolCall, ToolResult } from '../call.js';
import type { Cancellation } from '../cancellation.js';
import type { Client } from './clients.js';
import type { GraphResult } from './dependencies.js';

/** A batch as the caller posted it, parsed. */
export interface BatchRequest {
  readonly calls: readonly ToolCall[];
  readonly batchId: string;
  readonly requestId: string;
  /** The caller chose neither id. Default false. */
  readonly idsAreOurs?: boolean;
  readonly client: Client;
  readonly format: string;
  readonly runId?: string | undefined;
  /** Whole batch, from receipt; the configuration's default where absent, its maximum at most. */
  readonly deadlineMs?: number | undefined;
  /** `performance.now()` at receipt. */
  readonly receivedAt: number;
  readonly returnOrder: 'submission' | 'completion';
  /** False when the request text has no `$from`. */
  readonly mayReference: boolean;
  readonly cancellation: Cancellation;
  readonly traceparent?: string | undefined;
  readonly tracestate?: string | undefined;
  readonly forwardHeaders?: Readonly<Record<string, string>> | undefined;
  readonly onResult?: ((result: ToolResult) => void) | undefined;
  readonly onProgress?: ((callId: string, progress: unknown) => void) | undefined;
}

export type BatchOutcome =
  | { readonly ok: true; readonly results: readonly ToolResult[] }
  | Extract<GraphResult, { ok: false }>;
