// Who may call what: keys, patterns, what is listed, limits per client, and the secure default.
import { createHash } from 'node:crypto';
import { afterEach, describe, expect, it } from 'vitest';
import { StartFault } from '../../src/environment.js';
import { refuseOpenDoor } from '../../src/server.js';
import { createMetrics } from '../../src/telemetry/metrics.js';
import { createObserver } from '../../src/telemetry/observer.js';
import { type Harness, startHarness } from '../support/harness.js';

const sha256 = (key: string): string => createHash('sha256').update(key).digest('hex');
const module = new URL('../fixtures/tools/echo.mjs', import.meta.url).pathname;
const tool = (name: string): object => ({
  name,
  description: name,
  input_schema: { type: 'object' },
  module,
});

const CONFIG = {
  clients: [
    { id: 'planner', key_sha256: sha256('planner-key'), tools: ['weather.*', '!weather.admin.*'] },
    {
      id: 'slow',
      key_sha256: sha256('slow-key'),
      tools: ['*'],
      rate_limit: { calls: 2, per_ms: 60_000 },
    },
  ],
  tools: [tool('weather.today'), tool('weather.admin.reset'), tool('mail.send')],
};

let harness: Harness | undefined;

afterEach(async () => {
  await harness?.close();
  harness = undefined;
});

async function call(tools: string[], headers: Record<string, string>) {
  return harness!.app.inject({
    method: 'POST',
    url: '/v1/tool-calls',
    headers,
    payload: { calls: tools.map((name) => ({ tool: name })) },
  });
}

describe('with clients configured', () => {
  it.each<[string, Record<string, string>]>([
    ['no key', {}],
    ['a wrong key', { authorization: 'Bearer nope' }],
    ['a wrong scheme', { authorization: 'Basic cGxhbm5lci1rZXk=' }],
    ['an empty key', { 'x-api-key': '' }],
    ['a key of 100 kB', { 'x-api-key': 'k'.repeat(10_000) }],
  ])('%s is 401', async (_name, headers) => {
    harness = await startHarness(CONFIG);
    const response = await call(['weather.today'], headers);
    expect(response.statusCode).toBe(401);
    expect(response.headers['www-authenticate']).toMatch(/Bearer/);
    expect(response.headers['content-type']).toMatch(/problem\+json/);
  });

  it.each<[string, Record<string, string>]>([
    ['Authorization', { authorization: 'Bearer planner-key' }],
    ['X-API-Key', { 'x-api-key': 'planner-key' }],
  ])(
    'a key in %s is taken; only what the client may use runs and is listed',
    async (_name, headers) => {
      harness = await startHarness(CONFIG);
      const response = await call(
        ['weather.today', 'weather.admin.reset', 'mail.send', 'nope'],
        headers,
      );
      const results = response.json().results as {
        status: string;
        error_info: { code: string; details: object };
      }[];
      expect(results[0]?.status).toBe('ok');
      expect(results.slice(1).map((result) => result.error_info.code)).toEqual([
        'TOOL_NOT_PERMITTED',
        'TOOL_NOT_PERMITTED',
        'TOOL_NOT_FOUND',
      ]);
      expect(results[3]?.error_info.details).toMatchObject({ available_tools: ['weather.today'] });
      const listed = await harness.app.inject({ url: '/v1/tools', headers });
      expect(listed.json().tools.map(({ name }: { name: string }) => name)).toEqual([
        'weather.today',
      ]);
      const hidden = await harness.app.inject({ url: '/v1/tools/mail.send', headers });
      expect(hidden.statusCode).toBe(404);
      expect(hidden.body).not.toContain('weather.admin');
    },
  );

  it("a client's own limit is over all its calls, and says when to come back", async () => {
    harness = await startHarness(CONFIG);
    const response = await call(['weather.today', 'mail.send', 'mail.send'], {
      'x-api-key': 'slow-key',
    });
    const results = response.json().results;
    expect(results.map((r: { status: string }) => r.status)).toEqual(['ok', 'ok', 'error']);
    expect(results[2].error_info).toMatchObject({
      code: 'TOOL_RATE_LIMITED',
      retryable: true,
      effect: 'not_sent',
      details: { scope: 'client', limit: 2 },
    });
    expect(results[2].error_info.retry_after_ms).toBeGreaterThan(0);
  });

  it("a call over a client's own limit counts as limited", async () => {
    const metrics = createMetrics();
    const gatewayOptions = { observer: createObserver(metrics) };
    harness = await startHarness(CONFIG, { metrics, gatewayOptions });
    await call(['weather.today', 'mail.send', 'mail.send'], { 'x-api-key': 'slow-key' });
    expect(await metrics.render()).toContain(
      'toolgate_rate_limited_total{tool="mail.send",scope="client"} 1',
    );
  });

  it('health shows tools to callers with a key only; metrics need the admin key', async () => {
    harness = await startHarness(CONFIG, { adminKey: 'admin-key' });
    expect((await harness.app.inject('/livez')).statusCode).toBe(200);
    expect((await harness.app.inject('/readyz')).statusCode).toBe(200);
    expect((await harness.app.inject('/healthz')).json().tools).toBeNull();
    const mine = await harness.app.inject({
      url: '/healthz',
      headers: { 'x-api-key': 'planner-key' },
    });
    expect(mine.json().tools.map(({ name }: { name: string }) => name)).toEqual(['weather.today']);
    expect((await harness.app.inject('/metrics')).statusCode).toBe(401);
    expect(
      (await harness.app.inject({ url: '/metrics', headers: { 'x-api-key': 'planner-key' } }))
        .statusCode,
    ).toBe(403);
    expect(
      (await harness.app.inject({ url: '/metrics', headers: { 'x-api-key': 'admin-key' } }))
        .statusCode,
    ).toBe(200);
  });
});

