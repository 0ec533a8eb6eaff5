// Nothing that the gateway keeps secret comes back, in whatever form and whatever place an upstream
// says it again; and no redirect carries it to somebody else.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { send, WAYS } from '../support/every-format.js';
import { type Harness, startHarness } from '../support/harness.js';
import {
  type Act,
  answer,
  bytesThen,
  ok,
  type Step,
  toolEntry,
  type ToolConfig,
  Upstream,
} from './table.js';

const SECRET = 'Zk9!vB2/qL7+xT4=sW1';
const USER_SECRET = 'pw-Hj3kQ9zX';
const QUERY_SECRET = 'tok_9fK2mQ7vLx0w';
const BODY_SECRET = 'bodysecret-4Hn8Qz';
const LONG = `${'x'.repeat(470)} ${SECRET} ${'y'.repeat(500)}`;

const hex = Buffer.from(SECRET).toString('hex');
const base64 = Buffer.from(SECRET).toString('base64');
const base64url = Buffer.from(SECRET).toString('base64url');
const basic = Buffer.from(`agent:${USER_SECRET}`).toString('base64');

const page = (text: string): Step =>
  answer(500, { 'content-type': 'text/html' }, `<html><body><h1>${text}</h1></body></html>`);

const echo: Act = (request, response) => {
  response.writeHead(401, { 'content-type': 'application/json' });
  response.end(
    JSON.stringify({
      error: {
        message: `no entry with ${JSON.stringify(request.headers)} at ${request.url ?? ''}`,
      },
    }),
  );
};

const PLACES: readonly (readonly [name: string, step: Step])[] = [
  ['a text', answer(500, {}, `key ${SECRET} refused`)],
  ['a JSON message', answer(400, {}, { error: { message: `bad key ${SECRET}`, code: 'bad_key' } })],
  ['a machine code', answer(400, {}, { error: { message: 'bad', code: SECRET } })],
  [
    'a type',
    answer(422, {}, { type: `https://x.example/?k=${encodeURIComponent(SECRET)}`, detail: SECRET }),
  ],
  ['an HTML page', page(SECRET)],
  ['percent-encoded', answer(403, {}, { message: `?k=${encodeURIComponent(SECRET)}` })],
  [
    'percent-encoded in lower case',
    answer(
      403,
      {},
      { message: encodeURIComponent(SECRET).replace(/%[0-9A-F]{2}/g, (x) => x.toLowerCase()) },
    ),
  ],
  ['form-encoded', answer(403, {}, { message: new URLSearchParams({ k: SECRET }).toString() })],
  ['base64', answer(500, {}, { message: base64 })],
  ['base64url', answer(500, {}, { message: base64url })],
  ['Basic, as sent', answer(401, {}, { message: `Authorization: Basic ${basic}` })],
  ['JSON in JSON', answer(500, {}, { message: JSON.stringify(JSON.stringify({ k: SECRET })) })],
  ['twice in a row', answer(500, {}, { message: SECRET + SECRET })],
  ['over the cut at 500 characters', answer(500, {}, { message: LONG })],
  ['over the cut at 500 characters, as a text', answer(500, {}, LONG)],
  ['all headers and the URL, echoed', echo],
  [
    'a header of the answer',
    answer(500, {
      'set-cookie': `sid=${SECRET}`,
      'x-echo': SECRET,
      location: `/?k=${encodeURIComponent(SECRET)}`,
    }),
  ],
  [
    'a redirect',
    answer(302, {
      location: `http://other.example/?securityToken=${QUERY_SECRET}&k=${encodeURIComponent(SECRET)}`,
    }),
  ],
  ['Retry-After', answer(429, { 'retry-after': SECRET })],
  ['a broken status line', bytesThen(`HTTP/1.1 ${SECRET}\r\n\r\n`, 'fin')],
  ['broken JSON', answer(200, { 'content-type': 'application/json' }, `{"k": ${SECRET}`)],
  [
    'a content type',
    answer(
      200,
      { 'content-type': `image/${QUERY_SECRET}` },
      Buffer.from([137, 80, 78, 71, 0, 255]),
    ),
  ],
  ['a 2xx that says no', answer(200, {}, { ok: false, message: `key ${SECRET}, ${USER_SECRET}` })],
  ['a result of another shape', answer(200, {}, { ok: true, id: SECRET, [SECRET]: QUERY_SECRET })],
  [
    'an error_info of its own',
    answer(
      500,
      {},
      {
        error_info: {
          code: 'UPSTREAM_REJECTED',
          category: 'execution',
          message: SECRET,
          retryable: false,
          retry_after_ms: null,
          effect: 'completed',
          details: {
            tool_name: 'x',
            attempts: 1,
            transient: false,
            classified_by: 'status',
            leak: { deep: [SECRET, base64] },
          },
        },
      },
    ),
  ],
];

