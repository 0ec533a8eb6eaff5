// The JSON Schema of everyday JSON Schemas: what nearly every tool's schema is made of, in 2020-12.
// Narrower than the dialect's own meta-schema, so that what fits here is valid there.
import type { Schema } from './fits.js';

const text = { type: 'string' };
const flag = { type: 'boolean' };
const count = { type: 'integer', minimum: 0 };
const number = { type: 'number' };
const typeName = {
  enum: ['array', 'boolean', 'integer', 'null', 'number', 'object', 'string'],
};
const properties: Record<string, Schema> = {};
const schema = { anyOf: [{ type: 'object', properties, additionalProperties: false }, flag] };
const schemas = { type: 'array', minItems: 1, items: schema };

Object.assign(properties, {
  $comment: text,
  additionalProperties: schema,
  allOf: schemas,
  anyOf: schemas,
  const: {},
  default: {},
  deprecated: flag,
  description: text,
  enum: { type: 'array' },
  examples: { type: 'array' },
  exclusiveMaximum: number,
  exclusiveMinimum: number,
  format: text,
  items: schema,
  maxItems: count,
  maxLength: count,
  maxProperties: count,
  maximum: number,
  minItems: count,
  minLength: count,
  minProperties: count,
  minimum: number,
  multipleOf: { type: 'number', exclusiveMinimum: 0 },
  not: schema,
  oneOf: schemas,
  pattern: text,
  prefixItems: schemas,
  properties: { type: 'object', additionalProperties: schema },
  readOnly: flag,
  required: { type: 'array', items: text, uniqueItems: true },
  title: text,
  type: { anyOf: [typeName, { type: 'array', minItems: 1, items: typeName, uniqueItems: true }] },
  uniqueItems: flag,
  writeOnly: flag,
});

/** What an everyday schema fits; the keywords are in `inspectSchema`'s list of those, too. */
export const EVERYDAY_SCHEMA: Schema = schema;
