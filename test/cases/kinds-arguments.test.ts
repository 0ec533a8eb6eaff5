// Arguments: what is no JSON, what is JSON and wrong, what must pass untouched; where they end up in a
// URL; and that a fault in one call is that call's own.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Harness, startHarness } from '../support/harness.js';
import {
  type Expected,
  expectInfo,
  fails,
  ok,
  type Row,
  row,
  runRows,
  succeeds,
  toolEntry,
  type ToolConfig,
  Upstream,
} from './table.js';

const FORECAST: ToolConfig = {
  method: 'POST',
  input_schema: {
    type: 'object',
    required: ['city'],
    additionalProperties: false,
    properties: {
      city: { type: 'string', minLength: 1, maxLength: 20 },
      days: { type: 'integer', minimum: 1, maximum: 14 },
      units: { enum: ['metric', 'imperial'] },
      from: { type: 'string', format: 'date' },
      tags: { type: 'array', items: { type: 'string' }, maxItems: 3 },
      place: { type: 'object', required: ['lat'], properties: { lat: { type: 'number' } } },
      exact: { type: 'boolean' },
      code: { type: 'string', pattern: '^[A-Z]{3}$' },
    },
  },
};

function refused(name: string, args: unknown, at?: string): Row {
  return row(
    name,
    FORECAST,
    ok,
    fails('TOOL_ARGUMENT_ERROR', false, 'not_sent', {
      requests: 0,
      attempts: 0,
      breaker: 'neutral',
      secret: ['CANARY'],
      details: {
        validation_type: 'arguments',
        classified_by: 'gateway',
        transient: false,
        ...(at !== undefined && { errors: { [at]: expect.any(String) } }),
      },
    }),
    { args },
  );
}

const taken = (name: string, args: unknown, tool: ToolConfig = FORECAST): Row =>
  row(name, tool, ok, succeeds({ fine: true }), { args });

const city = { city: 'Oslo' };

const FREE: ToolConfig = { method: 'POST' };

