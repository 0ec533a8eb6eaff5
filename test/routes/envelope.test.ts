// Bad input at the door: each fault is a clear error that names the place; siblings are unharmed.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Harness, startHarness } from '../support/harness.js';
import { type ScriptedUpstream, startScriptedUpstream } from '../support/scripted-upstream.js';

let upstream: ScriptedUpstream;
let harness: Harness;

beforeAll(async () => {
  upstream = await startScriptedUpstream({ status: 200, body: { ok: true } });
  harness = await startHarness({
    server: { max_batch: 5, max_body_bytes: 20_000 },
    tools: [
      {
        name: 'echo',
        description: 'echo',
        input_schema: { type: 'object' },
        http: { method: 'POST', url: `${upstream.url}/` },
      },
    ],
  });
});

afterAll(async () => {
  await harness.close();
  await upstream.close();
});

async function post(payload: string | Buffer, headers: Record<string, string> = {}) {
  return harness.app.inject({
    method: 'POST',
    url: '/v1/tool-calls',
    headers: { 'content-type': 'application/json', ...headers },
    payload,
  });
}

describe('an envelope that cannot be read is a problem document', () => {
  it.each<[string, string | Buffer, number, string, RegExp]>([
    [
      'not JSON',
      '{"calls":[{]}',
      400,
      'PARSER_ERROR',
      /^The request body is not valid JSON: unexpected character at line 1, column 12; expected a property name in double quotes or "}"\.$/,
    ],
    ['cut off', '{"calls":[', 400, 'PARSER_ERROR', /line 1/],
    ['empty', '', 400, 'PARSER_ERROR', /empty/],
    ['not UTF-8', Buffer.from([0x22, 0xff, 0x22]), 400, 'PARSER_ERROR', /UTF-8/],
    ['a number', '5', 400, 'PARSER_INVALID_FORMAT', /./],
    ['no calls', '{"calls":[]}', 400, 'PARSER_INVALID_FORMAT', /1 to 5/],
    [
      'too many calls',
      JSON.stringify({ calls: Array(6).fill({ tool: 'echo' }) }),
      400,
      'PARSER_INVALID_FORMAT',
      /1 to 5/,
    ],
    [
      'an unknown field',
      '{"calls":[{"tool":"echo"}],"dedline_ms":5}',
      400,
      'PARSER_INVALID_FORMAT',
      /dedline_ms/,
    ],
    [
      'too large',
      JSON.stringify({ calls: [{ tool: 'echo', arguments: { x: 'y'.repeat(30_000) } }] }),
      413,
      'PARSER_ERROR',
      /max_body_bytes/,
    ],
    [
      'duplicate keys',
      '{"calls":[{"tool":"echo"}],"calls":[]}',
      400,
      'PARSER_INVALID_FORMAT',
      /calls/,
    ],
  ])('%s', async (_name, payload, status, code, detail) => {
    const response = await post(payload);
    expect(response.statusCode).toBe(status);
    expect(response.headers['content-type']).toMatch(/^application\/problem\+json/);
    const problem = response.json();
    expect(problem).toMatchObject({
      status,
      error_info: { code, category: 'validation', retryable: false, effect: 'not_sent' },
    });
    expect(problem.detail).toMatch(detail);
  });

  it.each(['/v1/tool-calls', '/v1/errors/classify', '/mcp'])(
    'no body and no content type at all: %s',
    async (url) => {
      const response = await harness.app.inject({ method: 'POST', url });
      expect(response.statusCode).toBe(400);
      expect(response.json()).toMatchObject({
        detail: expect.stringMatching(/empty/),
        error_info: { code: 'PARSER_ERROR' },
      });
    },
  );

  it.each(['gzip', 'deflate, gzip', 'x'])(
    'a body in %s is 415, not read as if plain',
    async (coding) => {
      const response = await post('{"calls":[{"tool":"echo"}]}', { 'content-encoding': coding });
      expect(response.statusCode).toBe(415);
      expect(response.headers['accept-encoding']).toBe('identity');
      expect(response.json()).toMatchObject({
        status: 415,
        detail: expect.stringContaining('identity') as string,
        error_info: { code: 'PARSER_INVALID_FORMAT', effect: 'not_sent' },
      });
    },
  );

  it('a body that says that it is plain is read', async () => {
    expect(
      (await post('{"calls":[{"tool":"echo"}]}', { 'content-encoding': 'Identity' })).statusCode,
    ).toBe(200);
  });

  it('another content type is 415', async () => {
    const response = await post('a=1', { 'content-type': 'application/x-www-form-urlencoded' });
    expect(response.statusCode).toBe(415);
    expect(response.json().error_info.code).toBe('PARSER_INVALID_FORMAT');
  });

  it('nesting of thousands of levels is refused, and the process lives', async () => {
    const deep = `${'['.repeat(9000)}${']'.repeat(9000)}`;
    expect((await post(deep)).statusCode).toBe(400);
    const response = await post(`{"calls":[{"tool":"echo","arguments":{"x":${deep}}}]}`);
    expect(response.json().results[0].error_info.code).toBe('TOOL_ARGUMENT_ERROR');
    expect((await post('{"calls":[{"tool":"echo"}]}')).statusCode).toBe(200);
  });

  it('an unknown route is 404, another method 405 with Allow', async () => {
    const unknown = await harness.app.inject('/v1/nope');
    expect(unknown.statusCode).toBe(404);
    expect(unknown.headers['content-type']).toMatch(/problem\+json/);
    const method = await harness.app.inject({ method: 'GET', url: '/v1/tool-calls' });
    expect(method.statusCode).toBe(405);
    expect(method.headers['allow']).toBe('POST');
  });

  it('another method is 405 whatever its body is', async () => {
    const response = await harness.app.inject({
      method: 'PUT',
      url: '/v1/tool-calls',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      payload: 'a=1',
    });
    expect(response.statusCode).toBe(405);
    const head = await harness.app.inject({ method: 'HEAD', url: '/v1/tool-calls' });
    expect(head.statusCode).toBe(405);
  });

  it.each(['q=a&q=b', 'format=mcp&format=mcp', 'format=cobol'])(
    'a query that cannot be read is 400: %s',
    async (query) => {
      const response = await harness.app.inject(`/v1/tools?${query}`);
      expect(response.statusCode).toBe(400);
    },
  );

  it('a path with an endless part is 414', async () => {
    const response = await harness.app.inject(`/v1/tools/${'a'.repeat(300)}`);
    expect(response.statusCode).toBe(414);
    expect(response.json().error_info.code).toBe('PARSER_INVALID_FORMAT');
  });

  it('a path that is no URL is 400', async () => {
    const response = await harness.app.inject('/v1/tools/%E0%A4%A');
    expect(response.statusCode).toBe(400);
    expect(response.headers['content-type']).toMatch(/problem\+json/);
  });
});

