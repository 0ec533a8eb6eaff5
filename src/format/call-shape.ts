// The shapes in which models write calls as JSON when no API gives them one. Data that merely has a
// name in it is no call.
import type { JsonObject } from '../call.js';
import { isObject } from '../json/object.js';

/** A call inside a JSON value; pointers lead into that value. */
export interface ShapedCall {
  readonly at: string;
  readonly argumentsAt?: string;
  readonly id: unknown;
  readonly name: unknown;
  readonly args: unknown;
  readonly faults?: Readonly<Record<string, string>>;
}

const ARGUMENT_KEYS = [
  'arguments',
  'args',
  'parameters',
  'params',
  'input',
  'tool_input',
  'action_input',
];
/** Names that can only mean a call. */
const TOOL_KEYS = ['tool', 'tool_name', 'function', 'action'];
const LIST_KEYS = ['tool_calls', 'calls', 'function_calls'];
const WRAPPER_KEYS = ['tool_call', 'function_call', 'function'];
/** What may stand beside a call that has no arguments. */
const ASIDES = new Set(['id', 'type', 'thought', 'thoughts', 'reasoning', 'reason', 'explanation']);

function asCall(value: JsonObject, at: string): ShapedCall | undefined {
  const toolKey = TOOL_KEYS.find((key) => typeof value[key] === 'string');
  const argumentsKey = ARGUMENT_KEYS.find((key) => value[key] !== undefined);
  const nameKey =
    toolKey ??
    (argumentsKey !== undefined && typeof value['name'] === 'string' ? 'name' : undefined);
  if (nameKey === undefined) return undefined;
  const found = { at, id: value['id'], name: value[nameKey] };
  if (argumentsKey !== undefined) {
    return { ...found, argumentsAt: `${at}/${argumentsKey}`, args: value[argumentsKey] };
  }
  // A misspelt "arguments" must not run the tool with none.
  const strays = Object.keys(value).filter((key) => key !== nameKey && !ASIDES.has(key));
  if (strays.length === 0) return { ...found, args: undefined };
  return { ...found, args: undefined, faults: { '': 'must hold its arguments in "arguments"' } };
}

function inList(list: readonly unknown[], at: string): ShapedCall[] {
  const calls = list.map((item, i) => callsIn(item, `${at}/${i}`));
  if (calls.every((found) => found.length === 0)) return [];
  return calls.flatMap((found, i) =>
    found.length > 0
      ? found
      : {
          at: `${at}/${i}`,
          id: undefined,
          name: undefined,
          args: {},
          faults: { '': 'must be a call' },
        },
  );
}

/** The calls of a JSON value, in order: the value itself, the items of a list, what a wrapper holds. */
export function callsIn(value: unknown, at = ''): ShapedCall[] {
  if (Array.isArray(value)) return at.split('/').length > 4 ? [] : inList(value, at);
  if (!isObject(value)) return [];
  for (const key of LIST_KEYS) {
    if (Array.isArray(value[key])) return inList(value[key], `${at}/${key}`);
  }
  for (const key of WRAPPER_KEYS) {
    const inner = value[key];
    if (!isObject(inner)) continue;
    const call = asCall(inner, `${at}/${key}`);
    if (call !== undefined) return [{ ...call, id: call.id ?? value['id'] }];
  }
  const call = asCall(value, at);
  return call === undefined ? [] : [call];
}

const BROKEN_CALL = /^\{\s*"(tool|tool_name|function|action|name)"\s*:\s*("(?:[^"\\]|\\.){1,200}")/;

/** The tool that a broken piece of JSON was going to call, or undefined if it is no call. */
export function brokenCallName(piece: string): string | undefined {
  const [, key, quoted] = BROKEN_CALL.exec(piece) ?? [];
  if (quoted === undefined) return undefined;
  if (key === 'name' && !/"(?:arguments|args|parameters|params|input)"\s*:/.test(piece))
    return undefined;
  try {
    return JSON.parse(quoted) as string;
  } catch {
    return undefined;
  }
}