runRows({
  'text that is no JSON object': [
    refused('cut off', '{"city": "Os'),
    refused('a brace too many', '{"city":"Oslo"}}'),
    refused('words after it', '{"city":"Oslo"} thanks!'),
    refused('words before it', 'Sure: {"city":"Oslo"}'),
    refused('single quotes', "{'city':'Oslo'}"),
    refused('no quotes', '{city: "Oslo"}'),
    refused('a trailing comma', '{"city":"Oslo",}'),
    refused('a comment', '{"city":"Oslo"/* here */}'),
    refused('NaN', '{"city":"Oslo","days":NaN}'),
    refused('Python', '{"city":"Oslo","exact":True}'),
    refused('a fence', '```json\n{"city":"Oslo"}\n```'),
    refused('a raw line break in a text', '{"city":"Os\nlo"}'),
    refused('undefined', 'undefined'),
    refused('[object Object]', '[object Object]'),
    refused('empty, and the schema asks for more', ''),
    refused('white space, and the schema asks for more', ' \n'),
    refused('a list', '[{"city":"Oslo"}]'),
    refused('a number', '42'),
    refused('true', 'true'),
    refused('null as a text, and the schema asks for more', 'null'),
    refused('a text in a text', '"Oslo"'),
    refused('a prototype', '{"city":"Oslo","__proto__":{"admin":true}}'),
    refused(
      'a prototype by the constructor',
      '{"city":"Oslo","constructor":{"prototype":{"admin":true}}}',
    ),
    refused('20 000 levels', `{"city":${'['.repeat(20_000)}${']'.repeat(20_000)}}`),
    refused('a canary in broken JSON', '{"city":"CANARY'),
  ],

  'JSON of another shape': [
    refused('a list', [city]),
    refused('a number', 7),
    refused('false', false),
    refused('null', null),
    refused('nothing', undefined),
  ],

  'against the schema': [
    refused('missing', {}),
    refused('missing beside another', { days: 3 }),
    refused('a number for a text', { city: 5 }, '/city'),
    refused('null for a text', { city: null }, '/city'),
    refused('a list for a text', { city: ['CANARY'] }, '/city'),
    refused('an object for a text', { city: { name: 'CANARY' } }, '/city'),
    refused('an empty text', { city: '' }, '/city'),
    refused('too long a text', { city: 'CANARY'.repeat(5) }, '/city'),
    refused('a text for a number', { ...city, days: '3' }, '/days'),
    refused('a text CANARY for a number', { ...city, days: 'CANARY' }, '/days'),
    refused('a fraction', { ...city, days: 1.5 }, '/days'),
    refused('too small', { ...city, days: 0 }, '/days'),
    refused('too large', { ...city, days: 15 }, '/days'),
    refused('true for a number', { ...city, days: true }, '/days'),
    refused('null where it is optional', { ...city, days: null }, '/days'),
    refused('no word of the list', { ...city, units: 'kelvin' }, '/units'),
    refused('a word of the list in capitals', { ...city, units: 'METRIC' }, '/units'),
    refused('no date', { ...city, from: 'tomorrow' }, '/from'),
    refused('a date that does not exist', { ...city, from: '2026-02-30' }, '/from'),
    refused('an item', { ...city, tags: ['a', 1] }, '/tags/1'),
    refused('too many items', { ...city, tags: ['a', 'b', 'c', 'd'] }, '/tags'),
    refused('one text for a list', { ...city, tags: 'a' }, '/tags'),
    refused('a list as a text', { ...city, tags: '["a"]' }, '/tags'),
    refused('deeper', { ...city, place: { lat: 'CANARY' } }, '/place/lat'),
    refused('missing deeper', { ...city, place: {} }),
    refused('"true" for true', { ...city, exact: 'true' }, '/exact'),
    refused('no match', { ...city, code: 'osl CANARY' }, '/code'),
    refused('unknown', { ...city, town: 'CANARY' }),
    refused('another case', { City: 'Oslo' }),
    row(
      'required, and every object has it by its prototype',
      { ...FREE, input_schema: { type: 'object', required: ['toString'] } },
      ok,
      fails('TOOL_ARGUMENT_ERROR', false, 'not_sent', { requests: 0 }),
      { args: {} },
    ),
  ],

  'taken as it is': [
    taken('an object', { city: 'Oslo', days: 14, units: 'metric', from: '2026-02-28', tags: [] }),
    taken('a text of it', '{"city":"Oslo"}'),
    taken('a text of it with white space', '\n {"city" : "Oslo"}\t'),
    taken('encoded twice', JSON.stringify('{"city":"Oslo"}')),
    taken('14.0 is a whole number', '{"city":"Oslo","days":14.0}'),
    taken('1e1 is a whole number', '{"city":"Oslo","days":1e1}'),
    taken('null, where nothing is asked for', null, FREE),
    taken('nothing, where nothing is asked for', undefined, FREE),
    taken('an empty object as a text', '{}', FREE),
    taken('emoji and escapes', '{"city":"Troms\\u00f8 \\ud83c\\udf28"}'),
  ],
});

