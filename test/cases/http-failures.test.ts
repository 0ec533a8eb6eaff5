// The HTTP cases of real failures reported by people who run agents, through the whole product:
// configuration, route, layers, a real upstream. Identifiers are those of the case file.
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Harness, startHarness } from '../support/harness.js';
import {
  type ScriptedUpstream,
  startScriptedUpstream,
  type Step,
  times,
} from '../support/scripted-upstream.js';

/** The gateway defaults that the cases assume. */
const DEFAULTS = {
  timeout_ms: 1000,
  retry: { max_attempts: 3, base_ms: 50, max_ms: 500, max_wait_ms: 2000 },
  breaker: {
    window_ms: 10_000,
    min_calls: 5,
    failure_rate: 0.5,
    open_ms: 1000,
    half_open_probes: 1,
  },
  bulkhead: { max_concurrent: 10, max_queue: 0 },
  result: { max_bytes: 1_048_576 },
};

let upstream: ScriptedUpstream;
let gateway: Harness | undefined;

beforeEach(async () => {
  upstream = await startScriptedUpstream();
});

afterEach(async () => {
  await gateway?.close();
  gateway = undefined;
  await upstream.close();
});

interface Tool {
  name?: string;
  method?: string;
  path?: string;
  http?: object;
  [key: string]: unknown;
}

/** One tool in front of the scripted upstream. */
async function withTool(tool: Tool = {}, ...steps: Step[]): Promise<Harness> {
  const { name = 'tool', method = 'GET', path = '/', http = {}, ...rest } = tool;
  if (steps.length > 0) upstream.script(...steps);
  gateway = await startHarness({
    server: { default_deadline_ms: 5000 },
    defaults: DEFAULTS,
    tools: [
      {
        name,
        description: name,
        input_schema: { type: 'object' },
        http: { method, url: `${upstream.url}${path}`, ...http },
        ...rest,
      },
    ],
  });
  return gateway;
}

const ONCE = { retry: { max_attempts: 1 } };

function breakerState(harness: Harness, tool = 'tool'): string | undefined {
  return harness.gateway.find(tool)?.pipeline.snapshot().breaker?.state;
}

const imf = (epochMs: number): string => new Date(epochMs).toUTCString();
const nowS = (): number => Math.floor(Date.now() / 1000);

describe('C01 Retry-After as an HTTP-date', () => {
  it.each([
    ['gateway and upstream agree on the time', 0],
    ['the upstream clock is five minutes behind', -300_000],
  ])('is measured against Date: %s', async (_name, skew) => {
    const t0 = Date.now() + skew;
    const harness = await withTool(ONCE, {
      status: 429,
      headers: { date: imf(t0), 'retry-after': imf(t0 + 30_000) },
      body: '{}',
    });
    const result = await harness.callOne('tool');
    expect(result).toMatchObject({
      status: 'error',
      error_info: {
        code: 'TOOL_RATE_LIMITED',
        category: 'rate_limit',
        retryable: true,
        effect: 'completed',
        details: { retry_after_source: 'retry-after', upstream_status: 429 },
      },
    });
    expect(result.error_info?.retry_after_ms).toBeGreaterThanOrEqual(29_000);
    expect(result.error_info?.retry_after_ms).toBeLessThanOrEqual(30_000);
    expect(upstream.requests).toHaveLength(1);
  });

  it('in asctime form and past is 0', async () => {
    const harness = await withTool(ONCE, {
      status: 429,
      headers: { 'retry-after': 'Sun Nov  6 08:49:37 1994' },
    });
    expect((await harness.callOne('tool')).error_info?.retry_after_ms).toBe(0);
  });
});

describe('C03 a huge Retry-After', () => {
  it.each([
    ['3600', 3_600_000, undefined],
    ['99999999999', 86_400_000, true],
  ])('%s fails at once with the hint', async (value, expected, clamped) => {
    const harness = await withTool({}, { status: 429, headers: { 'retry-after': value } });
    const result = await harness.callOne('tool');
    expect(result.error_info).toMatchObject({
      code: 'TOOL_RATE_LIMITED',
      retryable: true,
      retry_after_ms: expected,
      effect: 'completed',
    });
    expect(result.error_info?.details['retry_after_clamped']).toBe(clamped);
    expect(result.error_info?.details['retry_stopped_by']).toBe('retry_after_exceeds_deadline');
    expect(upstream.requests).toHaveLength(1);
  });
});