describe('without clients', () => {
  it('anyone on this machine may call', async () => {
    harness = await startHarness({ tools: CONFIG.tools });
    expect((await call(['mail.send'], {})).json().results[0].status).toBe('ok');
  });

  it.each<[string, Record<string, string>]>([
    ['another Host (DNS rebinding)', { host: 'evil.example' }],
    ['a page of another origin', { origin: 'https://evil.example' }],
    ['an opaque origin', { origin: 'null' }],
  ])('%s is refused', async (_name, headers) => {
    harness = await startHarness({ tools: CONFIG.tools });
    expect((await call(['mail.send'], headers)).statusCode).toBe(403);
  });

  it.each(['203.0.113.9', '2001:db8::1'])(
    'another machine is refused, as after a reload without clients: %s',
    async (remoteAddress) => {
      harness = await startHarness({ tools: CONFIG.tools });
      const response = await harness.app.inject({
        url: '/v1/tools',
        headers: { host: 'localhost' },
        remoteAddress,
      });
      expect(response.statusCode).toBe(403);
    },
  );

  it.each(['127.0.0.1', '127.8.9.1', '::1', '::ffff:127.0.0.1'])(
    'this machine is answered under each of its addresses: %s',
    async (remoteAddress) => {
      harness = await startHarness({ tools: CONFIG.tools });
      expect((await harness.app.inject({ url: '/v1/tools', remoteAddress })).statusCode).toBe(200);
    },
  );

  it('another address than loopback is not listened on, unless it is wanted', async () => {
    harness = await startHarness({ tools: CONFIG.tools });
    const { gateway } = harness;
    const door = { host: '0.0.0.0', port: 0, allowAnonymous: false };
    expect(() => {
      refuseOpenDoor(gateway, door);
    }).toThrow(StartFault);
    expect(() => {
      refuseOpenDoor(gateway, { ...door, host: '127.0.0.1' });
    }).not.toThrow();
    expect(() => {
      refuseOpenDoor(gateway, { ...door, allowAnonymous: true });
    }).not.toThrow();
  });
});