const TOOL: ToolConfig = {
  method: 'POST',
  retry: { max_attempts: 2, base_ms: 1, max_ms: 1 },
  idempotent: true,
  http: {
    headers: { authorization: 'Bearer ${UPSTREAM_TOKEN}', 'x-api-key': SECRET },
    body: { api_key: BODY_SECRET, who: 'agent' },
    success_when: { pointer: '/ok', equals: true },
  },
  output_schema: { type: 'object', required: ['id'], properties: { id: { type: 'number' } } },
  path: `/x?securityToken=${QUERY_SECRET}`,
};

const upstream = new Upstream();
let harness: Harness;
let host = '';

beforeAll(async () => {
  host = await upstream.listen();
  const names = PLACES.map((_, index) => `place${index}`);
  const tools = names.map((name, index) => {
    upstream.script(name, PLACES[index]![1]);
    return toolEntry(name, { ...TOOL, origin: `http://agent:${USER_SECRET}@HOST/${name}` }, host);
  });
  upstream.script('fine', ok);
  harness = await startHarness(
    {
      defaults: { breaker: false },
      tools: [
        ...tools,
        toolEntry('refused', { ...TOOL, origin: `http://agent:${USER_SECRET}@REFUSED` }, host, 9),
        toolEntry(
          'args',
          { ...TOOL, input_schema: { type: 'object', properties: { n: { type: 'integer' } } } },
          host,
        ),
      ],
    },
    { env: { UPSTREAM_TOKEN: SECRET } },
  );
});

afterAll(async () => {
  await harness.close();
  await upstream.close();
});

const FORMS = [
  SECRET,
  SECRET.slice(0, 8),
  encodeURIComponent(SECRET),
  hex,
  base64,
  base64url,
  USER_SECRET,
  basic,
  QUERY_SECRET,
  BODY_SECRET,
];

function expectClean(text: string): void {
  for (const form of FORMS) expect(text).not.toContain(form);
  expect(text.toLowerCase()).not.toContain(encodeURIComponent(SECRET).toLowerCase());
}

async function raw(payload: object, headers = {}): Promise<string> {
  const response = await harness.app.inject({
    method: 'POST',
    url: '/v1/tool-calls',
    headers,
    payload,
  });
  expect(response.statusCode).toBe(200);
  return response.body + JSON.stringify(response.headers);
}

describe('said again by the upstream', () => {
  it.each(PLACES.map(([name], index) => [name, index] as const))('in %s', async (_name, index) => {
    const text = await raw({ calls: [{ tool: `place${index}` }] });
    expectClean(text);
    expect(text).toContain('"status":"error"');
    const [request] = upstream.received(`place${index}`);
    expect(request?.headers['x-api-key']).toBe(SECRET);
  });

  it.each(['application/x-ndjson', 'text/event-stream'])(
    'in every place, streamed as %s',
    async (accept) => {
      expectClean(
        await raw({ calls: PLACES.map((_, index) => ({ tool: `place${index}` })) }, { accept }),
      );
    },
  );

  it.each(WAYS)('in every place, by way of %s', async (_way, request) => {
    for (const [index] of PLACES.entries()) {
      const { status, text } = await send(harness.app, request(`place${index}`, {}));
      expect(status).toBe(200);
      expect(text).toMatch(/"error"|isError|TOOL_|UPSTREAM_|MCP_|UNMAPPED|CONFIGURATION/);
      expectClean(text);
    }
  });
});

it('in a refused connection', async () => {
  const text = await raw({ calls: [{ tool: 'refused' }] });
  expect(text).toContain('TOOL_CONNECTION_FAILED');
  expectClean(text);
});

it.each([
  '/v1/tools',
  '/v1/tools/place0',
  '/v1/tools?format=openai',
  '/healthz',
  '/metrics',
  '/openapi.json',
])('in %s', async (url) => {
  const response = await harness.app.inject({ url });
  expect(response.statusCode).toBe(200);
  expectClean(response.body);
});

it('in arguments that are not taken', async () => {
  expectClean(await raw({ calls: [{ tool: 'args', arguments: { n: SECRET } }] }));
});

