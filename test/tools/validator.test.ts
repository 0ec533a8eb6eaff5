import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../src/call.js';
import { compileValidator } from '../../src/tools/validator.js';

function validatorOf(schema: JsonObject, trusted = true) {
  const compiled = compileValidator(schema, { trusted });
  if (!compiled.ok) throw new Error(compiled.problem);
  return compiled.validator;
}

function problemOf(schema: JsonObject, trusted = true): string {
  const compiled = compileValidator(schema, { trusted });
  return compiled.ok ? '' : compiled.problem;
}

const FORECAST = {
  type: 'object',
  properties: {
    city: { type: 'string', minLength: 1 },
    days: { type: 'integer', minimum: 1, maximum: 14 },
    unit: { enum: ['c', 'f'] },
    when: { type: 'string', format: 'date' },
    code: { type: 'string', pattern: '^[A-Z]{2}$' },
  },
  required: ['city'],
  additionalProperties: false,
};

describe('what does not fit, in words for a model', () => {
  test.each([
    [{ city: 'Oslo', days: 3 }, undefined],
    [{}, { '/city': 'is required' }],
    [{ city: 'Oslo', days: '3' }, { '/days': 'must be integer' }],
    [{ city: 'Oslo', days: 0 }, { '/days': 'must be >= 1' }],
    [{ city: '' }, { '/city': 'must NOT have fewer than 1 characters' }],
    [{ city: 'Oslo', unit: 'k' }, { '/unit': 'must be one of "c", "f"' }],
    [{ city: 'Oslo', when: 'soon' }, { '/when': 'must be a valid date' }],
    [{ city: 'Oslo', code: 'no' }, { '/code': 'must match the pattern ^[A-Z]{2}$' }],
    [{ city: 'Oslo', dys: 3 }, { '/dys': 'is not a known property; did you mean days?' }],
    [
      { city: 'Oslo', qqq: 3 },
      { '/qqq': 'is not a known property; known: city, days, unit, when, code' },
    ],
    [[], { '': 'must be object' }],
    [null, { '': 'must be object' }],
    [
      { days: 1.5, unit: 1 },
      {
        '/city': 'is required',
        '/days': 'must be integer',
        '/unit': 'must be one of "c", "f"',
      },
    ],
  ])('%j', (value, expected) => {
    expect(validatorOf(FORECAST).validate(value)).toEqual(expected);
  });

  test.each([
    [
      'an optional text',
      { anyOf: [{ type: 'string', minLength: 3 }, { type: 'null' }] },
      'a',
      'must NOT have fewer than 3 characters',
    ],
    [
      'neither type',
      { anyOf: [{ type: 'string' }, { type: 'null' }] },
      5,
      'must be string or null',
    ],
    [
      'two branches of the type',
      {
        oneOf: [
          { type: 'string', minLength: 3 },
          { type: 'string', pattern: '^x' },
        ],
      },
      'a',
      'must match exactly one of the alternatives of the schema',
    ],
    [
      'both branches',
      { oneOf: [{ type: 'string' }, { minLength: 1 }] },
      'a',
      'must match exactly one of the alternatives of the schema',
    ],
    ['a constant', { const: 5 }, 6, 'must be 5'],
    ['types', { type: ['string', 'null'] }, 6, 'must be string or null'],
    ['nothing allowed', false, 1, 'is not allowed'],
    [
      'duplicates',
      { uniqueItems: true },
      [
        { a: 1, b: 2 },
        { b: 2, a: 1 },
      ],
      'must NOT have duplicate items',
    ],
  ])('%s', (_, part, value, expected) => {
    const errors = validatorOf({ properties: { a: part } }).validate({ a: value });
    expect(errors).toEqual({ '/a': expected });
  });

  test('an optional object behind a reference: what is wrong with the object', () => {
    const schema = {
      properties: { a: { anyOf: [{ $ref: '#/$defs/place' }, { type: 'null' }] } },
      $defs: {
        place: { type: 'object', properties: { x: { type: 'number' } }, required: ['x', 'y'] },
      },
    };
    expect(validatorOf(schema).validate({ a: { x: 'no' } })).toEqual({
      '/a/y': 'is required',
      '/a/x': 'must be number',
    });
  });

  test('keys of the pointer are escaped', () => {
    const schema = {
      properties: { 'a/b': { properties: { 'c~d': { type: 'number' } } } },
      required: ['e/f'],
    };
    expect(validatorOf(schema).validate({ 'a/b': { 'c~d': 'x' } })).toEqual({
      '/e~1f': 'is required',
      '/a~1b/c~0d': 'must be number',
    });
  });

  test('at most 20 places', () => {
    const values = Array.from({ length: 100 }, () => 'x');
    const errors = validatorOf({ type: 'array', items: { type: 'number' } }).validate(values);
    expect(Object.keys(errors!)).toHaveLength(20);
  });

  test('a large value is told its first error only, without an error object for each', () => {
    const values = Array.from({ length: 200_000 }, () => 'x');
    const errors = validatorOf({ type: 'array', items: { type: 'number' } }).validate(values);
    expect(errors).toEqual({ '/0': 'must be number' });
  });
});

