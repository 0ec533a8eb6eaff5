// What goes out: placeholders, encoding, headers, bodies, as the server sees them.
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { HttpUpstreamDefinition, JsonObject } from '../../../src/call.js';
import type { Outcome } from '../../../src/errors/outcome.js';
import { compileUrl } from '../../../src/upstream/http/url.js';
import {
  json,
  startFaultyServer,
  type FaultyRequest,
  type FaultyServer,
} from '../../support/faulty-server.js';
import type { start } from '../support.js';
import { HttpBench, httpTool, type toolWith } from '../support.js';

const bench = new HttpBench();
let server: FaultyServer;

beforeAll(async () => {
  server = await startFaultyServer();
});

beforeEach(() => {
  server.behave(json({}));
});

afterAll(async () => {
  await server.close();
  await bench.pools.close();
});

interface Setup {
  readonly args?: JsonObject;
  readonly http?: Partial<HttpUpstreamDefinition>;
  readonly tool?: Parameters<typeof toolWith>[1];
  readonly options?: Parameters<typeof start>[3];
}

/** Sends one call and gives what the server saw. */
async function sent(path: string, setup: Setup = {}): Promise<FaultyRequest> {
  const tool = httpTool(server.origin + path, setup.http, setup.tool);
  const outcome = await bench.run(tool, setup.args, setup.options);
  if (outcome.kind !== 'ok') throw new Error(JSON.stringify(outcome));
  return server.requests.at(-1)!;
}

/** Sends one call that must not reach the server. */
async function refused(path: string, setup: Setup = {}): Promise<Outcome> {
  const before = server.requests.length;
  const outcome = await bench.run(
    httpTool(server.origin + path, setup.http, setup.tool),
    setup.args,
  );
  expect(server.requests).toHaveLength(before);
  return outcome;
}

describe('the path', () => {
  it.each([
    ['plain', '/v1/{city}', { city: 'Oslo' }, '/v1/Oslo'],
    [
      'escaped',
      '/v1/{city}',
      { city: 'a/b?c#d e%é&=+' },
      '/v1/a%2Fb%3Fc%23d%20e%25%C3%A9%26%3D%2B',
    ],
    ['within a segment', '/v{n}.x/{a}-{b}', { n: 2, a: true, b: 0 }, '/v2.x/true-0'],
    ['dots that are part of a name', '/f/{name}', { name: '...a..' }, '/f/...a..'],
    ['objects as JSON', '/f/{o}', { o: { a: [1] } }, '/f/%7B%22a%22%3A%5B1%5D%7D'],
    ['literal parts that need escaping', '/ä b%20c/{x}/', { x: 1 }, '/%C3%A4%20b%20c/1/'],
    ['none', '', {}, '/'],
    ['own names only', '/{constructor}', { constructor: 'x' }, '/x'],
  ])('%s', async (_name, template, args, target) => {
    expect((await sent(template, { args })).target).toBe(target);
  });

  it.each([
    ['empty', '/a/{x}/b', ''],
    ['.', '/a/{x}', '.'],
    ['..', '/a/{x}/b', '..'],
    ['a dot beside a literal one', '/a/.{x}', '.'],
    ['a dot beside an escaped one', '/a/%2e{x}', '.'],
    ['absent', '/a/{x}', undefined],
    ['null', '/a/{x}', null],
    ['half a surrogate pair', '/a/{x}', '\ud800'],
  ])('an argument that is %s is refused by name', async (_name, template, x) => {
    const args = x === undefined ? {} : { x };
    const outcome = await refused(template, { args });
    expect(outcome).toMatchObject({ kind: 'invalid-arguments' });
    expect(Object.keys((outcome as { errors: object }).errors)).toEqual(['/x']);
  });

  it('no argument changes the number of segments, their order, or the host', () => {
    const url = compileUrl('https://api.example.com/a/{x}/b/{y}?q={z}');
    fc.assert(
      fc.property(fc.string(), fc.string({ unit: 'binary' }), fc.string(), (x, y, z) => {
        let path: string;
        try {
          path = url.path({ x, y, z });
        } catch {
          return;
        }
        const parsed = new URL(path, url.origin);
        expect(parsed.origin).toBe('https://api.example.com');
        const segments = parsed.pathname.split('/');
        expect(segments).toHaveLength(5);
        expect([segments[1], segments[3]]).toEqual(['a', 'b']);
        expect(decodeURIComponent(segments[2]!)).toBe(x);
        expect(parsed.searchParams.get('q')).toBe(z);
      }),
      { numRuns: 500 },
    );
  });
});

