// Tracing with the OpenTelemetry API. Contexts are handed down by hand: no AsyncLocalStorage on the
// hot path. Without an SDK a batch costs one no-op span and a call nothing.
import {
  ROOT_CONTEXT,
  SpanKind,
  isSpanContextValid,
  trace,
  type TracerProvider,
} from '@opentelemetry/api';
import { RecordedBatch, UNRECORDED, UnrecordedBatch, type BatchTrace } from './spans.js';
import { parseTraceparent, formatTraceparent } from './traceparent.js';

export type { BatchTrace, CallSpan } from './spans.js';

export interface Tracer {
  /** Begins a batch with the request's own headers. */
  startBatch(inbound: {
    traceparent?: string | undefined;
    tracestate?: string | undefined;
  }): BatchTrace;
}

/**
 * Makes the tracer of a gateway.
 *
 * @param provider The SDK's provider; absent: the global one of the OpenTelemetry API, which does
 *   nothing until an application that embeds the gateway registers an SDK.
 */
export function createTracer(provider?: TracerProvider): Tracer {
  const tracer = (provider ?? trace).getTracer('toolgate');
  return {
    startBatch({ traceparent, tracestate }) {
      const remote = parseTraceparent(traceparent, tracestate);
      const parent =
        remote === undefined ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, remote);
      const span = tracer.startSpan('batch', { kind: SpanKind.SERVER }, parent);
      if (span.isRecording()) return new RecordedBatch(tracer, span);
      // Not sampled, or no SDK: the decision (or the inbound context) still goes upstream.
      const context = span.spanContext();
      if (!isSpanContextValid(context)) return UNRECORDED;
      return new UnrecordedBatch(formatTraceparent(context));
    },
  };
}
