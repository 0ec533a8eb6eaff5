// Tracing with the OpenTelemetry API. Contexts are handed down by hand: no AsyncLocalStorage on the
// hot path. Without an SDK a batch costs one no-op span and a call nothing.
import {
  ROOT_CONTEXT,
  SpanKind,
  isSpanContextValid,
  trace,
  type TracerProvider,
} from '@opentelemetry/api';
import type { Attempt, CallContext, UpstreamInvoke } from '../call.js';
import type { FailedOutcome, Outcome } from '../errors/outcome.js';
import {
  RecordedBatch,
  UNRECORDED,
  UnrecordedBatch,
  type BatchTrace,
  type Failure,
} from './spans.js';
import { parseTraceparent, formatTraceparent } from './traceparent.js';

export type { BatchTrace, CallSpan } from './spans.js';

export interface Tracer {
  /** Begins a batch with the request's own headers. */
  startBatch(inbound: { traceparent?: string; tracestate?: string }): BatchTrace;
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

/** What the deadline layer makes of an attempt that was stopped from outside. */
function outcomeOf(outcome: Outcome, attempt: Attempt): Outcome {
  const { aborted, phase } = attempt;
  return aborted === undefined ? outcome : { ...aborted, phase };
}

/**
 * Puts a span around every attempt of a call that is traced, and its `traceparent` into the attempt.
 *
 * @param codeOf The code and category of a failed attempt: the classifier's, memoised.
 */
export function traceAttempts(
  upstream: UpstreamInvoke,
  codeOf: (outcome: FailedOutcome, ctx: CallContext) => Failure,
): UpstreamInvoke {
  return (call, attempt) => {
    const callTrace = attempt.ctx.trace;
    if (callTrace === undefined) return upstream(call, attempt);
    const span = callTrace.startAttempt(attempt.number);
    attempt.traceparent = span.traceparent;
    return upstream(call, attempt).then((outcome) => {
      const seen = outcomeOf(outcome, attempt);
      span.end(seen.kind === 'ok' ? null : codeOf(seen, attempt.ctx));
      return outcome;
    });
  };
}
