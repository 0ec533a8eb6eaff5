// The walk that spares a start the compiling of two large schemas: it may only say yes where ajv
// does, and must say yes to what people write.
import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { EVERYDAY_SCHEMA } from '../../src/tools/everyday-schema.js';
import { fits } from '../../src/tools/fits.js';
import { ConfigDocument } from '../../src/tools/schema/document.js';

const ajv = new Ajv2020({ strict: false, ownProperties: true, validateSchema: false });
const meta = (schema: unknown): boolean => ajv.validateSchema(schema as object) === true;

const weather = {
  type: 'object',
  title: 'Weather',
  properties: {
    city: { type: 'string', minLength: 1, maxLength: 80, pattern: '^[A-Z]', examples: ['Oslo'] },
    days: { type: ['integer', 'null'], minimum: 1, maximum: 14, default: 3 },
    unit: { enum: ['c', 'f'], description: 'Degrees.' },
    tags: { type: 'array', items: { type: 'string', format: 'uuid' }, uniqueItems: true },
    where: { anyOf: [{ const: 'here' }, { type: 'object', additionalProperties: true }] },
  },
  required: ['city'],
  additionalProperties: false,
};

const keyword = fc.constantFrom(
  ...['type', 'properties', 'items', 'required', 'enum', 'minimum', 'maxLength', 'multipleOf'],
  ...['anyOf', 'not', 'format', 'title', 'uniqueItems', 'prefixItems', '$ref', '$id', '__proto__'],
  ...['additionalProperties', 'pattern', 'x-own', 'contains', 'readOnly', 'const', 'minItems'],
);
const { schema: anySchema } = fc.letrec((tie) => ({
  schema: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constantFrom<unknown>(true, 0, -1, 1.5, 'string', 'nonsense', null, [], {}),
    fc.constantFrom<unknown>(['a', 'a'], ['string', 'null'], ['string', 'string'], [{}], 3, ''),
    fc.dictionary(keyword, tie('schema'), { maxKeys: 4 }),
    fc.dictionary(fc.constantFrom('a', 'b'), tie('schema'), { maxKeys: 2 }),
    fc.array(tie('schema'), { maxLength: 3 }),
  ),
}));

describe('an everyday schema', () => {
  it('is known without a validator', () => {
    expect(fits(EVERYDAY_SCHEMA, weather)).toBe(true);
    expect(fits(EVERYDAY_SCHEMA, { ...weather, $ref: '#/x' })).toBe(false);
  });

  it('is valid by the meta-schema of its dialect, whatever it is', () => {
    fc.assert(
      fc.property(anySchema, (schema) => {
        if (fits(EVERYDAY_SCHEMA, schema)) expect(meta(schema)).toBe(true);
      }),
      { numRuns: 5_000 },
    );
  });
});

const isValid = ajv.compile(ConfigDocument);
const yaml = (path: string): unknown =>
  parse(readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8'), { merge: true });
const full: unknown = {
  version: 1,
  server: { rate_limit: { requests: 5, per_ms: 1000 }, trust_proxy: ['10.0.0.0/8'] },
  clients: [{ id: 'a', key_sha256: 'a'.repeat(64), tools: ['x.*'], rate_limit: false }],
  defaults: { retry: { max_attempts: 2 }, breaker: false, bulkhead: null },
  tools: [
    {
      name: 'x.y',
      input_schema: weather,
      http: { url: 'https://a.example/{city}', headers: { 'x-a': 'b' }, query: { q: [1, null] } },
      errors: [
        { when: { status: [409, '5xx'], is_error: true }, then: { declined: 'no' } },
        { when: { body: { pointer: '/a/0', equals: null } }, then: { retry_after_ms: 0 } },
      ],
      idempotency: { header: 'x-key', ttl_ms: 60_000 },
    },
  ],
  mcp_servers: [{ name: 'm', command: ['node', 'x.mjs'], env: { A: 'b' } }],
};

/** Every way to the values inside. */
function places(value: unknown): (string | number)[][] {
  if (typeof value !== 'object' || value === null) return [[]];
  const entries = Object.entries(value as Record<string, unknown>);
  return [[], ...entries.flatMap(([key, inner]) => places(inner).map((way) => [key, ...way]))];
}

function replaced(value: unknown, [key, ...rest]: (string | number)[], by: unknown): unknown {
  if (key === undefined) return by;
  const copy = (
    Array.isArray(value) ? [...(value as unknown[])] : { ...(value as object) }
  ) as Record<string | number, unknown>;
  copy[key] = replaced(copy[key], rest, by);
  return copy;
}

describe('a configuration', () => {
  it.each(['toolgate.yaml', 'bench/gateway.yaml'])('%s fits', (path) => {
    expect(fits(ConfigDocument, yaml(path))).toBe(true);
  });

  it('fits where it is valid, and not where one value in it is wrong', () => {
    const values = [null, true, false, 0, -1, 1.5, 1e12, '', 'x', '5xx', [], ['x'], {}];
    expect(fits(ConfigDocument, full)).toBe(true);
    for (const place of places(full)) {
      for (const value of [...values, { unknown_key: 1 }]) {
        const changed = replaced(full, place, value);
        expect([place, value, fits(ConfigDocument, changed)]).toEqual([
          place,
          value,
          isValid(changed),
        ]);
      }
    }
  });
});