describe('a value is never repeated', () => {
  const SECRET = 'hunter2-secret';
  const KINDS: JsonObject[] = [
    { type: 'number' },
    { enum: ['a'] },
    { const: 'a' },
    { pattern: '^a$' },
    { format: 'date' },
    { maxLength: 1 },
    { anyOf: [{ type: 'number' }, { const: 1 }] },
    { oneOf: [{ type: 'number' }, { maxLength: 1 }] },
    { not: { type: 'string' } },
    { allOf: [{ type: 'number' }] },
    { if: { type: 'string' }, then: { maxLength: 1 } },
    { type: 'object' },
  ];
  test.each(KINDS.map((kind) => [JSON.stringify(kind), kind] as const))('%s', (_, kind) => {
    const errors = validatorOf({ properties: { a: kind } }).validate({ a: SECRET });
    expect(errors).toBeDefined();
    expect(JSON.stringify(errors)).not.toContain('hunter2');
  });

  test('names of properties are shown, cleaned and capped', () => {
    const name = `a\u202e\u0000b${'x'.repeat(5000)}`;
    const errors = validatorOf({ additionalProperties: false }).validate({ [name]: 1 })!;
    const [pointer] = Object.keys(errors);
    expect(pointer).toMatch(/^\/a\ufffd\ufffdbx+…$/u);
    expect(pointer!.length).toBeLessThanOrEqual(201);
  });
});

describe('dialects', () => {
  test.each([
    ['http://json-schema.org/draft-07/schema#'],
    ['http://json-schema.org/draft-07/schema'],
    ['https://json-schema.org/draft-07/schema#'],
    ['https://json-schema.org/draft/2019-09/schema'],
    ['https://json-schema.org/draft/2019-09/schema#'],
  ])('%s has lists of item schemas', ($schema) => {
    const validator = validatorOf({ $schema, items: [{ type: 'string' }] });
    expect(validator.validate([1])).toEqual({ '/0': 'must be string' });
  });

  test.each([
    [undefined],
    ['https://json-schema.org/draft/2020-12/schema'],
    ['http://json-schema.org/draft/2020-12/schema#'],
  ])('%s has prefixItems', ($schema) => {
    const schema = {
      ...($schema === undefined ? {} : { $schema }),
      prefixItems: [{ type: 'string' }],
    };
    expect(validatorOf(schema).validate([1])).toEqual({ '/0': 'must be string' });
  });

  test.each([
    ['http://json-schema.org/draft-04/schema#'],
    ['http://json-schema.org/draft-06/schema#'],
    ['http://json-schema.org/schema#'],
    ['https://example.com/my-dialect'],
    [''],
    [7],
  ])('%s is refused', ($schema) => {
    expect(problemOf({ $schema })).toMatch(/dialect is not supported/);
  });

  test('the list form of items in 2020-12 says what to do', () => {
    expect(problemOf({ items: [{ type: 'string' }] })).toMatch(/prefixItems/);
  });
});

describe('schemas that cannot be used', () => {
  test.each<[string, JsonObject, RegExp]>([
    [
      'an invalid keyword',
      { properties: { a: { type: 'integr' } } },
      /^\/properties\/a\/type: must be one of/,
    ],
    [
      'a reference to the network',
      { $ref: 'http://example.com/x.json' },
      /leads nowhere \(nothing is fetched\)/,
    ],
    ['a reference to nowhere', { $ref: '#/$defs/x' }, /leads nowhere/],
    ['$async', { $async: true }, /\$async is not supported/],
    ['an empty enum', { enum: [] }, /does not compile/],
    ['nullable without type', { nullable: true }, /does not compile/],
    ['a pattern that is none', { pattern: '(' }, /^\/pattern: the pattern is no valid/],
    ['nesting without end', nested(5000), /too large or nested too deeply/],
    [
      'too many subschemas',
      { anyOf: Array.from({ length: 25_000 }, () => ({ type: 'string' })) },
      /too large/,
    ],
  ])('%s', (_, schema, problem) => {
    expect(problemOf(schema)).toMatch(problem);
    expect(problemOf(schema, false)).toMatch(problem);
  });

  test.each<[string, JsonObject]>([
    [
      'unknown keywords',
      { 'x-mcp-header': 'a', foo: 1, properties: { a: { 'x-b': 1, format: 'nope' } } },
    ],
    [
      'a reference to the dialect itself',
      {
        $schema: 'http://json-schema.org/draft-07/schema#',
        properties: { a: { $ref: 'http://json-schema.org/draft-07/schema#' } },
      },
    ],
    [
      'a recursive one',
      { $ref: '#/$defs/n', $defs: { n: { properties: { next: { $ref: '#/$defs/n' } } } } },
    ],
    ['a dynamic one', { $dynamicAnchor: 'n', properties: { next: { $dynamicRef: '#n' } } }],
    [
      'schemas in data',
      { const: { pattern: '(' }, enum: [{ pattern: '(' }], default: { pattern: '(' } },
    ],
    [
      'an argument called pattern',
      { properties: { pattern: { type: 'string' }, $ref: { type: 'string' }, $async: {} } },
    ],
  ])('but these can: %s', (_, schema) => {
    expect(problemOf(schema)).toBe('');
    expect(problemOf(schema, false)).toBe('');
  });

  test('the same $id in several tools, and again after a reload', () => {
    const schema = () => ({
      $id: 'https://example.com/a',
      $defs: { b: { $id: 'b', type: 'string' } },
      properties: { x: { $ref: 'b' } },
    });
    for (let i = 0; i < 3; i++)
      expect(validatorOf(schema()).validate({ x: 1 })).toEqual({ '/x': 'must be string' });
  });

  function nested(levels: number): JsonObject {
    let schema: JsonObject = {};
    for (let i = 0; i < levels; i++) schema = { items: schema };
    return schema;
  }
});