describe('redirects', () => {
  const other = new Upstream();
  let otherHost = '';
  let gateway: Harness;

  type Case = readonly [
    name: string,
    tool: ToolConfig,
    script: (other: string) => readonly Step[],
    code: string | null,
    requests: number,
  ];
  const HEADERS = { headers: { 'x-api-key': SECRET, authorization: `Bearer ${SECRET}` } };
  const none: ToolConfig = { method: 'GET', http: HEADERS };
  const same: ToolConfig = { method: 'GET', http: { ...HEADERS, follow_redirects: 'same_origin' } };
  const to = (status: number, location?: string): Step =>
    answer(status, location === undefined ? {} : { location });

  const CASES: readonly Case[] = [
    ...[301, 302, 303, 307, 308].flatMap((status): Case[] => [
      [
        `${status}, not followed by default`,
        none,
        () => [to(status, 'there'), ok],
        'UPSTREAM_REJECTED',
        1,
      ],
      [`${status} within the origin`, same, () => [to(status, 'there'), ok], null, 2],
      [
        `${status} to another origin`,
        same,
        (host) => [to(status, `http://${host}/other/`), ok],
        'UPSTREAM_REJECTED',
        1,
      ],
      [
        `${status} of a POST`,
        { ...none, method: 'POST' },
        () => [to(status, 'there'), ok],
        'UPSTREAM_REJECTED',
        1,
      ],
    ]),
    ['HEAD within the origin', { ...same, method: 'HEAD' }, () => [to(302, 'there'), ok], null, 2],
    [
      '307 of a PUT',
      { ...none, method: 'PUT' },
      () => [to(307, 'there'), ok],
      'UPSTREAM_REJECTED',
      1,
    ],
    [
      '307 of a DELETE',
      { ...none, method: 'DELETE' },
      () => [to(307, 'there'), ok],
      'UPSTREAM_REJECTED',
      1,
    ],
    ['two within the origin', same, () => [to(302, 'there'), to(301, 'here'), ok], null, 3],
    [
      'within, then to another origin',
      same,
      (host) => [to(302, 'there'), to(302, `//${host}/other/`)],
      'UPSTREAM_REJECTED',
      2,
    ],
    ['without a scheme', same, (host) => [to(302, `//${host}/other/`)], 'UPSTREAM_REJECTED', 1],
    ['https of the same host', same, () => [to(302, 'https://127.0.0.1/')], 'UPSTREAM_REJECTED', 1],
    [
      'the metadata service',
      same,
      () => [to(302, 'http://169.254.169.254/latest/meta-data/')],
      'UPSTREAM_REJECTED',
      1,
    ],
    ['another scheme', same, () => [to(302, 'file:///etc/passwd')], 'UPSTREAM_REJECTED', 1],
    ['no Location', same, () => [to(302)], 'UPSTREAM_REJECTED', 1],
    ['a Location that is none', same, () => [to(302, 'http://[')], 'UPSTREAM_REJECTED', 1],
    ['300 and 304 are no redirects', same, () => [to(304, 'there')], 'UPSTREAM_REJECTED', 1],
    ['to a 404', same, () => [to(302, 'there'), answer(404)], 'UPSTREAM_REJECTED', 2],
    ['to a 403', same, () => [to(302, 'there'), answer(403)], 'UPSTREAM_FORBIDDEN', 2],
    [
      'to a reset',
      same,
      () => [to(302, 'there'), (request) => request.socket.resetAndDestroy()],
      'TOOL_TRANSPORT_ERROR',
      2,
    ],
  ];

  beforeAll(async () => {
    otherHost = await other.listen();
    other.script('other', ok);
    const tools = CASES.map(([, tool, script], index) => {
      upstream.script(`hop${index}`, ...script(otherHost));
      return toolEntry(`hop${index}`, { retry: false, ...tool }, host);
    });
    upstream.script('loop', to(302, 'again'));
    gateway = await startHarness({
      defaults: { breaker: false },
      tools: [...tools, toolEntry('loop', { ...same, retry: false }, host)],
    });
  });

  afterAll(async () => {
    await gateway.close();
    await other.close();
  });

  it.each(CASES.map(([name], index) => [name, index] as const))('%s', async (_name, index) => {
    const [, , , code, requests] = CASES[index]!;
    const result = await gateway.callOne(`hop${index}`);
    expect(result.error_info?.code ?? null).toBe(code);
    expect(upstream.received(`hop${index}`)).toHaveLength(requests);
    expect(other.received('other')).toHaveLength(0);
    expectClean(JSON.stringify(result));
    if (code === 'UPSTREAM_REJECTED') {
      expect(result.error_info).toMatchObject({ retryable: false, effect: 'completed' });
    }
  });

  it('a circle ends', async () => {
    const result = await gateway.callOne('loop');
    expect(result.status).toBe('error');
    expect(result.error_info?.retryable).toBe(false);
    expect(upstream.received('loop').length).toBeLessThanOrEqual(25);
  });
});
