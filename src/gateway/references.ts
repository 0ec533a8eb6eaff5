// `{"$from": id, "pointer": …}` in a call's arguments: a value out of an earlier call's result. A few
// characters name a result of any size, so what they bring into one call has a limit.
import type { JsonObject, ToolCall, ToolResult } from '../call.js';
import { readValue } from '../format/result-content.js';
import { escapePointerToken, pointerGet } from '../json/pointer.js';

const MAX_REFERENCE_DEPTH = 64;

/** Characters of JSON, about, that references may bring into one call. */
const MAX_REFERENCED_CHARS = 4 * 1_048_576;

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

/** The ids that a value refers to. */
export function referencesIn(value: unknown, depth = 0, found = new Set<string>()): Set<string> {
  if (typeof value !== 'object' || value === null || depth > MAX_REFERENCE_DEPTH) return found;
  if (isReference(value)) return found.add(value.$from);
  for (const member of Object.values(value)) referencesIn(member, depth + 1, found);
  return found;
}

export type Resolution =
  | { readonly ok: true; readonly call: ToolCall }
  | { readonly ok: false; readonly errors: Readonly<Record<string, string>> };

/** The call with every reference replaced by its value. Results are parsed only here. */
export function resolveReferences(
  call: ToolCall,
  results: ReadonlyMap<string, ToolResult>,
): Resolution {
  const errors: Record<string, string> = {};
  const values = new Map<string, unknown>();
  let charsLeft = MAX_REFERENCED_CHARS;
  const valueOf = (id: string): unknown => {
    const body = results.get(id)?.result ?? null;
    if (!values.has(id)) values.set(id, body === null ? null : readValue(body));
    return values.get(id);
  };
  const follow = ({ $from, pointer = '' }: Reference, path: string): unknown => {
    if (charsLeft < 0) return undefined;
    const { found, value } = pointerGet(valueOf($from), pointer);
    charsLeft = left(value, charsLeft);
    if (!found) {
      errors[path] = `the result it is taken from has nothing at "${pointer.slice(0, 100)}"`;
    } else if (charsLeft < 0) {
      errors[path] = `makes the arguments larger than ${MAX_REFERENCED_CHARS} characters`;
    }
    return value;
  };
  const replace = (value: unknown, path: string, depth: number): unknown => {
    if (typeof value !== 'object' || value === null || depth > MAX_REFERENCE_DEPTH) return value;
    if (isReference(value)) return follow(value, path);
    if (Array.isArray(value)) {
      return value.map((item, index) => replace(item, `${path}/${index}`, depth + 1));
    }
    return Object.fromEntries(
      Object.entries(value).map(([key, item]) => [
        key,
        replace(item, `${path}/${escapePointerToken(key)}`, depth + 1),
      ]),
    );
  };
  const args = replace(call.arguments, '', 0) as JsonObject;
  if (Object.keys(errors).length > 0) return { ok: false, errors };
  return { ok: true, call: { ...call, arguments: args } };
}

/** What is left of a number of characters once a value was written as JSON; negative: too little. */
function left(value: unknown, chars: number): number {
  if (typeof value === 'string') return chars - value.length;
  if (typeof value !== 'object' || value === null) return chars - 4;
  let rest = chars - 2;
  for (const key in value) {
    if (rest < 0) break;
    const nameChars = Array.isArray(value) ? 0 : key.length + 3;
    rest = left((value as JsonObject)[key], rest - nameChars - 1);
  }
  return rest;
}
