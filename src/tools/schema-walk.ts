// A walk over the subschemas of a JSON Schema, through the keywords that hold schemas and no others:
// what stands in `enum`, `const`, `default` or `examples` is data.
import type { JsonObject } from '../call.js';
import { isObject } from '../json/object.js';

const ONE = [
  'additionalItems',
  'additionalProperties',
  'contains',
  'else',
  'if',
  'items',
  'not',
  'propertyNames',
  'then',
  'unevaluatedItems',
  'unevaluatedProperties',
] as const;
const MANY = ['allOf', 'anyOf', 'items', 'oneOf', 'prefixItems'] as const;
const NAMED = [
  '$defs',
  'definitions',
  'dependencies',
  'dependentSchemas',
  'patternProperties',
  'properties',
] as const;

/** Nesting of schemas beyond this is refused. */
const MAX_SCHEMA_DEPTH = 64;

/** Subschemas beyond this are refused. */
const MAX_SUBSCHEMAS = 20_000;

export class SchemaTooLarge extends Error {}

/** Calls `visit` for the schema and each subschema, with its place as JSON Pointer parts. */
export function walkSchema(
  root: JsonObject,
  visit: (schema: JsonObject, path: readonly string[]) => void,
): void {
  const path: string[] = [];
  let seen = 0;
  const descend = (key: string, value: unknown): void => {
    path.push(key);
    step(value);
    path.pop();
  };
  const step = (schema: unknown): void => {
    if (!isObject(schema)) return;
    if (path.length > 2 * MAX_SCHEMA_DEPTH || ++seen > MAX_SUBSCHEMAS) throw new SchemaTooLarge();
    visit(schema, path);
    for (const keyword of ONE) if (isObject(schema[keyword])) descend(keyword, schema[keyword]);
    for (const keyword of MANY) {
      const list = schema[keyword];
      if (!Array.isArray(list)) continue;
      path.push(keyword);
      list.forEach((item, index) => descend(String(index), item));
      path.pop();
    }
    for (const keyword of NAMED) {
      const map = schema[keyword];
      if (!isObject(map)) continue;
      path.push(keyword);
      for (const [name, item] of Object.entries(map)) descend(name, item);
      path.pop();
    }
  };
  step(root);
}
