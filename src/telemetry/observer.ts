// What the gateway reports, put into metrics and log. Its shape is the gateway's observer; the
// composition hands it down, so neither room knows the other.
import type { ToolDefinition, ToolObserver, ToolResult } from '../call.js';
import type { Logger } from './log.js';
import { logBatch, logCall, type BatchLine } from './log-lines.js';
import type { Metrics } from './metrics.js';
import type { TraceIds } from './cells.js';

export interface TelemetryObserver {
  forTool(tool: ToolDefinition): ToolObserver;
  toolsChanged(names: Iterable<string>): void;
  callDone(
    result: ToolResult,
    known: boolean,
    batch: { batchId: string; idsAreOurs: boolean; client: string; trace?: TraceIds | undefined },
  ): void;
  batchDone(summary: BatchLine): void;
}

/** Joins metrics and log. Without a logger nothing is logged. */
export function createObserver(metrics: Metrics, logger?: Logger): TelemetryObserver {
  return {
    forTool: (tool) => metrics.toolObserver(tool),
    toolsChanged: (names) => metrics.retainTools(names),
    callDone(result, known, batch) {
      metrics.callDone(known ? result.tool : '', result, batch.trace);
      if (logger === undefined) return;
      const { batchId, idsAreOurs, client, trace } = batch;
      logCall(logger, { batchId, idsAreOurs, known, client, traceId: trace?.traceId }, result);
    },
    batchDone(summary) {
      metrics.batchDone(summary.results.length);
      if (logger !== undefined) logBatch(logger, summary);
    },
  };
}
