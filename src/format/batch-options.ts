// What a request asks of the whole batch: `deadline_ms`, `run_id`, `return_order`, `envelope`.
// They stand in the native envelope itself, beside a model's words in "toolgate", or in the query.
import type { JsonObject } from '../call.js';
import { addFault, pointerTo, type Problem } from './pointers.js';
import { unknownField } from './nearest.js';
import type { BatchOptions } from './wire-format.js';

const NAMES = ['deadline_ms', 'run_id', 'return_order', 'envelope'] as const;
const QUERY_NAMES = [...NAMES, 'format'];

/** Longest `run_id` and `idempotency_key`, characters. */
const MAX_KEY_CHARS = 256;

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/** What faults say was expected instead. */
export const MUST_BE_MS = 'must be a positive integer (milliseconds)';
export const MUST_BE_KEY = 'must be 1 to 256 printable characters';

/** Whether a value is a whole number of milliseconds above zero. */
export function isPositiveInteger(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) > 0;
}

/** Whether a value is a text of 1 to 256 characters without control characters. */
export function isPrintableKey(value: unknown): value is string {
  if (typeof value !== 'string' || value.length === 0 || value.length > MAX_KEY_CHARS) return false;
  for (let i = 0; i < value.length; i++) {
    const unit = value.charCodeAt(i);
    if (unit < 0x20 || (unit >= 0x7f && unit < 0xa0)) return false;
  }
  return true;
}

/**
 * Takes one option; returns what was expected instead, or undefined when it was taken.
 * `null` stands for absent.
 */
export function takeOption(
  into: Mutable<BatchOptions>,
  name: string,
  value: unknown,
): Problem | undefined {
  if (value === null || value === undefined) return undefined;
  switch (name) {
    case 'deadline_ms':
      if (!isPositiveInteger(value)) return MUST_BE_MS;
      into.deadlineMs = value;
      return undefined;
    case 'run_id':
      if (!isPrintableKey(value)) return MUST_BE_KEY;
      into.runId = value;
      return undefined;
    case 'return_order':
      if (value !== 'submission' && value !== 'completion')
        return 'must be "submission" or "completion"';
      into.returnOrder = value;
      return undefined;
    case 'envelope':
      if (value !== 'none') return 'must be "none"';
      into.envelope = value;
      return undefined;
    default:
      return unknownField(name, NAMES);
  }
}

/** Options from the query, where numbers are digits. Faults are keyed `?name`. */
export function optionsFromQuery(
  query: Readonly<Record<string, string | undefined>>,
  faults: Record<string, string>,
): Mutable<BatchOptions> {
  const options: Mutable<BatchOptions> = { returnOrder: 'submission' };
  for (const name in query) {
    if (name === 'format') continue;
    const text = query[name];
    const value = name === 'deadline_ms' && /^\d{1,15}$/.test(text ?? '') ? Number(text) : text;
    const problem = (NAMES as readonly string[]).includes(name)
      ? takeOption(options, name, value)
      : unknownField(name, QUERY_NAMES);
    if (problem !== undefined) addFault(faults, `?${name}`, problem);
  }
  return options;
}

/** Options from the object that stands at `at` in the body; they win over the query. */
export function optionsFromObject(
  into: Mutable<BatchOptions>,
  object: JsonObject,
  at: string,
  faults: Record<string, string>,
): void {
  for (const name in object) {
    const problem = takeOption(into, name, object[name]);
    if (problem !== undefined) addFault(faults, at + pointerTo(name), problem);
  }
}