describe('what the upstream gets', () => {
  const upstream = new Upstream();
  let harness: Harness;

  beforeAll(async () => {
    const host = await upstream.listen();
    const names = ['body', 'path', 'header', 'typed', 'query', 'other'];
    for (const name of names) upstream.script(name, ok);
    harness = await startHarness({
      defaults: { breaker: false, retry: false },
      tools: [
        toolEntry('body', FREE, host),
        toolEntry(
          'path',
          {
            method: 'GET',
            path: '/v1/{city}/now',
            input_schema: { type: 'object', properties: { city: { type: 'string' } } },
          },
          host,
        ),
        toolEntry(
          'header',
          {
            method: 'GET',
            http: { headers: { 'x-user': '{user}' } },
            input_schema: { type: 'object', properties: { user: { type: 'string' } } },
          },
          host,
        ),
        toolEntry(
          'typed',
          {
            method: 'POST',
            http: { body: { n: '{days}', text: 'for {days} days', maybe: '{units}', fixed: 1 } },
            input_schema: {
              type: 'object',
              properties: { days: { type: 'integer' }, units: { type: 'string' } },
            },
          },
          host,
        ),
        toolEntry(
          'query',
          {
            method: 'GET',
            http: { query: { d: '{days}', u: '{units}' } },
            input_schema: {
              type: 'object',
              properties: { days: { type: 'integer' }, units: { type: 'string' } },
            },
          },
          host,
        ),
        toolEntry('other', { method: 'GET' }, host),
      ],
    });
  });

  afterAll(async () => {
    await harness.close();
    await upstream.close();
  });

  const lastOf = (name: string) => upstream.received(name).at(-1)!;

  it.each([
    ['a text that looks like JSON', { note: '[1]', more: '{"a":1}' }],
    ['a large number as a text', { id: '12345678901234567890' }],
    ['texts that look like numbers', { zip: '01234', exp: '1e3' }],
    ['null, false, 0 and empty', { a: null, b: false, c: 0, d: '', e: [], f: {} }],
    ['odd names', { 'a.b': 1, 'c/d': 2, '': 3, ü: 4 }],
    ['a placeholder is not filled in again', { text: '{city} ${HOME}' }],
  ])('%s arrives untouched', async (_name, args) => {
    expect((await harness.callOne('body', args)).status).toBe('ok');
    expect(JSON.parse(lastOf('body').body)).toEqual(args);
  });

  it.each([
    ['a/b?x=1#y', '/v1/a%2Fb%3Fx%3D1%23y/now'],
    ['%2F..%2F', '/v1/%252F..%252F/now'],
    ['Zürich süd', '/v1/Z%C3%BCrich%20s%C3%BCd/now'],
    ['@evil.example', '/v1/%40evil.example/now'],
    ['\\..\\', '/v1/%5C..%5C/now'],
    ['a:b;c=d&e', '/v1/a%3Ab%3Bc%3Dd%26e/now'],
  ])('%s stays one segment of the path', async (text, url) => {
    expect((await harness.callOne('path', { city: text })).status).toBe('ok');
    expect(decodeURIComponent(lastOf('path').url)).toBe(decodeURIComponent(url));
    expect(lastOf('path').url.split('/')).toHaveLength(4);
  });

  it.each(['.', '..', ''])('"%s" as a segment changes no path', async (text) => {
    const before = upstream.received('path').length;
    const result = await harness.callOne('path', { city: text });
    const sent = upstream.received('path').slice(before);
    // Sent as itself, or not at all; never as another path.
    if (result.status === 'ok')
      for (const { url } of sent) expect(url).toMatch(/^\/v1\/[^/]*\/now$/);
    else {
      expectInfo(result.error_info, fails('TOOL_ARGUMENT_ERROR', false, 'not_sent'));
      expect(sent).toHaveLength(0);
    }
  });

  it('a path without its argument is not sent', async () => {
    const before = upstream.received('path').length;
    const result = await harness.callOne('path', {});
    expectInfo(result.error_info, fails('TOOL_ARGUMENT_ERROR', false, 'not_sent'));
    expect(upstream.received('path')).toHaveLength(before);
  });

  it.each(['a\r\nx-evil: 1', 'a\nb', 'a\u0000b'])(
    'a header takes no line break (%j)',
    async (user) => {
      const before = upstream.received('header').length;
      const result = await harness.callOne('header', { user });
      expectInfo(result.error_info, fails('TOOL_ARGUMENT_ERROR', false, 'not_sent'));
      expect(upstream.received('header')).toHaveLength(before);
    },
  );

  it('a whole placeholder keeps the type, an absent argument leaves its key out', async () => {
    await harness.callOne('typed', { days: 3 });
    expect(JSON.parse(lastOf('typed').body)).toEqual({ n: 3, text: 'for 3 days', fixed: 1 });
    await harness.callOne('query', { days: 3 });
    expect(lastOf('query').url).toBe('/?d=3');
  });

  it('many faults are told, twenty at most', async () => {
    const schema = { type: 'object', additionalProperties: { type: 'integer' } };
    const many = Object.fromEntries(Array.from({ length: 200 }, (_, i) => [`k${i}`, 'CANARY']));
    const own = await startHarness({
      tools: [
        {
          name: 'many',
          input_schema: schema,
          http: { method: 'POST', url: 'http://127.0.0.1:9/' },
        },
      ],
    });
    const result = await own.callOne('many', many);
    await own.close();
    const errors = Object.keys(result.error_info?.details['errors'] as object);
    expect(errors.length).toBeGreaterThan(1);
    expect(errors.length).toBeLessThanOrEqual(20);
    expect(JSON.stringify(result)).not.toContain('CANARY');
  });

  describe('a fault in one call is its own', () => {
    const FAULTS: readonly (readonly [string, object, Partial<Expected>])[] = [
      [
        'an unknown tool',
        { tool: 'othr' },
        { code: 'TOOL_NOT_FOUND', details: { suggestions: expect.arrayContaining(['other']) } },
      ],
      [
        'an unknown tool with broken arguments',
        { tool: 'nope', arguments: '{' },
        { code: 'TOOL_NOT_FOUND' },
      ],
      ['broken arguments', { tool: 'other', arguments: '{"a":' }, { code: 'TOOL_ARGUMENT_ERROR' }],
      [
        'arguments that are a number',
        { tool: 'other', arguments: 5 },
        { code: 'TOOL_ARGUMENT_ERROR' },
      ],
      ['a time-out of 0', { tool: 'other', timeout_ms: 0 }, {}],
      ['a negative time-out', { tool: 'other', timeout_ms: -5 }, {}],
      ['a time-out as a text', { tool: 'other', timeout_ms: '5s' }, {}],
      ['a time-out as a fraction', { tool: 'other', timeout_ms: 0.5 }, {}],
      ['a name in another case', { tool: 'OTHER' }, { code: 'TOOL_NOT_FOUND' }],
      ['a name of the prototype', { tool: '__proto__' }, { code: 'TOOL_NOT_FOUND' }],
    ];

    it.each(FAULTS)('%s', async (_name, call, expected) => {
      const before = upstream.received('other').length;
      const results = await harness.call([
        { id: 'a', tool: 'other' },
        { id: 'b', ...call },
        { id: 'c', tool: 'body' },
      ]);
      expect(results.map(({ id, status }) => [id, status])).toEqual([
        ['a', 'ok'],
        ['b', 'error'],
        ['c', 'ok'],
      ]);
      expectInfo(results[1]?.error_info, {
        status: 'error',
        retryable: false,
        effect: 'not_sent',
        ...expected,
      });
      expect(upstream.received('other')).toHaveLength(before + 1);
    });

    it('an answer keeps to the order of the calls, whichever is done first', async () => {
      const ids = Array.from({ length: 30 }, (_, i) => `c${i}`);
      const results = await harness.call(
        ids.map((id, i) => ({ id, tool: i % 3 === 0 ? 'nope' : 'other' })),
      );
      expect(results.map(({ id }) => id)).toEqual(ids);
      expect(results.map(({ status }) => status)).toEqual(
        ids.map((_, i) => (i % 3 === 0 ? 'error' : 'ok')),
      );
    });

    it('calls without an id get one each', async () => {
      const results = await harness.call([{ tool: 'other' }, { tool: 'nope' }, { tool: 'other' }]);
      expect(new Set(results.map(({ id }) => id)).size).toBe(3);
    });
  });
});
