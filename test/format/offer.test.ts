// Tools as each provider declares them; strict schemas where nothing is lost that the tool accepts.
import { isSpecType } from '@modelcontextprotocol/server';
import { describe, expect, it } from 'vitest';
import type { JsonObject, ToolDefinition, ToolPolicy } from '../../src/call.js';
import { isOfferFormat, offerTools, type OfferFormat } from '../../src/format/index.js';
import { toMcpTool } from '../../src/format/mcp.js';
import { toStrictSchema } from '../../src/format/strict-schema.js';
import { toAlias, tool } from './helpers.js';

const schema: JsonObject = {
  type: 'object',
  properties: { city: { type: 'string' } },
  required: ['city'],
};
const closed = { ...schema, additionalProperties: false };
const description = 'The forecast of a city.';

describe('a tool in the form of', () => {
  it.each<[OfferFormat, unknown]>([
    [
      'openai',
      {
        type: 'function',
        function: { name: 'weather__forecast', description, parameters: closed, strict: true },
      },
    ],
    [
      'openai-responses',
      {
        type: 'function',
        name: 'weather__forecast',
        description,
        parameters: closed,
        strict: true,
      },
    ],
    ['anthropic', { name: 'weather__forecast', description, input_schema: closed, strict: true }],
    [
      'gemini',
      {
        functionDeclarations: [
          { name: 'weather__forecast', description, parametersJsonSchema: schema },
        ],
      },
    ],
    [
      'mcp',
      {
        name: 'weather.forecast',
        description,
        inputSchema: schema,
        annotations: { readOnlyHint: true, idempotentHint: true },
      },
    ],
  ])('%s', (format, expected) => {
    expect(isOfferFormat(format)).toBe(true);
    expect(offerTools(format, [tool()], toAlias)).toEqual({ tools: [expected], notes: [] });
    expect(offerTools(format, [], toAlias).notes).toEqual([]);
  });

  it.each(['native', 'xml', 'text', 'klingon', 'toString'])('%s there is none', (format) => {
    expect(isOfferFormat(format)).toBe(false);
  });

  describe('mcp, as the official types have it', () => {
    const { policy } = tool();
    const result = (given: Partial<ToolPolicy['result']>) => ({
      policy: { ...policy, result: { ...policy.result, ...given } },
    });
    const outputSchema = { type: 'object', properties: { a: { type: 'string' } } };

    it.each<[string, Partial<ToolDefinition>, object | undefined]>([
      ['a promised structure is declared', { outputSchema }, outputSchema],
      ['none is promised', {}, undefined],
      [
        'a promise that is only warned of is none',
        { outputSchema, ...result({ validation: 'warn' }) },
        undefined,
      ],
      [
        'a promise that a cut can break is none',
        { outputSchema, ...result({ onOversize: 'truncate' }) },
        undefined,
      ],
      ['arguments of two types', { inputSchema: { type: ['object', 'null'] } }, undefined],
      ['arguments of no type', { inputSchema: {} }, undefined],
    ])('%s', (_what, given, declared) => {
      const offer = offerTools('mcp', [tool(given)], toAlias);
      const [offered] = offer.tools as [Record<string, unknown>];
      expect(isSpecType.Tool(offered)).toBe(true);
      expect(offered['inputSchema']).toMatchObject({ type: 'object' });
      expect(offered['outputSchema']).toEqual(declared);
      expect(offer.notes).toEqual([]);
    });

    it.each([{ type: 'array' }, { type: ['object', 'null'] }, {}])(
      'a structure that need not be an object (%j) is for newer revisions only',
      (schema) => {
        const list = tool({ outputSchema: schema });
        const offer = offerTools('mcp', [list], toAlias);
        expect(offer.tools[0]).not.toHaveProperty('outputSchema');
        expect(offer.notes).toEqual([
          { tool: 'weather.forecast', at: '', note: expect.stringContaining('output schema') },
        ]);
        expect(toMcpTool(list).outputSchema).toEqual(schema);
      },
    );
  });
});

it('cuts descriptions that a provider would refuse, and says so', () => {
  const offer = offerTools('openai', [tool({ description: 'x'.repeat(2000) })], toAlias);
  expect(JSON.stringify(offer.tools)).toContain(`"${'x'.repeat(1024)}"`);
  expect(offer.notes).toEqual([
    { tool: 'weather.forecast', at: '', note: 'the description was cut to 1024 characters' },
  ]);
});

