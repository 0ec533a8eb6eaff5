// What a call may ask of the gateway beside its arguments: W3C trace context, and `_meta.toolgate`
// with `timeout_ms`, `idempotency_key`, `deadline_ms` and `run_id`, as in the native envelope.
import type { ToolCall } from '../../src/call.js';
import {
  isPositiveInteger,
  isPrintableKey,
  MUST_BE_KEY,
  MUST_BE_MS,
} from '../../src/format/batch-options.js';
import { addFault, faultList, hasFaults, pointerTo } from '../../src/format/pointers.js';
import type { BatchRequest } from '../../src/gateway/gateway.js';
import { isObject } from '../../src/json/object.js';
import { usableTraceparent } from '../../src/telemetry/traceparent.js';

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

export interface CallOptions {
  readonly call: Pick<ToolCall, 'timeoutMs' | 'idempotencyKey'>;
  readonly batch: Pick<BatchRequest, 'deadlineMs' | 'runId' | 'traceparent'>;
  /** JSON Pointer -> what was expected; the call is then not executed. */
  readonly faults: Readonly<Record<string, string>> | undefined;
}

const EXPECTED: ReadonlyMap<string, string> = new Map([
  ['timeout_ms', MUST_BE_MS],
  ['deadline_ms', MUST_BE_MS],
  ['idempotency_key', MUST_BE_KEY],
  ['run_id', MUST_BE_KEY],
]);

/** Reads `_meta` of a request. */
export function readCallOptions(meta: Readonly<Record<string, unknown>> | undefined): CallOptions {
  const call: Mutable<CallOptions['call']> = {};
  const batch: Mutable<CallOptions['batch']> = {};
  const faults = faultList();
  const fault = (pointer: string, expected: string): void => {
    addFault(faults, `/_meta/toolgate${pointer}`, expected);
  };
  const traceparent = usableTraceparent(meta?.['traceparent']);
  if (traceparent !== undefined) batch.traceparent = traceparent;
  const own = meta?.['toolgate'];
  if (own !== undefined && !isObject(own)) fault('', 'must be an object');
  else {
    for (const [name, value] of Object.entries(own ?? {})) {
      if (name === 'timeout_ms' && isPositiveInteger(value)) call.timeoutMs = value;
      else if (name === 'deadline_ms' && isPositiveInteger(value)) batch.deadlineMs = value;
      else if (name === 'idempotency_key' && isPrintableKey(value)) call.idempotencyKey = value;
      else if (name === 'run_id' && isPrintableKey(value)) batch.runId = value;
      else fault(pointerTo(name), EXPECTED.get(name) ?? 'is not a known option');
    }
  }
  return { call, batch, faults: hasFaults(faults) ? faults : undefined };
}