describe('the query', () => {
  it('left out, holds the arguments that the URL does not use', async () => {
    const args = { city: 'Oslo', days: 3, tags: ['a b', 'c'], at: { x: 1 }, none: null };
    expect((await sent('/w/{city}', { args })).target).toBe(
      '/w/Oslo?days=3&tags=a%20b&tags=c&at=%7B%22x%22%3A1%7D',
    );
  });

  it('of the URL itself is filled and extended', async () => {
    const path = '/w?fixed=a%20b&flag&c={city}&t={tags}&mix=x-{days}-{gone}&g={gone}';
    const args = { city: 'Å', tags: [1, 2], days: 3, more: true };
    expect((await sent(path, { args })).target).toBe(
      '/w?fixed=a%20b&flag&c=%C3%85&t=1&t=2&more=true',
    );
  });

  it('as configured: types, lists, constants; what is absent is left out', async () => {
    const http = {
      query: {
        d: '{days}',
        q: 'x {city}!',
        list: ['{a}', '{gone}', 'c'],
        k: 7,
        off: null,
        g: '{gone}',
        '[x]': '1',
      },
    };
    const args = { days: [1, 2], city: 'Oslo', a: 'A', unused: 1 };
    expect((await sent('/w', { args, http })).target).toBe(
      '/w?d=1&d=2&q=x%20Oslo!&list=A&list=c&k=7&%5Bx%5D=1',
    );
  });

  it('is empty for a method with a body', async () => {
    expect((await sent('/w', { args: { a: 1 }, http: { method: 'POST' } })).target).toBe('/w');
  });
});

describe('the body', () => {
  const post = { method: 'POST' };

  it('left out, holds the arguments that neither URL nor query uses, as JSON', async () => {
    const args = { id: 7, dry: true, a: 1, b: null };
    const request = await sent('/x/{id}', { args, http: { ...post, query: { dry: '{dry}' } } });
    expect(request.target).toBe('/x/7?dry=true');
    expect(request.headers['content-type']).toBe('application/json');
    expect(request.body).toBe('{"a":1,"b":null}');
  });

  it('as configured: whole placeholders keep their type, texts take text, the absent goes', async () => {
    const body = {
      whole: '{n}',
      text: 'n is {n}, o is {o}',
      list: ['{n}', '{gone}', { deep: '{o}' }],
      gone: '{gone}',
      part: 'x {gone}',
      nul: '{z}',
      constant: [1, true, null],
    };
    const args = { n: 5, o: { k: 'v' }, z: null };
    const request = await sent('/x', { args, http: { ...post, body } });
    expect(JSON.parse(request.body)).toEqual({
      whole: 5,
      text: 'n is 5, o is {"k":"v"}',
      list: [5, { deep: { k: 'v' } }],
      nul: null,
      constant: [1, true, null],
    });
  });

  it('braces that name no argument stay as they are', async () => {
    const inputSchema = { type: 'object', properties: { id: {} } };
    const body = { query: 'query {user(id: {id}) {name}}' };
    const request = await sent('/x', {
      args: { id: 1 },
      http: { ...post, body },
      tool: { inputSchema },
    });
    expect(JSON.parse(request.body)).toEqual({ query: 'query {user(id: 1) {name}}' });
  });

  it('follows the content type', async () => {
    const form = { 'Content-Type': 'application/x-www-form-urlencoded' };
    const args = { a: 'x y', b: [1, 2], c: null };
    expect((await sent('/x', { args, http: { ...post, headers: form } })).body).toBe(
      'a=x+y&b=1&b=2',
    );
    const text = { ...post, headers: { 'content-type': 'text/plain' }, body: 'hello {a}' };
    expect((await sent('/x', { args, http: text })).body).toBe('hello x y');
    expect((await sent('/x', { args, http: { ...post, body: 'hello {a}' } })).body).toBe(
      '"hello x y"',
    );
  });

  it('null sends none, and DELETE has one only if configured', async () => {
    expect((await sent('/x', { args: { a: 1 }, http: { ...post, body: null } })).body).toBe('');
    const removal = await sent('/x', { args: { a: 1 }, http: { method: 'DELETE' } });
    expect([removal.target, removal.body]).toEqual(['/x?a=1', '']);
    const withBody = await sent('/x', {
      args: { a: 1 },
      http: { method: 'DELETE', body: { b: '{a}' } },
    });
    expect([withBody.target, withBody.body]).toEqual(['/x', '{"b":1}']);
  });
});

