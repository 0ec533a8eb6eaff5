// JSON Schemas in the configuration: valid by their own dialect, every finding at its place.
import type { ConfigPath } from '../faults.js';
import { isObject } from '../../json/object.js';
import { checkSchema } from '../validator.js';
import type { CheckContext } from './context.js';

export function checkJsonSchema(context: CheckContext, path: ConfigPath, schema: unknown): void {
  if (!isObject(schema)) return;
  const { problems, warnings } = checkSchema(schema, { trusted: true });
  for (const { pointer, text } of problems) {
    context.fault(
      [...path, ...stepsOf(schema, pointer)],
      text,
      'a valid JSON Schema of draft-07, 2019-09 or 2020-12',
    );
  }
  for (const { pointer, text } of warnings)
    context.warn([...path, ...stepsOf(schema, pointer)], text);
}

/** Arguments are an object, whatever the schema says. */
export function checkInputSchema(context: CheckContext, path: ConfigPath, schema: unknown): void {
  checkJsonSchema(context, path, schema);
  if (!isObject(schema)) return;
  const { type } = schema;
  const types: readonly unknown[] = Array.isArray(type) ? type : [type ?? 'object'];
  if (!types.includes('object'))
    context.fault([...path, 'type'], 'no arguments can match: they are an object', 'object');
}

/** JSON Pointer to steps; a number where the container is a list. */
function stepsOf(root: unknown, pointer: string): (string | number)[] {
  const steps: (string | number)[] = [];
  let value = root;
  for (const part of pointer.split('/').slice(1)) {
    const key = part.replaceAll('~1', '/').replaceAll('~0', '~');
    steps.push(Array.isArray(value) ? Number(key) : key);
    value = (value as Record<string, unknown> | undefined)?.[key];
  }
  return steps;
}
