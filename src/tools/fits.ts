// Whether a value fits a schema, found by walking both: for the two large schemas that every start
// needs, where the validator's code would take longer to make than to run. It says yes or does not
// know; who wants reasons, or uses a keyword that is not here, asks ajv.
import { isObject } from '../json/object.js';

/** A schema of the keywords below; it may contain itself. */
export type Schema = object;

type Check = (value: unknown, given: never, schema: Record<string, unknown>) => boolean;

const patterns = new Map<string, RegExp>();

function matches(text: string, pattern: string): boolean {
  let compiled = patterns.get(pattern);
  if (compiled === undefined) {
    compiled = new RegExp(pattern, 'u');
    patterns.set(pattern, compiled);
  }
  return compiled.test(text);
}

function isOfType(value: unknown, type: string): boolean {
  switch (type) {
    case 'object':
      return isObject(value);
    case 'array':
      return Array.isArray(value);
    case 'null':
      return value === null;
    case 'integer':
      return Number.isInteger(value);
    case 'number':
      return Number.isFinite(value);
    default:
      return typeof value === type;
  }
}

const isPrimitive = (value: unknown): boolean => typeof value !== 'object' || value === null;

/** Members that no key of `properties` and no pattern names. */
function additional(value: object, { properties, patternProperties }: Record<string, unknown>) {
  const known = isObject(properties) ? properties : {};
  const named = Object.keys(isObject(patternProperties) ? patternProperties : {});
  return Object.entries(value).filter(
    ([key]) => !Object.hasOwn(known, key) && !named.some((pattern) => matches(key, pattern)),
  );
}

const CHECKS: Readonly<Record<string, Check>> = {
  type: (value, type: string) => isOfType(value, type),
  const: (value, only: unknown) => isPrimitive(only) && value === only,
  enum: (value, allowed: readonly unknown[]) => isPrimitive(value) && allowed.includes(value),
  anyOf: (value, schemas: readonly Schema[]) => schemas.some((schema) => fits(schema, value)),
  minimum: (value, limit: number) => typeof value !== 'number' || value >= limit,
  maximum: (value, limit: number) => typeof value !== 'number' || value <= limit,
  exclusiveMinimum: (value, limit: number) => typeof value !== 'number' || value > limit,
  // Characters count, and one may be two units long.
  minLength: (value, limit: number) => typeof value !== 'string' || value.length >= 2 * limit - 1,
  pattern: (value, pattern: string) => typeof value !== 'string' || matches(value, pattern),
  minItems: (value, limit: number) => !Array.isArray(value) || value.length >= limit,
  uniqueItems: (value) =>
    !Array.isArray(value) ||
    (value.every(isPrimitive) && new Set<unknown>(value).size === value.length),
  items: (value, schema: Schema) =>
    !Array.isArray(value) || value.every((item) => fits(schema, item)),
  required: (value, keys: readonly string[]) =>
    !isObject(value) || keys.every((key) => Object.hasOwn(value, key)),
  properties: (value, schemas: Readonly<Record<string, Schema>>) =>
    !isObject(value) ||
    Object.keys(value).every(
      (key) => !Object.hasOwn(schemas, key) || fits(schemas[key] ?? {}, value[key]),
    ),
  patternProperties: (value, schemas: Readonly<Record<string, Schema>>) =>
    !isObject(value) ||
    Object.entries(schemas).every(([pattern, schema]) =>
      Object.keys(value).every((key) => !matches(key, pattern) || fits(schema, value[key])),
    ),
  additionalProperties: (value, schema: Schema | false, parent) =>
    !isObject(value) ||
    additional(value, parent).every(([, member]) => schema !== false && fits(schema, member)),
};

/** Keywords that ask for nothing. */
const NOTES = new Set(['default', 'description', 'expected']);

/** True where the value fits for certain. Never throws for a value that JSON can carry. */
export function fits(schema: Schema, value: unknown): boolean {
  for (const keyword in schema) {
    if (NOTES.has(keyword)) continue;
    const check = CHECKS[keyword];
    const given = (schema as Record<string, unknown>)[keyword];
    if (check?.(value, given as never, schema as Record<string, unknown>) !== true) return false;
  }
  return true;
}