describe('hostile values', () => {
  const LIST = { $ref: '#/$defs/n', $defs: { n: { properties: { n: { $ref: '#/$defs/n' } } } } };
  const deep = (levels: number) => {
    let value: unknown = {};
    for (let i = 1; i < levels; i++) value = { n: value };
    return value;
  };

  test('64 levels and no more, whatever the schema', () => {
    for (const schema of [LIST, {}]) {
      expect(validatorOf(schema).validate(deep(64))).toBeUndefined();
      expect(validatorOf(schema).validate(deep(65))).toEqual({
        '': 'must not be nested more than 64 levels deep',
      });
      expect(validatorOf(schema).validate(deep(20_000))).toHaveProperty(['']);
    }
  });

  test('inherited properties are not there', () => {
    const validator = validatorOf({
      required: ['toString'],
      properties: { constructor: { type: 'string' } },
    });
    expect(validator.validate({})).toEqual({ '/toString': 'is required' });
    expect(validator.validate({ toString: 1 })).toBeUndefined();
  });

  test('a key called __proto__ is a property like any other', () => {
    const value: unknown = JSON.parse('{"__proto__": {"city": "Oslo"}}');
    expect(validatorOf(FORECAST).validate(value)).toMatchObject({ '/city': 'is required' });
    const errors = validatorOf({ additionalProperties: false }).validate(value)!;
    expect(Object.keys(errors)).toEqual(['/__proto__']);
  });

  test('nothing is coerced, added or taken away', () => {
    const schema = {
      properties: { a: { type: 'number', default: 5 }, b: { type: 'array' }, c: { default: 1 } },
    };
    const value = { a: '1e3', b: 'all', d: 1 };
    expect(validatorOf(schema).validate(value)).toEqual({
      '/a': 'must be number',
      '/b': 'must be array',
    });
    expect(value).toEqual({ a: '1e3', b: 'all', d: 1 });
  });

  test('unique items of 100 000 objects take one pass', () => {
    const items = Array.from({ length: 100_000 }, (_, i) => ({ i }));
    expect(validatorOf({ uniqueItems: true }).validate(items)).toBeUndefined();
    expect(validatorOf({ uniqueItems: true }).validate([...items, { i: 5 }])).toBeDefined();
  });

  test('formats do not read on for ever', () => {
    const validator = validatorOf({ type: 'string', format: 'url' });
    expect(validator.validate('http://example.com/')).toBeUndefined();
    expect(validator.validate(`http://a${':'.repeat(1_000_000)}`)).toBeDefined();
  });

  test('a foreign schema that means endless work is stopped', () => {
    const twice = {
      properties: { n: { anyOf: [{ $ref: '#/$defs/n' }, { $ref: '#/$defs/n' }] } },
      required: ['x'],
    };
    const schema = { $ref: '#/$defs/n', $defs: { n: twice } };
    expect(validatorOf(schema, false).validate(deep(60))).toEqual({
      '': 'takes too much work to check against the schema',
    });
    expect(validatorOf(schema, false).validate({ x: 1 })).toBeUndefined();
    expect(validatorOf(schema, false).validate({})).toEqual({ '/x': 'is required' });
  });
});

test('agrees with the value itself: what fits passes, never throws', () => {
  const schema = {
    type: 'object',
    properties: { a: { type: 'array', uniqueItems: true, items: { type: ['integer', 'string'] } } },
  };
  const validator = validatorOf(schema);
  fc.assert(
    fc.property(
      fc.array(fc.oneof(fc.integer(), fc.string({ maxLength: 3 }), fc.boolean())),
      (a) => {
        const fits = a.every((item) => typeof item !== 'boolean') && new Set(a).size === a.length;
        expect(validator.validate({ a }) === undefined).toBe(fits);
      },
    ),
  );
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 5 }), (value) => {
      for (const [pointer, text] of Object.entries(validatorOf(FORECAST).validate(value) ?? {})) {
        expect(pointer === '' || pointer.startsWith('/')).toBe(true);
        expect(text).not.toBe('');
      }
    }),
  );
});
