// What the gateway reports while it works; telemetry implements it, the composition hands it in.
import type { ToolDefinition, ToolObserver, ToolResult } from '../call.js';
import type { TraceIds } from '../telemetry/cells.js';

export interface BatchSummary {
  readonly batchId: string;
  readonly requestId: string;
  /** No text of the caller's is in the ids. */
  readonly idsAreOurs: boolean;
  readonly runId: string | undefined;
  /** '' for an anonymous caller. */
  readonly client: string;
  readonly format: string;
  readonly durationMs: number;
  readonly results: readonly ToolResult[];
  readonly traceId?: string | undefined;
}

export interface GatewayObserver {
  /** Called once per tool when the configuration loads, so that labels are bound once. */
  forTool(tool: ToolDefinition): ToolObserver;
  /** The names of all tools, after they changed. */
  toolsChanged(names: Iterable<string>): void;
  /** `known` is false where no tool has that name: it must not become a label. */
  callDone(
    result: ToolResult,
    known: boolean,
    batch: { batchId: string; idsAreOurs: boolean; client: string; trace?: TraceIds | undefined },
  ): void;
  batchDone(summary: BatchSummary): void;
}

const SILENT_TOOL: ToolObserver = {
  attempt: () => undefined,
  retry: () => undefined,
  breakerChanged: () => undefined,
  queueWaited: () => undefined,
  rateLimited: () => undefined,
};

/** Observes nothing; for the command line and tests. */
export const SILENT: GatewayObserver = {
  forTool: () => SILENT_TOOL,
  toolsChanged: () => undefined,
  callDone: () => undefined,
  batchDone: () => undefined,
};
