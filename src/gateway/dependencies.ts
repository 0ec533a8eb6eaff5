// Order within a batch: which calls wait for which, by `depends_on` and by references to a result
// (`references.ts`). Faults of the graph are faults of the envelope, found before anything runs.
import type { ToolCall } from '../call.js';
import { addFault, faultList, hasFaults } from '../format/pointers.js';
import { referencesIn } from './references.js';

/** Which calls (by position) each call waits for; empty arrays where none. */
export type DependencyGraph = readonly (readonly number[])[];

export type GraphResult =
  | { readonly ok: true; readonly graph: DependencyGraph | undefined }
  | { readonly ok: false; readonly errors: Readonly<Record<string, string>> };

const MUST_BE_UNIQUE = 'is used before; with dependencies, ids must be unique';

const NO_GRAPH: GraphResult = { ok: true, graph: undefined };

/**
 * Builds the graph of a batch; `graph` is undefined where no call depends on another.
 *
 * @param mayReference false when the request text has no `$from` at all: arguments are not walked.
 */
export function dependencyGraph(calls: readonly ToolCall[], mayReference: boolean): GraphResult {
  if (!mayReference && calls.every(({ dependsOn }) => dependsOn === undefined)) return NO_GRAPH;
  const wanted = calls.map((call, index) => namedBy(call, index, mayReference));
  if (wanted.every((names) => names.size === 0)) return NO_GRAPH;
  const errors = faultList();
  const positions = new Map<string, number>();
  calls.forEach(({ id }, index) => {
    if (!positions.has(id)) positions.set(id, index);
    else addFault(errors, `/calls/${index}/id`, MUST_BE_UNIQUE);
  });
  const graph = wanted.map((names) =>
    [...names].flatMap(([id, place]) => {
      const position = positions.get(id);
      if (position !== undefined) return [position];
      addFault(errors, place, 'names a call that is not in this batch');
      return [];
    }),
  );
  const startable = new Set(startOrder(graph));
  graph.forEach((_dependencies, index) => {
    if (startable.has(index)) return;
    addFault(errors, `/calls/${index}/depends_on`, 'waits in a circle: it can never start');
  });
  return hasFaults(errors) ? { ok: false, errors } : { ok: true, graph };
}

/** The ids that a call waits for, each with the place that names it. */
function namedBy(call: ToolCall, index: number, mayReference: boolean): Map<string, string> {
  const names = new Map<string, string>();
  if (mayReference) {
    for (const id of referencesIn(call.arguments)) names.set(id, `/calls/${index}/arguments`);
  }
  call.dependsOn?.forEach((id, at) => names.set(id, `/calls/${index}/depends_on/${at}`));
  return names;
}

/**
 * Kahn's algorithm: the positions of the calls, each after all that it waits for, else as submitted.
 * Calls in a circle, or behind one, are not among them.
 */
export function startOrder(graph: DependencyGraph): number[] {
  const waiting = graph.map((dependencies) => dependencies.length);
  const dependents: number[][] = graph.map(() => []);
  graph.forEach((dependencies, index) => {
    for (const dependency of dependencies) dependents[dependency]?.push(index);
  });
  const order = waiting.flatMap((count, index) => (count === 0 ? [index] : []));
  // Grows while it is walked.
  for (const index of order) {
    for (const dependent of dependents[index] ?? []) {
      const left = (waiting[dependent] ?? 0) - 1;
      waiting[dependent] = left;
      if (left === 0) order.push(dependent);
    }
  }
  return order;
}