describe('the limit of requests', () => {
  const limited = (server: object = {}): object => ({
    server: { rate_limit: { requests: 2, per_ms: 60_000 }, ...server },
  });

  it('is one for all routes, those that do not exist included', async () => {
    harness = await startHarness(limited());
    const statuses: number[] = [];
    for (const url of ['/nope', '/v1/tools', '/v1/errors', '/nope', '/livez']) {
      statuses.push((await harness.app.inject(url)).statusCode);
    }
    expect(statuses).toEqual([404, 200, 429, 429, 200]);
  });

  it('takes X-Forwarded-For for the address only from a proxy that is trusted', async () => {
    const statuses = async (server: object): Promise<number[]> => {
      harness = await startHarness(limited(server));
      const { app } = harness;
      const from = async (address: string): Promise<number> =>
        (await app.inject({ url: '/v1/errors', headers: { 'x-forwarded-for': address } }))
          .statusCode;
      const all = [await from('192.0.2.1'), await from('192.0.2.2'), await from('192.0.2.3')];
      await harness.close();
      return all;
    };
    expect(await statuses({})).toEqual([200, 200, 429]);
    expect(await statuses({ trust_proxy: ['127.0.0.1'] })).toEqual([200, 200, 200]);
    harness = undefined;
  });

  it('of a client is not reset by requests from more addresses than are remembered', async () => {
    const server = { rate_limit: { requests: 2, per_ms: 600_000 }, trust_proxy: ['127.0.0.1'] };
    harness = await startHarness({ ...CONFIG, server });
    const { app } = harness;
    const known = async (): Promise<number> =>
      (await app.inject({ url: '/v1/tools', headers: { 'x-api-key': 'planner-key' } })).statusCode;
    const stranger = async (n: number): Promise<number> => {
      const address = `10.0.${Math.floor(n / 250)}.${n % 250}`;
      return (await app.inject({ url: '/nope', headers: { 'x-forwarded-for': address } }))
        .statusCode;
    };
    expect([await known(), await known(), await known()]).toEqual([200, 200, 429]);
    for (let n = 0; n < 3; n += 1) await stranger(5000);
    for (let n = 0; n < 5000; n += 1) await stranger(n);
    expect(await known()).toBe(429);
    // Of addresses the one longest unseen is forgotten; the others are counted on.
    expect([await stranger(4999), await stranger(4999)]).toEqual([404, 429]);
    expect(await stranger(5000)).toBe(404);
  });

  it('counts a batch once, per client, and answers 429 with its headers', async () => {
    harness = await startHarness({
      ...CONFIG,
      server: { rate_limit: { requests: 2, per_ms: 60_000 } },
    });
    const headers = { 'x-api-key': 'planner-key' };
    const many = Array<string>(20).fill('weather.today');
    expect((await call(many, headers)).headers['ratelimit']).toBe('"default";r=1;t=60');
    expect((await call(many, headers)).statusCode).toBe(200);
    const refused = await call(['weather.today'], headers);
    expect(refused.statusCode).toBe(429);
    expect(refused.headers['retry-after']).toBe('60');
    expect(refused.headers['ratelimit']).toBe('"default";r=0;t=60');
    expect(refused.headers['ratelimit-policy']).toBe('"default";q=2;w=60');
    expect(refused.json()).toMatchObject({
      status: 429,
      error_info: { code: 'TOOL_RATE_LIMITED', retryable: true, details: { scope: 'envelope' } },
    });
    expect((await call(['mail.send'], { 'x-api-key': 'slow-key' })).statusCode).toBe(200);
    expect((await harness.app.inject('/livez')).statusCode).toBe(200);
  });
});

describe('the admin routes', () => {
  it('answer the admin key only', async () => {
    harness = await startHarness(CONFIG, { adminKey: 'admin-key' });
    const url = '/admin/reload';
    expect((await harness.app.inject({ method: 'POST', url })).statusCode).toBe(401);
    expect(
      (await harness.app.inject({ method: 'POST', url, headers: { 'x-api-key': 'planner-key' } }))
        .statusCode,
    ).toBe(403);
  });

  it('answer nobody where there is no admin key', async () => {
    harness = await startHarness({ tools: CONFIG.tools });
    expect((await harness.app.inject({ method: 'POST', url: '/admin/reload' })).statusCode).toBe(
      401,
    );
  });
});
