// The W3C trace context header, in and out (W3C Trace Context, level 1, section 3.2).
import { createTraceState, type SpanContext } from '@opentelemetry/api';

const TRACEPARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;
const ZERO_TRACE = '0'.repeat(32);
const ZERO_SPAN = '0'.repeat(16);
const MAX_TRACESTATE = 512;

/** Reads the inbound headers; undefined for what is absent or malformed, as the standard asks. */
export function parseTraceparent(
  traceparent: string | undefined,
  tracestate?: string,
): SpanContext | undefined {
  if (traceparent === undefined || traceparent.length > 200) return undefined;
  const match = TRACEPARENT.exec(traceparent.trim());
  if (match === null) return undefined;
  const [, version, traceId, spanId, flags, rest] = match;
  if (traceId === undefined || spanId === undefined || flags === undefined) return undefined;
  // Version 00 has exactly four parts; ff is forbidden; later ones may go on.
  if (version === 'ff' || (version === '00' && rest !== undefined)) return undefined;
  if (traceId === ZERO_TRACE || spanId === ZERO_SPAN) return undefined;
  const usable = tracestate !== undefined && tracestate.length <= MAX_TRACESTATE;
  return {
    traceId,
    spanId,
    traceFlags: Number.parseInt(flags, 16) & 1,
    isRemote: true,
    ...(usable && { traceState: createTraceState(tracestate) }),
  };
}

/** An inbound traceparent as it may go on upstream; undefined for what is absent or malformed. */
export function usableTraceparent(value: unknown): string | undefined {
  if (typeof value !== 'string' || parseTraceparent(value) === undefined) return undefined;
  return value.trim();
}

/** The header for a span. */
export function formatTraceparent({ traceId, spanId, traceFlags }: SpanContext): string {
  return `00-${traceId}-${spanId}-${(traceFlags & 1) === 1 ? '01' : '00'}`;
}
