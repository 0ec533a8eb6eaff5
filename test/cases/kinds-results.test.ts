// What a 2xx brings: bodies that can be used and bodies that cannot, codings, sizes, pointers,
// predicates and schemas. The effect happened: nothing of this is ever repeated.
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import {
  answer,
  type Expected,
  fails,
  GET,
  GET3,
  type Headers,
  ok,
  POST3,
  type Row,
  row,
  runRows,
  succeeds,
} from './table.js';

const JSON_TYPE = { 'content-type': 'application/json' };
const TEXT = { 'content-type': 'text/plain; charset=utf-8' };

const unusable = (details: Record<string, unknown> = {}): Expected =>
  fails('TOOL_RESULT_ERROR', false, 'completed', {
    breaker: 'success',
    details: { transient: false, ...details },
  });

const tooLarge = fails('TOOL_RESULT_TOO_LARGE', false, 'completed', {
  breaker: 'success',
  details: { transient: false },
});

const coded = (coding: string, body: Buffer, more: Headers = JSON_TYPE) =>
  answer(200, { ...more, 'content-encoding': coding }, body);

const TICKET = JSON.stringify({ id: 7, title: 'Broken lamp' });

/** The predicate does not hold: the tool ran, and failed. */
const ranAndFailed = fails('TOOL_EXECUTION_FAILED', false, 'completed', {
  breaker: 'success',
  details: { transient: false },
});

const when = (name: string, success_when: object, body: unknown, expected: Expected): Row =>
  row(
    name,
    { ...POST3, idempotent: true, http: { success_when } },
    answer(200, JSON_TYPE, JSON.stringify(body)),
    expected,
  );

const at = (name: string, result: string, body: unknown, expected: Expected): Row =>
  row(name, { ...GET3, http: { result } }, answer(200, JSON_TYPE, JSON.stringify(body)), expected);

const NUMBER_ID = {
  type: 'object',
  required: ['id'],
  properties: { id: { type: 'number' } },
};

const promised = (name: string, more: object, body: unknown, expected: Expected): Row =>
  row(
    name,
    { ...POST3, idempotent: true, output_schema: NUMBER_ID, ...more },
    answer(201, JSON_TYPE, JSON.stringify(body)),
    expected,
  );

const brokenPromise = unusable({ validation_type: 'result' });

