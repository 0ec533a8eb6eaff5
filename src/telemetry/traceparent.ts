// The W3C trace context headers as the tracing API has them, in and out.
import { createTraceState, type SpanContext } from '@opentelemetry/api';
import { readTraceIds } from './inbound-trace.js';

const MAX_TRACESTATE = 512;

/** Reads the inbound headers; undefined for what is absent or malformed, as the standard asks. */
export function parseTraceparent(
  traceparent: string | undefined,
  tracestate?: string,
): SpanContext | undefined {
  const ids = readTraceIds(traceparent);
  if (ids === undefined) return undefined;
  const usable = tracestate !== undefined && tracestate.length <= MAX_TRACESTATE;
  return { ...ids, isRemote: true, ...(usable && { traceState: createTraceState(tracestate) }) };
}

/** The header for a span. */
export function formatTraceparent({ traceId, spanId, traceFlags }: SpanContext): string {
  return `00-${traceId}-${spanId}-${(traceFlags & 1) === 1 ? '01' : '00'}`;
}
