// Order within a batch: `depends_on`, and `{"$from": id, "pointer": …}` that takes a value out of an
// earlier call's result. Faults of the graph are faults of the envelope, found before anything runs.
import type { JsonObject, ResultBody, ToolCall, ToolResult } from '../call.js';
import { pointerGet } from '../json/pointer.js';

/** Which calls (by position) each call waits for; empty arrays where none. */
export type DependencyGraph = readonly (readonly number[])[];

export type GraphResult =
  | { readonly ok: true; readonly graph: DependencyGraph | undefined }
  | { readonly ok: false; readonly errors: Readonly<Record<string, string>> };

const MAX_REFERENCE_DEPTH = 64;

/**
 * Builds the graph of a batch; `graph` is undefined where no call depends on another.
 *
 * @param mayReference false when the request text has no `$from` at all: arguments are not walked.
 */
export function dependencyGraph(calls: readonly ToolCall[], mayReference: boolean): GraphResult {
  const wanted = calls.map((call, index) => namedBy(call, index, mayReference));
  if (wanted.every((names) => names.size === 0)) return { ok: true, graph: undefined };
  const errors: Record<string, string> = {};
  const positions = new Map<string, number>();
  calls.forEach(({ id }, index) => {
    if (!positions.has(id)) positions.set(id, index);
    else errors[`/calls/${index}/id`] = 'is used before; with dependencies, ids must be unique';
  });
  const graph = wanted.map((names) =>
    [...names].flatMap(([id, place]) => {
      const position = positions.get(id);
      if (position !== undefined) return [position];
      errors[place] = 'names a call that is not in this batch';
      return [];
    }),
  );
  for (const index of waitingForever(graph)) {
    errors[`/calls/${index}/depends_on`] ??= 'waits in a circle: it can never start';
  }
  return Object.keys(errors).length > 0 ? { ok: false, errors } : { ok: true, graph };
}

/** The ids that a call waits for, each with the place that names it. */
function namedBy(call: ToolCall, index: number, mayReference: boolean): Map<string, string> {
  const names = new Map<string, string>();
  if (mayReference) {
    for (const id of references(call.arguments)) names.set(id, `/calls/${index}/arguments`);
  }
  call.dependsOn?.forEach((id, at) => names.set(id, `/calls/${index}/depends_on/${at}`));
  return names;
}

/** Kahn's algorithm: the positions of calls in a circle, or behind one. */
function waitingForever(graph: DependencyGraph): number[] {
  const waiting = graph.map((dependencies) => dependencies.length);
  const dependents: number[][] = graph.map(() => []);
  graph.forEach((dependencies, index) => {
    for (const dependency of dependencies) dependents[dependency]?.push(index);
  });
  const free = waiting.flatMap((count, index) => (count === 0 ? [index] : []));
  for (let index = free.pop(); index !== undefined; index = free.pop()) {
    for (const dependent of dependents[index] ?? []) {
      const left = (waiting[dependent] ?? 0) - 1;
      waiting[dependent] = left;
      if (left === 0) free.push(dependent);
    }
  }
  return waiting.flatMap((count, index) => (count > 0 ? [index] : []));
}

interface Reference {
  readonly $from: string;
  readonly pointer?: string;
}

/** An object of exactly `$from` and, optionally, `pointer`, both strings. */
function isReference(value: object): value is Reference {
  const { $from, pointer } = value as Partial<Record<keyof Reference, unknown>>;
  if (typeof $from !== 'string') return false;
  const keys = Object.keys(value).length;
  return keys === 1 || (keys === 2 && typeof pointer === 'string');
}

function references(value: unknown, depth = 0, found = new Set<string>()): Set<string> {
  if (typeof value !== 'object' || value === null || depth > MAX_REFERENCE_DEPTH) return found;
  if (isReference(value)) return found.add(value.$from);
  for (const member of Object.values(value)) references(member, depth + 1, found);
  return found;
}

export type Resolution =
  | { readonly ok: true; readonly call: ToolCall }
  | { readonly ok: false; readonly errors: Readonly<Record<string, string>> };

/** The call with every reference replaced by its value. */
export function resolveReferences(
  call: ToolCall,
  results: ReadonlyMap<string, ToolResult>,
): Resolution {
  const errors: Record<string, string> = {};
  const values = new Map<string, unknown>();
  const valueOf = (id: string): unknown => {
    if (!values.has(id)) values.set(id, bodyValue(results.get(id)?.result ?? null));
    return values.get(id);
  };
  const replace = (value: unknown, path: string, depth: number): unknown => {
    if (typeof value !== 'object' || value === null || depth > MAX_REFERENCE_DEPTH) return value;
    if (isReference(value)) {
      const pointer = value.pointer ?? '';
      const found = pointerGet(valueOf(value.$from), pointer);
      if (!found.found)
        errors[path] = `the result it is taken from has nothing at "${pointer.slice(0, 100)}"`;
      return found.value;
    }
    if (Array.isArray(value))
      return value.map((item, index) => replace(item, `${path}/${index}`, depth + 1));
    return Object.fromEntries(
      Object.entries(value).map(([key, item]) => [
        key,
        replace(item, `${path}/${escapeToken(key)}`, depth + 1),
      ]),
    );
  };
  const args = replace(call.arguments, '', 0) as JsonObject;
  if (Object.keys(errors).length > 0) return { ok: false, errors };
  return { ok: true, call: { ...call, arguments: args } };
}

function escapeToken(token: string): string {
  return token.replaceAll('~', '~0').replaceAll('/', '~1');
}

/** A result as a value; parsed only here, where something needs it. */
function bodyValue(body: ResultBody | null): unknown {
  if (body === null) return null;
  switch (body.kind) {
    case 'value':
      return body.value;
    case 'text':
      return body.text;
    case 'json':
      return JSON.parse(body.text) as unknown;
    case 'json-bytes':
      return JSON.parse(Buffer.concat(body.chunks).toString('utf8')) as unknown;
  }
}