describe('a fault in one call is its result, and its sibling runs', () => {
  it.each<[string, string, string, RegExp]>([
    ['unknown tool', '{"tool":"ecko"}', 'TOOL_NOT_FOUND', /./],
    ['a tool name of 10 kB', JSON.stringify({ tool: 'x'.repeat(10_000) }), 'TOOL_NOT_FOUND', /./],
    ['no tool', '{"arguments":{}}', 'TOOL_ARGUMENT_ERROR', /\/tool/],
    ['an unknown field', '{"tool":"echo","timout_ms":5}', 'TOOL_ARGUMENT_ERROR', /timout_ms/],
    ['a bad timeout', '{"tool":"echo","timeout_ms":-1}', 'TOOL_ARGUMENT_ERROR', /timeout_ms/],
    [
      'arguments that are a list',
      '{"tool":"echo","arguments":[1]}',
      'TOOL_ARGUMENT_ERROR',
      /object/,
    ],
    [
      '__proto__',
      '{"tool":"echo","arguments":{"__proto__":{"x":1}}}',
      'TOOL_ARGUMENT_ERROR',
      /__proto__/,
    ],
    [
      '__proto__ inside JSON text',
      String.raw`{"tool":"echo","arguments":"{\"a\":{\"__proto__\":1}}"}`,
      'TOOL_ARGUMENT_ERROR',
      /__proto__/,
    ],
    [
      'a number beyond double',
      '{"tool":"echo","arguments":{"n":1e999}}',
      'TOOL_ARGUMENT_ERROR',
      /\/n/,
    ],
    [
      'an integer that would change',
      '{"tool":"echo","arguments":{"id":12345678901234567890}}',
      'TOOL_ARGUMENT_ERROR',
      /\/id/,
    ],
    ['a duplicate key', '{"tool":"echo","arguments":{"a":1,"a":2}}', 'TOOL_ARGUMENT_ERROR', /\/a/],
    [
      'a lone surrogate',
      String.raw`{"tool":"echo","arguments":{"s":"\ud800"}}`,
      'TOOL_ARGUMENT_ERROR',
      /\/s/,
    ],
  ])('%s', async (_name, call, code, place) => {
    const response = await post(
      `{"calls":[${call},{"id":"sibling","tool":"echo","arguments":{"a":1}}]}`,
    );
    expect(response.statusCode).toBe(200);
    const [faulty, sibling] = response.json().results;
    expect(faulty).toMatchObject({
      status: 'error',
      attempts: 0,
      error_info: { code, retryable: false, effect: 'not_sent' },
    });
    expect(JSON.stringify(faulty.error_info)).toMatch(place);
    expect(JSON.stringify(faulty.error_info).length).toBeLessThan(2000);
    expect(sibling).toMatchObject({ id: 'sibling', status: 'ok' });
  });
});

it('arguments reach the upstream with the value they were sent with', async () => {
  const args = { a: 0.1, b: '\u00e9\u4f60', c: [null, true, 1e21], d: { e: -0 } };
  await post(JSON.stringify({ calls: [{ tool: 'echo', arguments: args }] }));
  expect(JSON.parse(upstream.requests.at(-1)!.body)).toEqual(JSON.parse(JSON.stringify(args)));
});

it('ids are generated where absent, and the order is kept', async () => {
  const results = await harness.call([
    { tool: 'echo' },
    { id: 'mine', tool: 'echo' },
    { tool: 'echo' },
  ]);
  expect(results.map(({ id }) => id)).toEqual(['call_1', 'mine', 'call_3']);
});
