// Order within a batch: depends_on and $from.
import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { dependencyGraph } from '../../src/gateway/dependencies.js';
import { type Harness, startHarness } from '../support/harness.js';
import { type ScriptedUpstream, startScriptedUpstream } from '../support/scripted-upstream.js';

let upstream: ScriptedUpstream | undefined;
let harness: Harness | undefined;

afterEach(async () => {
  await harness?.close();
  await upstream?.close();
});

const echo = new URL('../fixtures/tools/echo.mjs', import.meta.url).pathname;

async function start(): Promise<Harness> {
  upstream = await startScriptedUpstream({ status: 404, body: {} });
  harness = await startHarness({
    tools: [
      {
        name: 'echo',
        description: 'echo',
        input_schema: { type: 'object', properties: { n: { type: 'integer' } } },
        module: echo,
      },
      {
        name: 'fail',
        description: 'fail',
        input_schema: { type: 'object' },
        http: { method: 'GET', url: `${upstream.url}/` },
      },
    ],
  });
  return harness;
}

it('a value is taken from an earlier result, then the arguments are validated', async () => {
  const { call } = await start();
  const results = await call([
    {
      id: 'use',
      tool: 'echo',
      arguments: { n: { $from: 'make', pointer: '/items/1/id' }, list: [{ $from: 'make' }] },
      depends_on: ['make'],
    },
    { id: 'make', tool: 'echo', arguments: { items: [{ id: 1 }, { id: 42 }] } },
    { id: 'wrong', tool: 'echo', arguments: { n: { $from: 'make', pointer: '/items' } } },
    { id: 'nowhere', tool: 'echo', arguments: { n: { $from: 'make', pointer: '/nope' } } },
  ]);
  expect(results[0]).toMatchObject({
    id: 'use',
    status: 'ok',
    result: { n: 42, list: [{ items: [{ id: 1 }, { id: 42 }] }] },
  });
  expect(results[2]?.error_info).toMatchObject({
    code: 'TOOL_ARGUMENT_ERROR',
    details: { errors: { '/n': expect.any(String) } },
  });
  expect(results[3]?.error_info).toMatchObject({
    code: 'TOOL_ARGUMENT_ERROR',
    details: { errors: { '/n': expect.stringContaining('/nope') } },
  });
});

it('what depends on a failure is not run, and says on whose', async () => {
  const { call } = await start();
  const results = await call([
    { id: 'a', tool: 'fail' },
    { id: 'b', tool: 'echo', depends_on: ['a'] },
    { id: 'c', tool: 'echo', depends_on: ['b'] },
    { id: 'd', tool: 'echo' },
  ]);
  expect(results.map((r) => r.error_info?.code)).toEqual([
    'UPSTREAM_REJECTED',
    'DEPENDENCY_FAILED',
    'DEPENDENCY_FAILED',
    undefined,
  ]);
  expect(results[1]?.error_info).toMatchObject({
    category: 'cancelled',
    retryable: false,
    effect: 'not_sent',
    details: { dependency: { id: 'a', code: 'UPSTREAM_REJECTED' } },
  });
});

describe('a faulty graph is a fault of the envelope, and nothing runs', () => {
  it.each<[string, object[], string]>([
    [
      'a cycle',
      [
        { id: 'a', tool: 'echo', depends_on: ['b'] },
        { id: 'b', tool: 'echo', depends_on: ['a'] },
      ],
      '/calls/0/depends_on',
    ],
    [
      'a cycle through $from',
      [{ id: 'a', tool: 'echo', arguments: { x: { $from: 'a' } } }],
      '/calls/0/depends_on',
    ],
    ['an unknown id', [{ id: 'a', tool: 'echo', depends_on: ['nope'] }], '/calls/0/depends_on'],
    [
      'an unknown id in $from',
      [{ id: 'a', tool: 'echo', arguments: { x: [{ $from: 'nope' }] } }],
      '/calls/0/arguments',
    ],
    [
      'a duplicated id',
      [
        { id: 'a', tool: 'echo' },
        { id: 'a', tool: 'echo' },
        { id: 'b', tool: 'echo', depends_on: ['a'] },
      ],
      '/calls/1/id',
    ],
  ])('%s', async (_name, calls, place) => {
    const { app } = await start();
    const response = await app.inject({
      method: 'POST',
      url: '/v1/tool-calls',
      payload: { calls },
    });
    expect(response.statusCode).toBe(400);
    const { code, details } = response.json().error_info;
    expect(code).toBe('PARSER_INVALID_FORMAT');
    expect(Object.keys(details.errors).some((pointer) => pointer.startsWith(place))).toBe(true);
  });
});