describe('strict mode', () => {
  const withProperty = (property: unknown, more: object = {}) => ({
    type: 'object',
    properties: { a: property },
    required: ['a'],
    ...more,
  });

  it.each<[string, JsonObject, string[]]>([
    [
      'string limits',
      withProperty({ type: 'string', minLength: 1, maxLength: 9 }),
      ['/properties/a/minLength', '/properties/a/maxLength'],
    ],
    [
      'a format it does not know',
      withProperty({ type: 'string', format: 'uri' }),
      ['/properties/a/format'],
    ],
    ['defaults', withProperty({ type: 'string', default: 'x' }), ['/properties/a/default']],
    [
      'conditions',
      withProperty({ type: 'string' }, { if: {}, then: {}, not: {} }),
      ['/if', '/then', '/not'],
    ],
    [
      'uniqueness',
      withProperty({ type: 'array', items: { type: 'string' }, uniqueItems: true }),
      ['/properties/a/uniqueItems'],
    ],
  ])('openai: %s are left out with a note', (_, given, dropped) => {
    const { schema: out, strict, notes } = toStrictSchema(given, 'openai');
    expect(strict).toBe(true);
    expect(notes.map(({ at }) => at)).toEqual(dropped);
    for (const pointer of dropped)
      expect(JSON.stringify(out)).not.toContain(`"${pointer.split('/').at(-1)}"`);
  });

  it.each<[string, JsonObject, string]>([
    [
      'an optional property',
      { type: 'object', properties: { a: { type: 'string' } } },
      '/properties/a',
    ],
    [
      'an optional property inside',
      withProperty({
        type: 'array',
        items: { type: 'object', properties: { b: { type: 'string' } } },
      }),
      '/properties/a/items/properties/b',
    ],
    [
      'a map',
      withProperty({ type: 'object', additionalProperties: { type: 'number' } }),
      '/properties/a/additionalProperties',
    ],
    [
      'open properties',
      withProperty({ type: 'string' }, { additionalProperties: true }),
      '/additionalProperties',
    ],
    ['any object', withProperty({ type: 'object' }), '/properties/a'],
    ['anything', withProperty({ description: 'whatever' }), '/properties/a'],
    ['a boolean schema', withProperty(true), '/properties/a'],
    ['allOf', withProperty({ allOf: [{ type: 'string' }] }), '/properties/a/allOf'],
    [
      'alternatives at the root',
      withProperty({ type: 'string' }, { anyOf: [{ type: 'object' }] }),
      '',
    ],
    ['a foreign reference', withProperty({ $ref: 'https://example.com/a' }), '/properties/a/$ref'],
  ])('openai: %s turns it off, and the schema stays whole', (_, given, at) => {
    const { schema: out, strict, notes } = toStrictSchema(given, 'openai');
    expect(strict).toBe(false);
    expect(out).toEqual(given);
    expect(notes.map((note) => note.at)).toContain(at);
    expect(notes.every(({ note }) => note.startsWith('strict mode is off: it '))).toBe(true);
  });

  it('closes every object and takes oneOf as anyOf', () => {
    const given = withProperty(
      { oneOf: [{ type: 'null' }, { type: 'object', properties: {} }] },
      { $schema: 'x', title: 'T' },
    );
    expect(toStrictSchema(given, 'openai')).toEqual({
      strict: true,
      notes: [],
      schema: {
        type: 'object',
        title: 'T',
        properties: {
          a: {
            anyOf: [
              { type: 'null' },
              { type: 'object', properties: {}, required: [], additionalProperties: false },
            ],
          },
        },
        required: ['a'],
        additionalProperties: false,
      },
    });
  });

  it('keeps references within the schema, for openai only', () => {
    const given = withProperty({ $ref: '#/$defs/b' }, { $defs: { b: { type: 'string' } } });
    expect(toStrictSchema(given, 'openai')).toMatchObject({
      strict: true,
      schema: { $defs: { b: { type: 'string' } } },
    });
    expect(toStrictSchema(given, 'anthropic').strict).toBe(false);
  });

  it('anthropic: takes optional properties, leaves number limits out', () => {
    const given = {
      type: 'object',
      properties: { a: { type: 'integer', minimum: 1, default: 2 } },
    };
    expect(toStrictSchema(given, 'anthropic')).toEqual({
      strict: true,
      notes: [{ at: '/properties/a/minimum', note: 'minimum was left out' }],
      schema: {
        type: 'object',
        properties: { a: { type: 'integer', default: 2 } },
        required: [],
        additionalProperties: false,
      },
    });
  });

  it('takes a tool without arguments', () => {
    expect(toStrictSchema({}, 'openai')).toEqual({
      strict: true,
      notes: [],
      schema: { type: 'object', properties: {}, required: [], additionalProperties: false },
    });
  });

  it('ends on schemas that are deep beyond sense', () => {
    let given: JsonObject = { type: 'string' };
    for (let i = 0; i < 500; i++) given = withProperty(given);
    expect(toStrictSchema(given, 'openai').strict).toBe(false);
  });
});
