// What a caller's traceparent says (W3C Trace Context, level 1, section 3.2), read without the
// tracing API: most gateways only pass it on.

const TRACEPARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;
const ZERO_TRACE = '0'.repeat(32);
const ZERO_SPAN = '0'.repeat(16);

export interface TraceIds {
  readonly traceId: string;
  readonly spanId: string;
  /** Only the sampled bit. */
  readonly traceFlags: number;
}

/** Undefined for a header that is absent or malformed, as the standard asks. */
export function readTraceIds(traceparent: string | undefined): TraceIds | undefined {
  if (traceparent === undefined || traceparent.length > 200) return undefined;
  const match = TRACEPARENT.exec(traceparent.trim());
  if (match === null) return undefined;
  const [, version, traceId, spanId, flags, rest] = match;
  if (traceId === undefined || spanId === undefined || flags === undefined) return undefined;
  // Version 00 has exactly four parts; ff is forbidden; later ones may go on.
  if (version === 'ff' || (version === '00' && rest !== undefined)) return undefined;
  if (traceId === ZERO_TRACE || spanId === ZERO_SPAN) return undefined;
  return { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & 1 };
}

/** An inbound traceparent as it may go on upstream; undefined for what is absent or malformed. */
export function usableTraceparent(value: unknown): string | undefined {
  if (typeof value !== 'string' || readTraceIds(value) === undefined) return undefined;
  return value.trim();
}
