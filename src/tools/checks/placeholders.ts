// `{argument}` placeholders: which names a text uses, and whether the tool has such arguments.
import type { JsonObject } from '../../call.js';
import type { ConfigPath } from '../faults.js';
import { showKey } from '../faults.js';
import { isObject } from '../../json/object.js';
import { didYouMean } from '../similar.js';
import type { CheckContext } from './context.js';

const PLACEHOLDER = /\{([A-Za-z_$][\w$.-]*)\}/g;

/** Names of the arguments that a schema has; undefined when it does not say. */
export function argumentNames(schema: unknown): readonly string[] | undefined {
  if (!isObject(schema)) return undefined;
  if (isObject(schema['properties'])) return Object.keys(schema['properties']);
  return schema['additionalProperties'] === false ? [] : undefined;
}

export function placeholdersIn(text: string): string[] {
  return [...text.matchAll(PLACEHOLDER)].map((match) => match[1] ?? '');
}

/** A fault for a placeholder that no argument fills. */
export function checkPlaceholder(
  context: CheckContext,
  path: ConfigPath,
  name: string,
  known: readonly string[] | undefined,
): void {
  if (known === undefined || known.includes(name)) return;
  const meant = didYouMean(name, known);
  const hint = meant === undefined ? '' : `; did you mean {${showKey(meant)}}?`;
  const expected =
    known.length === 0 ? 'no placeholder' : `one of ${known.slice(0, 20).map(showKey).join(', ')}`;
  context.fault(path, `{${showKey(name)}} is no argument of the input_schema${hint}`, expected);
}

/**
 * Placeholders anywhere in a value. A text that is one placeholder must name an argument. Within a
 * longer text of a body, `{word}` that names none is sent as it is (GraphQL is full of them).
 */
export function checkTree(
  context: CheckContext,
  path: ConfigPath,
  value: unknown,
  known: readonly string[] | undefined,
  lenient = false,
): void {
  if (typeof value === 'string') {
    const names = placeholdersIn(value);
    const whole = names.length === 1 && value.length === (names[0]?.length ?? 0) + 2;
    if (whole || !lenient) for (const name of names) checkPlaceholder(context, path, name, known);
  } else if (Array.isArray(value)) {
    value.forEach((item, index) => checkTree(context, [...path, index], item, known, lenient));
  } else if (isObject(value)) {
    checkMembers(context, path, value, known, lenient);
  }
}

function checkMembers(
  context: CheckContext,
  path: ConfigPath,
  value: JsonObject,
  known: readonly string[] | undefined,
  lenient: boolean,
): void {
  for (const [key, member] of Object.entries(value))
    checkTree(context, [...path, key], member, known, lenient);
}