runRows({
  'JSON or not': [
    row('JSON', GET, answer(200, JSON_TYPE, '{"a":[1,2]}'), succeeds({ a: [1, 2] })),
    row(
      'JSON with a charset',
      GET,
      answer(200, { 'content-type': 'Application/JSON; Charset=UTF-8' }, '[]'),
      succeeds([]),
    ),
    row(
      'a +json type',
      GET,
      answer(200, { 'content-type': 'application/vnd.api+json' }, '{"data":1}'),
      succeeds({ data: 1 }),
    ),
    row(
      'hal+json',
      GET,
      answer(200, { 'content-type': 'application/hal+json' }, '{"_links":{}}'),
      succeeds({ _links: {} }),
    ),
    row('a JSON text', GET, answer(200, JSON_TYPE, '"done"'), succeeds('done')),
    row('a JSON null', GET, answer(200, JSON_TYPE, 'null'), succeeds(null)),
    row('false', GET, answer(200, JSON_TYPE, 'false'), succeeds(false)),
    row(
      'plain text',
      GET,
      answer(200, TEXT, 'Error 503: rate limit'),
      succeeds('Error 503: rate limit'),
    ),
    row('204', POST3, answer(204), succeeds(null, { breaker: 'success' })),
    row('205', POST3, answer(205), succeeds(null)),
    row('cut off', GET3, answer(200, JSON_TYPE, '{"a": [1, 2'), unusable()),
    row('cut off, POST', POST3, answer(200, JSON_TYPE, '{"a": [1, 2'), unusable()),
    row('two documents', GET3, answer(200, JSON_TYPE, '{"a":1}{"b":2}'), unusable()),
    row('NaN', GET3, answer(200, JSON_TYPE, '{"a":NaN}'), unusable()),
    row(
      'an HTML login page that says it is JSON',
      GET3,
      answer(200, JSON_TYPE, '<html>Log in</html>'),
      unusable(),
    ),
    row(
      'a picture',
      GET3,
      answer(200, { 'content-type': 'image/png' }, Buffer.from('89504e470d0a1a0a0000', 'hex')),
      unusable(),
    ),
    row(
      'an HTML page where a schema promises an object',
      { ...GET3, output_schema: NUMBER_ID },
      answer(200, { 'content-type': 'text/html' }, '<html></html>'),
      unusable(),
    ),
    row(
      '204 where a schema promises an object',
      { ...POST3, output_schema: NUMBER_ID },
      answer(204),
      unusable(),
    ),
  ],

  'codings of the body': [
    row('gzip', GET, coded('gzip', gzipSync(TICKET)), succeeds({ id: 7, title: 'Broken lamp' })),
    row(
      'GZIP in capitals',
      GET,
      coded('GZIP', gzipSync(TICKET)),
      succeeds({ id: 7, title: 'Broken lamp' }),
    ),
    row(
      'deflate',
      GET,
      coded('deflate', deflateSync(TICKET)),
      succeeds({ id: 7, title: 'Broken lamp' }),
    ),
    row(
      'br',
      GET,
      coded('br', brotliCompressSync(TICKET)),
      succeeds({ id: 7, title: 'Broken lamp' }),
    ),
    row(
      'identity',
      GET,
      coded('identity', Buffer.from(TICKET)),
      succeeds({ id: 7, title: 'Broken lamp' }),
    ),
    row('gzip that is plain', GET3, coded('gzip', Buffer.from(TICKET)), unusable()),
    row('gzip cut off', GET3, coded('gzip', gzipSync(TICKET).subarray(0, 20)), unusable()),
    row(
      'gzip with a wrong checksum',
      GET3,
      coded('gzip', Buffer.concat([gzipSync(TICKET).subarray(0, -8), Buffer.alloc(8)])),
      unusable(),
    ),
    row('br that is gzip, POST', POST3, coded('br', gzipSync(TICKET)), unusable()),
    row('a coding nobody knows', GET3, coded('rot13', Buffer.from(TICKET)), unusable()),
    row(
      'a bomb',
      { ...GET3, result: { max_bytes: 10_000 } },
      coded('gzip', gzipSync(Buffer.alloc(5_000_000, 0x20))),
      tooLarge,
    ),
    row(
      'gzip around an error: its code is read',
      GET3,
      answer(
        400,
        { ...JSON_TYPE, 'content-encoding': 'gzip' },
        gzipSync('{"error":{"code":"bad_filter","message":"no"}}'),
      ),
      fails('UPSTREAM_INVALID_REQUEST', false, 'completed', {
        details: { upstream_code: 'bad_filter' },
      }),
    ),
    row(
      'broken gzip around an error: the status says enough',
      GET,
      answer(503, { ...JSON_TYPE, 'content-encoding': 'gzip' }, 'not gzip'),
      fails('UPSTREAM_UNAVAILABLE', true, 'unknown', { breaker: 'failure' }),
    ),
    row(
      'broken gzip around a 404',
      GET,
      answer(404, { ...JSON_TYPE, 'content-encoding': 'gzip' }, 'not gzip'),
      fails('UPSTREAM_REJECTED', false, 'completed', { breaker: 'success' }),
    ),
  ],

  sizes: [
    row(
      'exactly as much as is allowed',
      { ...GET, result: { max_bytes: 100 } },
      answer(200, TEXT, 'x'.repeat(100)),
      succeeds('x'.repeat(100)),
    ),
    row(
      'one byte more',
      { ...GET3, result: { max_bytes: 100 } },
      answer(200, TEXT, 'x'.repeat(101)),
      tooLarge,
    ),
    row(
      'bytes count, not characters',
      { ...GET3, result: { max_bytes: 100 } },
      answer(200, TEXT, 'ä'.repeat(60)),
      tooLarge,
    ),
    row(
      'POST: the effect is known',
      { ...POST3, result: { max_bytes: 100 } },
      answer(201, JSON_TYPE, JSON.stringify({ a: 'x'.repeat(500) })),
      tooLarge,
    ),
    row(
      'JSON, GET',
      { ...GET3, result: { max_bytes: 100 } },
      answer(200, JSON_TYPE, JSON.stringify({ a: 'x'.repeat(500) })),
      tooLarge,
    ),
    row(
      'over the limit in chunks',
      { ...GET3, result: { max_bytes: 100 } },
      answer(200, { ...TEXT, 'transfer-encoding': 'chunked' }, 'x'.repeat(5000)),
      tooLarge,
    ),
    row(
      'text is cut where the author says so',
      { ...GET3, result: { max_bytes: 100, on_oversize: 'truncate' } },
      answer(200, TEXT, 'x'.repeat(5000)),
      { status: 'ok', breaker: 'success' },
    ),
    row(
      'a 500 over the limit is a 500',
      { ...GET, result: { max_bytes: 100 } },
      answer(500, TEXT, 'x'.repeat(100_000)),
      fails('UPSTREAM_SERVER_ERROR', true, 'unknown', { breaker: 'failure' }),
    ),
    row(
      'a 422 over the limit is a 422',
      { ...GET3, result: { max_bytes: 100 } },
      answer(422, JSON_TYPE, JSON.stringify({ code: 'x', message: 'y'.repeat(100_000) })),
      fails('UPSTREAM_INVALID_REQUEST', false, 'completed', { breaker: 'success' }),
    ),
    row(
      'a 429 over the limit is a 429',
      { ...GET, result: { max_bytes: 100 } },
      answer(429, { ...TEXT, 'retry-after': '3' }, 'x'.repeat(100_000)),
      fails('TOOL_RATE_LIMITED', true, 'completed', { retry: 3000, breaker: 'neutral' }),
    ),
  ],

  'where the result stands': [
    at('a member', '/data', { data: { id: 1 }, meta: 2 }, succeeds({ id: 1 })),
    at('an item', '/items/1', { items: ['a', 'b'] }, succeeds('b')),
    at('a name with a slash', '/a~1b/c~0d', { 'a/b': { 'c~d': 5 } }, succeeds(5)),
    at('null is a value', '/data', { data: null }, succeeds(null)),
    at('false and 0 and an empty text are values', '/data/0', { data: [0] }, succeeds(0)),
    at('an empty name', '/', { '': 'here' }, succeeds('here')),
    at('nothing there', '/data', { result: {} }, unusable()),
    at('an item beyond the end', '/items/2', { items: ['a', 'b'] }, unusable()),
    at('through a text', '/data/length', { data: 'abc' }, unusable()),
    at('through null', '/data/id', { data: null }, unusable()),
    at('a name of the prototype', '/constructor', {}, unusable()),
    at('"-" is no item', '/items/-', { items: ['a'] }, unusable()),
    at('"01" is no item', '/items/01', { items: ['a', 'b'] }, unusable()),
    row(
      'in an error it is not looked for',
      { ...GET3, http: { result: '/data' } },
      answer(404, {}, { message: 'no' }),
      fails('UPSTREAM_REJECTED', false, 'completed'),
    ),
  ],

  'a 2xx that says no': [
    when('equals, holds', { pointer: '/ok', equals: true }, { ok: true }, succeeds({ ok: true })),
    when(
      'equals, does not hold',
      { pointer: '/ok', equals: true },
      { ok: false, error: 'channel_not_found' },
      ranAndFailed,
    ),
    when('equals, nothing there', { pointer: '/ok', equals: true }, {}, ranAndFailed),
    when('equals, another type', { pointer: '/code', equals: 0 }, { code: '0' }, ranAndFailed),
    when(
      'equals, null',
      { pointer: '/error', equals: null },
      { error: null },
      succeeds({ error: null }),
    ),
    when(
      'not_equals, holds',
      { pointer: '/status', not_equals: 'error' },
      { status: 'done' },
      succeeds({ status: 'done' }),
    ),
    when(
      'not_equals, nothing there',
      { pointer: '/status', not_equals: 'error' },
      { a: 1 },
      succeeds({ a: 1 }),
    ),
    when(
      'not_equals, does not hold',
      { pointer: '/status', not_equals: 'error' },
      { status: 'error', message: 'try again later, 503' },
      ranAndFailed,
    ),
    when('absent, holds', { pointer: '/error', absent: true }, { data: 1 }, succeeds({ data: 1 })),
    when(
      'absent, does not hold',
      { pointer: '/error', absent: true },
      { error: { code: 'archived' } },
      ranAndFailed,
    ),
    when(
      'absent, null is there',
      { pointer: '/error', absent: true },
      { error: null },
      ranAndFailed,
    ),
    when(
      'absent: false, holds',
      { pointer: '/data', absent: false },
      { data: null },
      succeeds({ data: null }),
    ),
    when(
      'GraphQL errors',
      { pointer: '/errors', absent: true },
      { data: null, errors: [{ message: 'Cannot query field' }] },
      ranAndFailed,
    ),
    when(
      'equals a whole object',
      { pointer: '/state', equals: { a: [1] } },
      { state: { a: [1] } },
      succeeds({ state: { a: [1] } }),
    ),
    row(
      'it is asked before the pointer of the result',
      { ...GET3, http: { success_when: { pointer: '/ok', equals: true }, result: '/data' } },
      answer(200, {}, { ok: false }),
      ranAndFailed,
    ),
    row(
      'without a predicate an error member changes nothing',
      GET3,
      answer(200, {}, { ok: false, error: 'ratelimited' }),
      succeeds({ ok: false, error: 'ratelimited' }, { breaker: 'success' }),
    ),
  ],

  'what the output schema promises': [
    promised('kept', {}, { id: 7 }, succeeds({ id: 7 }, { breaker: 'success' })),
    promised('another type', {}, { id: 'T-7' }, brokenPromise),
    promised('missing', {}, {}, brokenPromise),
    promised('null', {}, null, brokenPromise),
    promised('a list', {}, [{ id: 7 }], brokenPromise),
    promised('nothing is coerced', {}, { id: '7' }, brokenPromise),
    promised(
      'only noted',
      { result: { validation: 'warn' } },
      { id: 'T-7' },
      succeeds({ id: 'T-7' }),
    ),
    promised(
      'after the pointer',
      { http: { result: '/data' } },
      { data: { id: 3 } },
      succeeds({ id: 3 }),
    ),
    promised(
      'after the pointer, broken',
      { http: { result: '/data' } },
      { id: 3, data: {} },
      brokenPromise,
    ),
    row(
      'not asked of an error',
      { ...GET, output_schema: NUMBER_ID },
      answer(500, {}, { id: 'x' }),
      fails('UPSTREAM_SERVER_ERROR', true, 'unknown'),
    ),
    row(
      'GET, broken: never repeated',
      { ...GET3, output_schema: NUMBER_ID },
      [answer(200, {}, { id: 'x' }), ok],
      brokenPromise,
    ),
  ],
});