describe('C04 reset headers', () => {
  it.each<[string, () => Record<string, string>, number, number]>([
    [
      'past epoch seconds',
      () => ({ 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': String(nowS() - 10) }),
      0,
      0,
    ],
    [
      'epoch seconds',
      () => ({ 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': String(nowS() + 20) }),
      19_000,
      21_000,
    ],
    [
      'epoch milliseconds',
      () => ({ 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': String(Date.now() + 20_000) }),
      18_000,
      20_000,
    ],
    [
      'seconds from now',
      () => ({ 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '2513' }),
      2_513_000,
      2_513_000,
    ],
    ['RateLimit with r=0', () => ({ ratelimit: '"default";r=0;t=7' }), 7000, 7000],
    [
      'retry-after-ms before retry-after',
      () => ({ 'retry-after-ms': '1250', 'retry-after': '9' }),
      1250,
      1250,
    ],
  ])('%s', async (_name, headers, min, max) => {
    const harness = await withTool(ONCE, { status: 429, headers: headers() });
    const { error_info } = await harness.callOne('tool');
    expect(error_info).toMatchObject({
      code: 'TOOL_RATE_LIMITED',
      retryable: true,
      effect: 'completed',
    });
    expect(error_info?.retry_after_ms).toBeGreaterThanOrEqual(min);
    expect(error_info?.retry_after_ms).toBeLessThanOrEqual(max);
  });
});

describe('C05 429 that means the account is out of money', () => {
  it('is a quota, not a rate limit', async () => {
    const harness = await withTool(
      { method: 'POST', idempotent: true },
      {
        status: 429,
        body: {
          error: { type: 'insufficient_quota', code: 'insufficient_quota', message: 'plan limit' },
        },
      },
    );
    const result = await harness.callOne('tool');
    expect(result.error_info).toMatchObject({
      code: 'UPSTREAM_QUOTA_EXHAUSTED',
      category: 'configuration',
      retryable: false,
      retry_after_ms: null,
      effect: 'completed',
      details: { upstream_status: 429, upstream_code: 'insufficient_quota' },
    });
    expect(upstream.requests).toHaveLength(1);
  });

  it('usage_limit_reached with resets_in_seconds is a rate limit with that time', async () => {
    const harness = await withTool(
      { method: 'POST', idempotent: true },
      {
        status: 429,
        body: { error: { type: 'usage_limit_reached', resets_in_seconds: 7139 } },
      },
    );
    const result = await harness.callOne('tool');
    expect(result.error_info).toMatchObject({
      code: 'TOOL_RATE_LIMITED',
      retryable: true,
      retry_after_ms: 7_139_000,
    });
    expect(upstream.requests).toHaveLength(1);
  });

  it("x-should-retry: false stops the gateway's own retries", async () => {
    const harness = await withTool(
      { method: 'POST', idempotent: true },
      { status: 429, headers: { 'x-should-retry': 'false' } },
    );
    const result = await harness.callOne('tool');
    expect(result.error_info).toMatchObject({
      code: 'TOOL_RATE_LIMITED',
      retryable: true,
      details: { retry_stopped_by: 'upstream_said_no' },
    });
    expect(upstream.requests).toHaveLength(1);
  });
});

describe('C06 403 used for rate limiting', () => {
  it.each<[string, () => Record<string, string>, string, number, number]>([
    [
      'remaining 0',
      () => ({ 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': String(nowS() + 59) }),
      'TOOL_RATE_LIMITED',
      58_000,
      60_000,
    ],
    ['Retry-After', () => ({ 'retry-after': '60' }), 'TOOL_RATE_LIMITED', 60_000, 60_000],
  ])('%s', async (_name, headers, code, min, max) => {
    const harness = await withTool(ONCE, {
      status: 403,
      headers: headers(),
      body: { message: 'secondary limit' },
    });
    const { error_info } = await harness.callOne('tool');
    expect(error_info).toMatchObject({
      code,
      category: 'rate_limit',
      retryable: true,
      details: { upstream_status: 403 },
    });
    expect(error_info?.retry_after_ms).toBeGreaterThanOrEqual(min);
    expect(error_info?.retry_after_ms).toBeLessThanOrEqual(max);
  });

  it('with calls remaining it is forbidden', async () => {
    const harness = await withTool(ONCE, {
      status: 403,
      headers: { 'x-ratelimit-remaining': '12' },
    });
    expect((await harness.callOne('tool')).error_info).toMatchObject({
      code: 'UPSTREAM_FORBIDDEN',
      retryable: false,
    });
  });
});

it('C07 a number in prose is not a status', async () => {
  const harness = await withTool(ONCE, {
    status: 500,
    headers: { 'content-type': 'text/plain' },
    body: 'req_429abc crashed at handler.mjs:429:15 after 503 rows',
  });
  expect((await harness.callOne('tool')).error_info).toMatchObject({
    code: 'UPSTREAM_SERVER_ERROR',
    category: 'execution',
    retryable: true,
    retry_after_ms: null,
    effect: 'unknown',
    details: { upstream_status: 500 },
  });
});

describe('C08 time-out after commit', () => {
  it('is not repeated where the tool is not idempotent', async () => {
    const harness = await withTool({ method: 'POST', timeout_ms: 300 }, { hang: true });
    const result = await harness.callOne('tool');
    expect(result.error_info).toMatchObject({
      code: 'TOOL_TIMEOUT',
      category: 'timeout',
      retryable: false,
      retry_after_ms: null,
      effect: 'unknown',
      details: {
        transient: true,
        scope: 'attempt',
        phase: 'awaiting_headers',
        retry_stopped_by: 'unsafe_to_repeat',
        timeout: 0.3,
      },
    });
    expect(upstream.requests).toHaveLength(1);
  });

  it('is repeated where it is', async () => {
    const harness = await withTool(
      { method: 'POST', idempotent: true, timeout_ms: 300 },
      { hang: true },
    );
    const result = await harness.callOne('tool');
    expect(result.error_info).toMatchObject({
      code: 'TOOL_TIMEOUT',
      retryable: true,
      effect: 'unknown',
    });
    expect(upstream.requests).toHaveLength(3);
  });
});

describe('C09 connection reset', () => {
  it('after the request left is not repeated for a tool that is not idempotent', async () => {
    const harness = await withTool({ method: 'POST' }, { reset: true });
    const result = await harness.callOne('tool');
    expect(result.error_info).toMatchObject({
      code: 'TOOL_TRANSPORT_ERROR',
      category: 'connection',
      retryable: false,
      effect: 'unknown',
      details: { transient: true, system_code: 'ECONNRESET', retry_stopped_by: 'unsafe_to_repeat' },
    });
    expect(upstream.requests).toHaveLength(1);
  });

  it('is repeated for one that is', async () => {
    const harness = await withTool({}, { reset: true });
    const result = await harness.callOne('tool');
    expect(result.error_info).toMatchObject({ code: 'TOOL_TRANSPORT_ERROR', retryable: true });
    expect(upstream.requests).toHaveLength(3);
  });

  it('a refused connection was never sent and may always be repeated', async () => {
    const probe = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => probe.once('listening', resolve));
    const { port } = probe.address() as AddressInfo;
    await new Promise((resolve) => probe.close(resolve));
    const harness = await withTool({ http: { method: 'POST', url: `http://127.0.0.1:${port}/` } });
    const result = await harness.callOne('tool');
    expect(result).toMatchObject({
      attempts: 3,
      error_info: {
        code: 'TOOL_CONNECTION_FAILED',
        retryable: true,
        effect: 'not_sent',
        details: { system_code: 'ECONNREFUSED' },
      },
    });
  });
});

describe('C12 an empty error is an error', () => {
  it.each([
    [500, 'UPSTREAM_SERVER_ERROR', 'execution', 'unknown'],
    [400, 'UPSTREAM_INVALID_REQUEST', 'validation', 'completed'],
  ])('%i', async (status, code, category, effect) => {
    const harness = await withTool(
      { method: 'POST' },
      { status, headers: { 'content-length': '0' } },
    );
    const result = await harness.callOne('tool');
    expect(result).toMatchObject({
      status: 'error',
      result: null,
      error_info: { code, category, retryable: false, effect },
    });
    expect(result.error).not.toBe('');
    expect(upstream.requests).toHaveLength(1);
  });
});

describe('C13 domain errors and the breaker', () => {
  it('twenty 422 leave it closed', async () => {
    const harness = await withTool({ method: 'POST', ...ONCE }, { status: 422 });
    for (let i = 0; i < 20; i++) await harness.callOne('tool');
    expect(breakerState(harness)).toBe('closed');
  });

  it('five 503 open it, the sixth is refused here and told when to come back', async () => {
    const harness = await withTool({ ...ONCE }, { status: 503 });
    for (let i = 0; i < 5; i++) await harness.callOne('tool');
    expect(breakerState(harness)).toBe('open');
    const sixth = await harness.callOne('tool');
    expect(sixth.error_info).toMatchObject({
      code: 'TOOL_CIRCUIT_OPEN',
      category: 'circuit_open',
      retryable: true,
      effect: 'not_sent',
      details: { failure_count: 5, reset_timeout: 1 },
    });
    expect(sixth.error_info?.retry_after_ms).toBeGreaterThanOrEqual(1);
    expect(sixth.error_info?.retry_after_ms).toBeLessThanOrEqual(1000);
    expect(upstream.requests).toHaveLength(5);
  });
});

it('C14 a neutral probe hands its slot back, and the next call closes the breaker', async () => {
  const harness = await withTool(
    { ...ONCE, breaker: { ...DEFAULTS.breaker, open_ms: 100 } },
    ...times(5, { status: 503 }),
    { status: 401 },
    { status: 200, body: 'ok' },
  );
  for (let i = 0; i < 5; i++) await harness.callOne('tool');
  const refused = await harness.callOne('tool');
  await new Promise((resolve) => setTimeout(resolve, refused.error_info?.retry_after_ms ?? 0));
  expect((await harness.callOne('tool')).error_info?.code).toBe('UPSTREAM_AUTH_FAILED');
  expect(breakerState(harness)).toBe('half_open');
  expect((await harness.callOne('tool')).status).toBe('ok');
  expect(breakerState(harness)).toBe('closed');
  expect(upstream.requests).toHaveLength(7);
});

it('C16 one failure out of one does not open the breaker', async () => {
  const harness = await withTool({ ...ONCE }, { status: 503 }, { status: 200, body: 'ok' });
  await harness.callOne('tool');
  expect((await harness.callOne('tool')).status).toBe('ok');
  expect(breakerState(harness)).toBe('closed');
});

describe('C23 malformed or double-encoded arguments', () => {
  const tool = {
    method: 'POST',
    input_schema: {
      type: 'object',
      required: ['plan'],
      properties: { plan: { type: 'array' }, note: { type: 'string' } },
    },
  };

  it.each([
    ['cut off', '{"plan": [1,'],
    ['null, and the schema asks for more', null],
    ['an array', [1]],
    ['a number', 5],
    ['encoded three times', JSON.stringify(JSON.stringify('{"plan":[]}'))],
  ])('%s: not executed', async (_name, args) => {
    const harness = await withTool(tool);
    const result = await harness.callOne('tool', args);
    expect(result.error_info).toMatchObject({
      code: 'TOOL_ARGUMENT_ERROR',
      category: 'validation',
      retryable: false,
      effect: 'not_sent',
      details: { validation_type: 'arguments' },
    });
    expect(upstream.requests).toHaveLength(0);
  });

  it.each([
    ['encoded twice', JSON.stringify('{"plan":[]}'), { plan: [] }],
    ['a text that looks like JSON inside', { note: '[1]', plan: [] }, { note: '[1]', plan: [] }],
  ])('%s: executed as it was meant', async (_name, args, sent) => {
    const harness = await withTool(tool);
    expect((await harness.callOne('tool', args)).status).toBe('ok');
    expect(JSON.parse(upstream.requests[0]!.body)).toEqual(sent);
  });

  it('does not echo a rejected value', async () => {
    const harness = await withTool(tool);
    const result = await harness.callOne('tool', { plan: 'SENSITIVE', note: 7 });
    expect(JSON.stringify(result)).not.toContain('SENSITIVE');
  });
});

describe('C24 siblings', () => {
  it('one failing call loses neither its siblings nor their ids', async () => {
    const harness = await withTool({
      path: '/{which}',
      input_schema: { type: 'object', properties: { which: { type: 'string' } } },
    });
    upstream.script(
      { status: 200, body: 'A', delayMs: 50 },
      { status: 400, body: 'bad' },
      { status: 200, body: 'C' },
    );
    const results = await harness.call([
      { id: 'a', tool: 'tool', arguments: { which: 'a' } },
      { id: 'b', tool: 'tool', arguments: { which: 'b' } },
      { id: 'c', tool: 'tool', arguments: { which: 'c' } },
      { id: 'd', tool: 'nope' },
    ]);
    expect(results.map(({ id }) => id)).toEqual(['a', 'b', 'c', 'd']);
    expect(results.filter(({ status }) => status === 'ok')).toHaveLength(2);
    expect(results[3]?.error_info?.code).toBe('TOOL_NOT_FOUND');
  });

  it('calls that share an id are all run and answered by position', async () => {
    const harness = await withTool({
      path: '/{which}',
      input_schema: { type: 'object', properties: { which: { type: 'integer' } } },
    });
    const results = await harness.call(
      [1, 2, 3].map((which) => ({ id: 'same', tool: 'tool', arguments: { which } })),
    );
    expect(results.map(({ id, status }) => [id, status])).toEqual(Array(3).fill(['same', 'ok']));
    expect(upstream.requests).toHaveLength(3);
  });

  it('the batch deadline gives TOOL_TIMEOUT to unfinished calls only', async () => {
    const harness = await withTool({ ...ONCE, timeout_ms: 5000 });
    upstream.script({ status: 200, body: 'done' }, { hang: true });
    const results = await harness.call([{ tool: 'tool' }, { tool: 'tool' }], { deadline_ms: 200 });
    expect(results.map(({ status }) => status).sort()).toEqual(['error', 'ok']);
    const failed = results.find(({ status }) => status === 'error');
    expect(failed?.error_info).toMatchObject({
      code: 'TOOL_TIMEOUT',
      details: { scope: 'deadline' },
    });
  });
});

describe('C25 secrets in failures', () => {
  const CANARIES = ['CANARY1', 'CANARY2', 'CANARY3', 'CANARY4', 'u:pw'];
  const tool = (port: string): Tool => ({
    http: {
      method: 'GET',
      url: `http://u:pw@127.0.0.1:${port}/x?securityToken=tok_CANARY1`,
      headers: { authorization: 'Bearer CANARY2', 'x-api-key': 'CANARY3' },
    },
  });

  it('in an echoing error body, raw, base64 and percent-encoded', async () => {
    const harness = await withTool(tool(new URL(upstream.url).port), {
      status: 500,
      headers: { 'set-cookie': 'sid=CANARY4' },
      body: `bad key CANARY3 for Bearer CANARY2 at http://u:pw@up/x?securityToken=tok_CANARY1 ${Buffer.from('tok_CANARY1').toString('base64')} ${encodeURIComponent('tok_CANARY1')}`,
    });
    const response = await harness.app.inject({
      method: 'POST',
      url: '/v1/tool-calls',
      payload: { calls: [{ tool: 'tool' }] },
    });
    const everything = `${response.body}${JSON.stringify(response.headers)}`;
    for (const canary of [...CANARIES, Buffer.from('tok_CANARY1').toString('base64')]) {
      expect(everything).not.toContain(canary);
    }
    expect(response.json()).toMatchObject({
      results: [
        { error_info: { code: 'UPSTREAM_SERVER_ERROR', retryable: true, effect: 'unknown' } },
      ],
    });
    expect(upstream.requests).toHaveLength(3);
    expect(upstream.requests[0]?.headers.authorization).toBe('Bearer CANARY2');
  });

  it('in a refused connection', async () => {
    const port = new URL(upstream.url).port;
    await upstream.close();
    const harness = await withTool(tool(port));
    const text = JSON.stringify(await harness.callOne('tool'));
    for (const canary of CANARIES) expect(text).not.toContain(canary);
    upstream = await startScriptedUpstream();
  });
});

describe('X02 redirects', () => {
  it('are not followed to another origin, nor at all by default', async () => {
    const other = await startScriptedUpstream();
    const harness = await withTool(
      { http: { headers: { 'x-api-key': 'CANARY' } } },
      { status: 302, headers: { location: `${other.url}/x` } },
    );
    const result = await harness.callOne('tool');
    expect(result.error_info).toMatchObject({
      code: 'UPSTREAM_REJECTED',
      retryable: false,
      effect: 'completed',
      details: { upstream_status: 302 },
    });
    expect(other.requests).toHaveLength(0);
    await other.close();
  });

  it('follow_redirects: same_origin follows within the origin, and only there', async () => {
    const other = await startScriptedUpstream();
    const harness = await withTool(
      { http: { follow_redirects: 'same_origin' } },
      { status: 302, headers: { location: '/there' } },
      { status: 200, body: { here: true } },
      { status: 302, headers: { location: `${other.url}/x` } },
    );
    expect((await harness.callOne('tool')).result).toEqual({ here: true });
    expect((await harness.callOne('tool')).error_info?.code).toBe('UPSTREAM_REJECTED');
    expect(other.requests).toHaveLength(0);
    await other.close();
  });
});

describe('X03 retry amplification', () => {
  it('one call makes max_attempts upstream calls and says why it stopped', async () => {
    const harness = await withTool({}, { status: 503 });
    const result = await harness.callOne('tool');
    expect(result.error_info).toMatchObject({
      code: 'UPSTREAM_UNAVAILABLE',
      category: 'connection',
      retryable: true,
      retry_after_ms: null,
      effect: 'unknown',
      details: { attempts: 3, retry_stopped_by: 'max_attempts' },
    });
    expect(upstream.requests).toHaveLength(3);
  });

  it('200 parallel calls to a dead upstream cost at most 20 % more', async () => {
    const harness = await withTool(
      { breaker: false, bulkhead: { max_concurrent: 300, max_queue: 0 } },
      { status: 503 },
    );
    const batches = [1, 2].map(() =>
      harness.call(Array.from({ length: 100 }, () => ({ tool: 'tool' }))),
    );
    const results = (await Promise.all(batches)).flat();
    expect(results).toHaveLength(200);
    expect(upstream.requests.length).toBeLessThanOrEqual(200 * 1.2 + 10);
    expect(
      results.some(({ error_info }) => error_info?.details['retry_stopped_by'] === 'budget'),
    ).toBe(true);
  });

  it('the inbound attempt counters are passed on', async () => {
    const harness = await withTool({ ...ONCE }, { status: 200, body: {} });
    await harness.app.inject({
      method: 'POST',
      url: '/v1/tool-calls',
      headers: { 'x-gateway-attempt': '2', 'grpc-previous-rpc-attempts': '1' },
      payload: { calls: [{ tool: 'tool' }] },
    });
    expect(upstream.requests[0]?.headers).toMatchObject({
      'x-gateway-attempt': '2',
      'grpc-previous-rpc-attempts': '1',
    });
  });
});

it('X04 the informative failure survives later noise', async () => {
  const harness = await withTool(
    {},
    { status: 429, headers: { 'retry-after': '1' } },
    { reset: true },
    { reset: true },
  );
  const result = await harness.callOne('tool');
  expect(result.error_info).toMatchObject({
    code: 'TOOL_TRANSPORT_ERROR',
    retryable: true,
    retry_after_ms: null,
    effect: 'unknown',
    details: {
      attempt_log: [
        { code: 'TOOL_RATE_LIMITED', status: 429, retry_after_ms: 1000 },
        { code: 'TOOL_TRANSPORT_ERROR' },
        { code: 'TOOL_TRANSPORT_ERROR' },
      ],
    },
  });
  expect(upstream.requests).toHaveLength(3);
  const [first, second] = upstream.requests;
  expect(second!.at - first!.at).toBeGreaterThanOrEqual(990);
});
