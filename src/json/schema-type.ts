// Builds JSON Schemas with typebox's types and without typebox: a start would load four hundred
// files of it for a few plain objects.
import type { TSchema, Type as Library } from 'typebox';

export type { Static, TLiteral, TNull, TObject, TProperties, TUnion } from 'typebox';

type Kinds =
  | 'Array'
  | 'Boolean'
  | 'Enum'
  | 'Integer'
  | 'Literal'
  | 'Null'
  | 'Number'
  | 'Object'
  | 'Optional'
  | 'Record'
  | 'String'
  | 'Union'
  | 'Unknown'
  | 'Unsafe';

/** Properties that `Optional` made: an object does not require them. */
const optional = new WeakSet<object>();

const ofType =
  (type: string) =>
  (options?: object): TSchema => ({ type, ...options });

function objectOf(properties: Record<string, object>, options?: object): TSchema {
  const required = Object.keys(properties).filter((key) => !optional.has(properties[key] ?? {}));
  return {
    type: 'object',
    ...(required.length > 0 && { required }),
    properties,
    ...options,
  };
}

function optionalOf(schema: object): TSchema {
  const copy = { ...schema };
  optional.add(copy);
  return copy;
}

const builders = {
  Array: (items: object, options?: object) => ({ type: 'array', items, ...options }),
  Boolean: ofType('boolean'),
  Enum: (values: readonly unknown[], options?: object) => ({ enum: values, ...options }),
  Integer: ofType('integer'),
  Literal: (value: unknown, options?: object) => ({
    type: typeof value,
    const: value,
    ...options,
  }),
  Null: ofType('null'),
  Number: ofType('number'),
  Object: objectOf,
  Optional: optionalOf,
  Record: (_key: object, values: object, options?: object) => ({
    type: 'object',
    patternProperties: { '^.*$': values },
    ...options,
  }),
  String: ofType('string'),
  Union: (anyOf: readonly object[], options?: object) => ({ anyOf, ...options }),
  Unknown: (options?: object) => ({ ...options }),
  Unsafe: (schema: object) => ({ ...schema }),
};

/** What the schemas of configuration and routes are written in. */
export const Type = builders as unknown as Pick<typeof Library, Kinds>;
