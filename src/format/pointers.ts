// JSON Pointers as keys of fault lists: bounded, so that a hostile key cannot fill an answer.
import type { EnvelopeFault } from './wire-format.js';
import { escapePointerToken } from '../json/pointer.js';

const MAX_POINTER_CHARS = 256;

/** At most this many faults are named in one place. */
const MAX_FAULTS = 20;

/** One reference token, escaped (RFC 6901 §3), with its slash. */
export function pointerTo(key: string | number): string {
  return `/${bounded(escapePointerToken(String(key)))}`;
}

/** A pointer that is short enough to be shown. */
function bounded(pointer: string): string {
  return pointer.length <= MAX_POINTER_CHARS ? pointer : `${pointer.slice(0, MAX_POINTER_CHARS)}…`;
}

/** Faults by pointer; `null` as prototype, so that `__proto__` is a key like any other. */
export function faultList(): Record<string, string> {
  return Object.create(null) as Record<string, string>;
}

/** What is wrong with a place. What is dear to say is said only where it is noted. */
export type Problem = string | (() => string);

/** Notes a fault unless the list is full; the first word about a place stays. */
export function addFault(faults: Record<string, string>, pointer: string, problem: Problem): void {
  const key = bounded(pointer);
  if (key in faults || Object.keys(faults).length >= MAX_FAULTS) return;
  faults[key] = typeof problem === 'string' ? problem : problem();
}

/** Whether anything was noted; without building a list of it. */
export function hasFaults(faults: Readonly<Record<string, string>>): boolean {
  for (const _ in faults) return true;
  return false;
}

/** The refusal of a whole request; its message names the first fault. */
export function envelopeFault(errors: Readonly<Record<string, string>>): EnvelopeFault {
  const [pointer = '', problem = 'is not understood'] = Object.entries(errors)[0] ?? [];
  const message = `The request is faulty: ${pointer === '' ? 'it' : pointer} ${problem}`;
  return { ok: false, code: 'PARSER_INVALID_FORMAT', message, errors };
}
