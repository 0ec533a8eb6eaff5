// What a call may ask of the gateway beside its arguments: W3C trace context, and `_meta.toolgate`
// with `timeout_ms`, `idempotency_key`, `deadline_ms` and `run_id`, as in the native envelope.
import type { ToolCall } from '../../src/call.js';
import type { BatchRequest } from '../../src/gateway/gateway.js';

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

export interface CallOptions {
  readonly call: Pick<ToolCall, 'timeoutMs' | 'idempotencyKey'>;
  readonly batch: Pick<BatchRequest, 'deadlineMs' | 'runId' | 'traceparent'>;
  /** JSON Pointer -> what was expected; the call is then not executed. */
  readonly faults: Readonly<Record<string, string>> | undefined;
}

const TRACEPARENT = /^[\da-f]{2}-[\da-f]{32}-[\da-f]{16}-[\da-f]{2}$/;
const KEY = /^[\x20-\x7e\u00a0-\uffff]{1,256}$/;
const MS = 'must be a positive integer (milliseconds)';
const TEXT = 'must be 1 to 256 printable characters';

/** Reads `_meta` of a request. */
export function readCallOptions(meta: Readonly<Record<string, unknown>> | undefined): CallOptions {
  const call: Mutable<CallOptions['call']> = {};
  const batch: Mutable<CallOptions['batch']> = {};
  const faults: Record<string, string> = {};
  const fault = (name: string, expected: string): void => {
    faults[`/_meta/toolgate${name}`] = expected;
  };
  const traceparent = meta?.['traceparent'];
  if (typeof traceparent === 'string' && TRACEPARENT.test(traceparent)) {
    batch.traceparent = traceparent;
  }
  const own = meta?.['toolgate'];
  if (own !== undefined && (typeof own !== 'object' || own === null || Array.isArray(own))) {
    fault('', 'must be an object');
  } else {
    for (const [name, value] of Object.entries(own ?? {}) as [string, unknown][]) {
      if (name === 'timeout_ms' && isMs(value)) call.timeoutMs = value;
      else if (name === 'deadline_ms' && isMs(value)) batch.deadlineMs = value;
      else if (name === 'idempotency_key' && isKey(value)) call.idempotencyKey = value;
      else if (name === 'run_id' && isKey(value)) batch.runId = value;
      else fault(`/${name.slice(0, 64)}`, EXPECTED[name] ?? 'is not a known option');
    }
  }
  return { call, batch, faults: Object.keys(faults).length > 0 ? faults : undefined };
}

const EXPECTED: Readonly<Record<string, string | undefined>> = {
  timeout_ms: MS,
  deadline_ms: MS,
  idempotency_key: TEXT,
  run_id: TEXT,
};

function isMs(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) > 0;
}

function isKey(value: unknown): value is string {
  return typeof value === 'string' && KEY.test(value);
}
