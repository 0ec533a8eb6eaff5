// Faults that the strict JSON parser found in a body, sorted by whom they concern: those inside the
// arguments of one call are that call's, all others are the message's.
import type { JsonFault } from '../../src/json/parse.js';

type Faults = Record<string, string>;

export type SortedFaults =
  | { readonly ok: true; readonly argumentFaults: ReadonlyMap<unknown, Faults> }
  | { readonly ok: false; readonly errors: Faults };

const IN_ARGUMENTS = /^(?:\/(\d+))?\/params\/arguments(\/.*)?$/s;

/** Sorts the faults of one message, or of a batch of them. */
export function sortFaults(value: unknown, faults: readonly JsonFault[]): SortedFaults {
  const argumentFaults = new Map<unknown, Faults>();
  const errors: Faults = {};
  for (const { pointer, problem } of faults) {
    const match = IN_ARGUMENTS.exec(pointer);
    const message = match?.[1] === undefined ? value : (value as unknown[])[Number(match[1])];
    if (match === null) errors[pointer] = problem;
    else {
      const id = (message as { id?: unknown } | undefined)?.id;
      const known = argumentFaults.get(id) ?? {};
      argumentFaults.set(id, { ...known, [match[2] ?? '']: problem });
    }
  }
  return Object.keys(errors).length > 0 ? { ok: false, errors } : { ok: true, argumentFaults };
}