describe('the headers', () => {
  it('say who calls, what is taken, and how much time is left', async () => {
    const { headers } = await sent('/x');
    expect(headers).toMatchObject({
      'user-agent': 'toolgate',
      'accept-encoding': 'identity',
      accept: 'application/json, text/*;q=0.9, */*;q=0.1',
    });
    const left = Number(headers['x-request-timeout-ms']);
    expect(left).toBeGreaterThan(0);
    expect(left).toBeLessThanOrEqual(5_000);
  });

  it('of the author win, filled with arguments', async () => {
    const http = {
      headers: {
        'User-Agent': 'mine',
        Accept: 'text/csv',
        'X-City': 'to {city}',
        'X-N': '{n}',
        'X-Gone': '{gone}',
      },
    };
    const { headers } = await sent('/x', { args: { city: 'Malmö', n: 5 }, http });
    expect(headers).toMatchObject({ 'user-agent': 'mine', accept: 'text/csv', 'x-n': '5' });
    expect(headers['x-city']).toBe('to Malmö');
    expect(headers).not.toHaveProperty('x-gone');
  });

  it.each(['a\r\nX-Evil: 1', 'a\nb', 'a\0b', '漢字', 'a\u007f'])(
    'an argument %j that no header can hold is refused by name',
    async (value) => {
      const http = { headers: { 'x-city': '{city}' } };
      expect(await refused('/x', { args: { city: value }, http })).toMatchObject({
        kind: 'invalid-arguments',
        errors: { '/city': expect.any(String) as string },
      });
    },
  );

  it('carry the attempt’s trace and what the gateway forwards, unless the author sets them', async () => {
    const context = {
      traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
      forwardHeaders: { 'X-Gateway-Attempt': '2', 'x-bad': 'a\r\nb' },
    };
    const { headers } = await sent('/x', { options: { context } });
    expect(headers['traceparent']).toBe(context.traceparent);
    expect(headers['x-gateway-attempt']).toBe('2');
    expect(headers).not.toHaveProperty('x-bad');
    const own = { headers: { 'x-gateway-attempt': 'mine' } };
    const second = await sent('/x', { http: own, options: { context } });
    expect(second.headers['x-gateway-attempt']).toBe('mine');
  });

  it('carry the idempotency key where the tool names its header, and say so', async () => {
    const tool = { idempotency: { header: 'Idempotency-Key', ttlMs: 1 } };
    const running = bench.start(httpTool(server.origin, {}, tool), {}, { idempotencyKey: 'k-1' });
    expect(running.attempt.ctx.keySent).toBe(true);
    await running.outcome;
    expect(server.requests.at(-1)!.headers['idempotency-key']).toBe('k-1');

    const silent = bench.start(httpTool(server.origin), {}, { idempotencyKey: 'k-1' });
    await silent.outcome;
    expect(silent.attempt.ctx.keySent).toBe(false);
    expect(server.requests.at(-1)!.headers).not.toHaveProperty('idempotency-key');
  });

  it('an idempotency key that no header can hold is escaped, always the same way', async () => {
    const tool = { idempotency: { header: 'Idempotency-Key', ttlMs: 1 } };
    const request = await sent('/x', { tool, options: { idempotencyKey: 'k\r\nX: 漢\ud800' } });
    expect(request.headers['idempotency-key']).toBe('k%0D%0AX%3A%20%E6%BC%A2%EF%BF%BD');
  });

  it('authorise from the userinfo of the URL, unless the author does', async () => {
    const url = server.origin.replace('://', '://us%40er:p%3Ass@');
    await bench.run(httpTool(url));
    expect(server.requests.at(-1)!.headers['authorization']).toBe(
      `Basic ${Buffer.from('us@er:p:ss').toString('base64')}`,
    );
    await bench.run(httpTool(url, { headers: { Authorization: 'Bearer t' } }));
    expect(server.requests.at(-1)!.headers['authorization']).toBe('Bearer t');
  });
});

describe('a definition that can never work', () => {
  it.each([
    ['a placeholder in the host', 'http://{host}/x', {}],
    ['a placeholder in the port', 'http://127.0.0.1:{port}/x', {}],
    ['a placeholder in the scheme', '{scheme}://127.0.0.1/x', {}],
    ['another scheme', 'file:///etc/passwd', {}],
    ['no URL', 'not a url', {}],
    ['a header name with a space', 'http://127.0.0.1/', { headers: { 'x y': '1' } }],
    ['a header value with a line break', 'http://127.0.0.1/', { headers: { x: 'a\nb' } }],
    [
      'a header that is the connection’s',
      'http://127.0.0.1/',
      { headers: { 'Transfer-Encoding': 'x' } },
    ],
    ['a method that is no token', 'http://127.0.0.1/', { method: 'GE T' }],
    ['a method that asks for a tunnel', 'http://127.0.0.1/', { method: 'connect' }],
  ])('%s makes its calls misconfigured, without a word of it', async (_name, url, http) => {
    const outcome = await bench.run(httpTool(url, http));
    expect(outcome).toEqual({
      kind: 'misconfigured',
      explanation: 'The HTTP request of the tool cannot be built.',
    });
  });
});