it('a large result named often is refused, not built', async () => {
  const { call } = await start();
  const items = Array.from({ length: 20_000 }, (_, i) => i);
  const often = (times: number): object => ({ items: Array(times).fill({ $from: 'make' }) });
  const results = await call([
    { id: 'make', tool: 'echo', arguments: { items } },
    { id: 'few', tool: 'echo', arguments: often(2) },
    { id: 'many', tool: 'echo', arguments: often(10_000) },
  ]);
  expect(results[1]?.status).toBe('ok');
  const { code, details } = results[2]!.error_info!;
  expect(code).toBe('TOOL_ARGUMENT_ERROR');
  expect(Object.entries(details['errors'] as object)).toEqual([
    [expect.stringMatching(/^\/items\/\d{2}$/), expect.stringMatching(/larger than/)],
  ]);
});

it.each(['$from', '\\u0024from', '$\\u0066rom'])(
  '%s is a reference however it is escaped',
  async (name) => {
    const harness = await start();
    const response = await harness.app.inject({
      method: 'POST',
      url: '/v1/tool-calls',
      headers: { 'content-type': 'application/json' },
      payload: `{"calls":[{"id":"make","tool":"echo","arguments":{"n":42}},{"tool":"echo","arguments":{"n":{"${name}":"make","pointer":"/n"}}}]}`,
    });
    expect(response.json().results[1]).toMatchObject({ result: { n: 42 } });
  },
);

it('an object with $from among other members is data', async () => {
  const { callOne } = await start();
  const args = { x: { $from: 'a', pointer: '/b', more: 1 } };
  expect((await callOne('echo', args)).result).toEqual(args);
});

it('a long chain is kept, each call after the one behind it', async () => {
  harness = await startHarness({
    server: { max_batch: 10_000 },
    tools: [{ name: 'echo', input_schema: { type: 'object' }, module: echo }],
  });
  const calls = Array.from({ length: 5_000 }, (_, i) => ({
    id: `c${i}`,
    tool: 'echo',
    arguments: { from: i < 4_999 ? { $from: `c${i + 1}`, pointer: '/n' } : 0, n: i },
  }));
  const results = await harness.call(calls);
  expect(results.map(({ result }) => result)).toEqual(
    calls.map((_call, i) => ({ from: i < 4_999 ? i + 1 : 0, n: i })),
  );
});

describe('the graph', () => {
  const call = (id: string, ...dependsOn: string[]) => ({
    id,
    tool: 't',
    arguments: {},
    dependsOn,
  });

  it('names only the calls that wait in the circle or behind it', () => {
    const calls = [call('z'), call('a', 'b'), call('b', 'a'), call('y', 'z'), call('x', 'a')];
    const result = dependencyGraph(calls, false);
    expect(Object.keys(result.ok ? {} : result.errors)).toEqual([
      '/calls/1/depends_on',
      '/calls/2/depends_on',
      '/calls/4/depends_on',
    ]);
  });

  it('names a few of very many faults', () => {
    const strangers = Array.from({ length: 5_000 }, (_, i) => `stranger${i}`);
    const result = dependencyGraph([call('a', ...strangers)], false);
    const named = Object.keys(result.ok ? {} : result.errors);
    expect(named).toHaveLength(20);
    expect(named[0]).toBe('/calls/0/depends_on/0');
  });

  it('takes any order without a circle', () => {
    const edges = fc
      .integer({ min: 1, max: 12 })
      .chain((n) =>
        fc.tuple(...Array.from({ length: n }, (_, i) => fc.subarray([...Array(i).keys()]))),
      );
    fc.assert(
      fc.property(edges, fc.infiniteStream(fc.nat()), (on, random) => {
        const calls = on.map((wanted, i) => call(`c${i}`, ...wanted.map((j) => `c${j}`)));
        calls.sort(() => (random.next().value % 2 === 0 ? 1 : -1));
        expect(dependencyGraph(calls, false).ok).toBe(true);
      }),
    );
  });
});
