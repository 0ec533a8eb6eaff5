import { createHash } from 'node:crypto';
import { dirname, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { DEFAULT_POLICY, DEFAULT_SERVER } from '../../src/tools/defaults.js';
import { configOf } from './marked.js';

const here = dirname(import.meta.filename);
const sha = createHash('sha256').update('key').digest('hex');

const EXAMPLE = `
version: 1
server: { max_batch: 50, max_deadline_ms: 30000, rate_limit: { requests: 1000, per_ms: 1000 }, trust_proxy: [10.0.0.0/8] }
clients:
  - id: planner
    key_sha256: "${sha.toUpperCase()}"
    tools: ["weather.*", "!weather.admin.*"]
    rate_limit: { calls: 100, per_ms: 1000 }
defaults:
  timeout_ms: 5000
  retry: { max_attempts: 2 }
  breaker: { min_calls: 5 }
tools:
  - name: weather.forecast
    description: Forecast.
    input_schema: { type: object, properties: { city: { type: string }, days: { type: integer } }, required: [city] }
    output_schema: { type: object }
    http:
      url: https://api.example.com/v1/forecast/{city}
      query: { days: "{days}" }
      headers: { authorization: "Bearer \${WEATHER_TOKEN}" }
      result: /data
      success_when: { pointer: /status, not_equals: error }
    idempotency: { header: Idempotency-Key }
    cache: { ttl_ms: 1000 }
    retry: { base_ms: 50 }
    errors:
      - { when: { status: [409, "5xx"], header: { name: X-Kind, equals: a } }, then: { declined: not_cancellable, message: "No." } }
      - { when: { transport: ECONNREFUSED }, then: { transient: down, retry_after_ms: 2000 } }
      - { when: { status: 400, body: { pointer: /error/code, equals: null } }, then: { permanent: no_such_city } }
  - name: booking.create
    http: { method: POST, url: "https://api.example.com/bookings" }
    breaker: false
    verify: { tool: weather.forecast, arguments: { city: "{city}" }, confirmed_when: { pointer: /id, absent: false } }
  - name: calc.add
    module: ./marked.ts
mcp_servers:
  - { name: notes, url: "http://127.0.0.1:9000/mcp" }
  - { name: files, command: [node, server.js], env: { TOKEN: t0ken-value }, prefix: "", trusted: true, cwd: .., breaker: { scope: tool } }
`;

const { config, warnings } = configOf(EXAMPLE, { WEATHER_TOKEN: 'w-secret' });
const [forecast, booking, add] = config.tools;

describe('the example of the contract', () => {
  test('server and clients', () => {
    expect(config.server).toEqual({
      ...DEFAULT_SERVER,
      maxBatch: 50,
      maxDeadlineMs: 30_000,
      // Not above the limit, though nothing was said of it.
      defaultDeadlineMs: 30_000,
      rateLimit: { requests: 1000, perMs: 1000 },
      trustProxy: ['10.0.0.0/8'],
    });
    expect(config.clients).toEqual([
      {
        id: 'planner',
        keySha256: sha,
        tools: ['weather.*', '!weather.admin.*'],
        rateLimit: { calls: 100, perMs: 1000 },
      },
    ]);
  });

  test('an HTTP tool', () => {
    expect(forecast).toMatchObject({
      name: 'weather.forecast',
      idempotent: true,
      readOnly: true,
      upstream: {
        kind: 'http',
        method: 'GET',
        url: 'https://api.example.com/v1/forecast/{city}',
        query: { days: '{days}' },
        headers: { authorization: 'Bearer w-secret' },
        resultPointer: '/data',
        successWhen: { pointer: '/status', notEquals: 'error' },
        followRedirects: 'none',
      },
      idempotency: { header: 'Idempotency-Key', ttlMs: 86_400_000 },
      cache: { ttlMs: 1000, maxBytes: 1_048_576, perClient: true },
    });
    expect(forecast!.upstream).not.toHaveProperty('body');
    expect(forecast!.errorRules).toEqual([
      {
        when: { status: [409, '5xx'], header: { name: 'x-kind', equals: 'a' } },
        then: { declined: 'not_cancellable', message: 'No.' },
      },
      { when: { transport: 'ECONNREFUSED' }, then: { transient: 'down', retryAfterMs: 2000 } },
      {
        when: { status: 400, body: { pointer: '/error/code', equals: null } },
        then: { permanent: 'no_such_city' },
      },
    ]);
  });

  test('policy merges key by key: built in, defaults, tool', () => {
    expect(forecast!.policy).toEqual({
      ...DEFAULT_POLICY,
      timeoutMs: 5000,
      retry: { ...DEFAULT_POLICY.retry, maxAttempts: 2, baseMs: 50 },
      breaker: { ...DEFAULT_POLICY.breaker, minCalls: 5 },
    });
    expect(booking!.policy.breaker).toBeNull();
    expect(config.mcpServers[1]!.policy.breaker).toEqual({
      ...DEFAULT_POLICY.breaker,
      minCalls: 5,
      scope: 'tool',
    });
  });

  test('a POST is not repeatable, and its read-back is mapped', () => {
    expect(booking).toMatchObject({
      idempotent: false,
      readOnly: false,
      verify: {
        tool: 'weather.forecast',
        arguments: { city: '{city}' },
        confirmedWhen: { pointer: '/id', absent: false },
      },
    });
  });

  test('a module, from the folder of the file', () => {
    expect(add!.upstream).toEqual({ kind: 'module', path: resolve(here, 'marked.ts') });
    expect(add!.idempotent).toBe(false);
    expect(add!.inputSchema).toEqual({ type: 'object' });
    expect(warnings).toContain('tools[2]: has no input_schema: callers are not told its arguments');
  });

  test('MCP servers', () => {
    const [notes, files] = config.mcpServers;
    expect(notes).toMatchObject({
      name: 'notes',
      prefix: 'notes.',
      tools: ['*'],
      trusted: false,
      required: false,
      connect: 'eager',
      idleTimeoutMs: 60_000,
      transport: { kind: 'http', url: 'http://127.0.0.1:9000/mcp', headers: {} },
    });
    expect(files).toMatchObject({
      prefix: '',
      trusted: true,
      transport: {
        kind: 'stdio',
        command: 'node',
        args: ['server.js'],
        env: { TOKEN: 't0ken-value' },
        cwd: resolve(here, '..'),
      },
    });
  });
});

describe('policy', () => {
  const policyOf = (defaults: string, tool: string) =>
    configOf(`
version: 1
defaults: ${defaults}
tools: [{ name: t, http: { url: "http://x/" }, ${tool} }]
`).config.tools[0]!.policy;

  test.each([
    ['breaker', '{}', 'breaker: null', null],
    ['breaker', '{ breaker: false }', 'timeout_ms: 1', null],
    [
      'breaker',
      '{ breaker: false }',
      'breaker: { min_calls: 3 }',
      { ...DEFAULT_POLICY.breaker, minCalls: 3 },
    ],
    ['bulkhead', '{ bulkhead: { max_queue: 1 } }', 'bulkhead: false', null],
    ['rateLimit', '{}', 'timeout_ms: 1', null],
    ['rateLimit', '{ rate_limit: { calls: 5 } }', 'rate_limit: false', null],
    ['rateLimit', '{}', 'rate_limit: { calls: 5 }', { calls: 5, perMs: 1000, burst: 5 }],
    [
      'rateLimit',
      '{ rate_limit: { calls: 5, burst: 2 } }',
      'rate_limit: { per_ms: 60000 }',
      { calls: 5, perMs: 60_000, burst: 2 },
    ],
    [
      'retry',
      '{ retry: { base_ms: 7 } }',
      'retry: false',
      { ...DEFAULT_POLICY.retry, maxAttempts: 1 },
    ],
    [
      'retry',
      '{}',
      'retry: { base_ms: 9000 }',
      { ...DEFAULT_POLICY.retry, baseMs: 9000, maxMs: 9000 },
    ],
    [
      'retryBudget',
      '{}',
      'retry_budget: { tokens: 0 }',
      { ...DEFAULT_POLICY.retryBudget, tokens: 0 },
    ],
    [
      'result',
      '{ result: { max_bytes: 5 } }',
      'result: { on_oversize: truncate }',
      { maxBytes: 5, onOversize: 'truncate', validation: 'enforce' },
    ],
    ['trust503', '{ trust_503: true }', 'timeout_ms: 1', true],
    ['maxToolAttempts', '{ max_tool_attempts: 3 }', 'timeout_ms: 1', 3],
  ] as const)('%s of %s under { %s }', (key, defaults, tool, expected) => {
    expect(policyOf(defaults, tool)[key]).toEqual(expected);
  });
});

describe('idempotent and read-only', () => {
  test.each([
    ['http: { url: "http://x/", method: GET }', true, true],
    ['http: { url: "http://x/", method: HEAD }', true, true],
    ['http: { url: "http://x/", method: OPTIONS }', true, false],
    ['http: { url: "http://x/", method: PUT }', true, false],
    ['http: { url: "http://x/", method: DELETE }', true, false],
    ['http: { url: "http://x/", method: PATCH }', false, false],
    ['http: { url: "http://x/", method: POST }', false, false],
    ['read_only: true, http: { url: "http://x/", method: POST }', true, true],
    ['read_only: false, http: { url: "http://x/" }', true, false],
    ['idempotent: false, http: { url: "http://x/" }', false, true],
    ['idempotent: true, module: ./marked.ts', true, false],
  ])('{ %s }', (keys, idempotent, readOnly) => {
    const { config } = configOf(`version: 1\ntools: [{ name: t, ${keys} }]`);
    expect(config.tools[0]).toMatchObject({ idempotent, readOnly });
  });
});

describe('texts and forms', () => {
  const minimal = { version: 1, tools: [{ name: 't', http: { url: 'http://x/' } }] };

  test.each([
    ['JSON', JSON.stringify(minimal)],
    ['JSON indented with tabs', JSON.stringify(minimal, null, '\t')],
    ['CRLF', 'version: 1\r\ntools:\r\n  - name: t\r\n    http:\r\n      url: http://x/\r\n'],
    ['a byte order mark', `\ufeff${JSON.stringify(minimal)}`],
    ['anchors', 'version: 1\ntools:\n  - &t { name: t, http: &h { url: "http://x/" } }\n'],
    [
      'merge keys',
      'version: 1\ndefaults: &d { timeout_ms: 9 }\ntools:\n  - <<: *d\n    name: t\n    http: { url: "http://x/" }\n',
    ],
  ])('%s', (_, text) => {
    const { config } = configOf(text);
    expect(config.tools).toHaveLength(1);
    expect(config.tools[0]).toMatchObject({ name: 't', upstream: { url: 'http://x/' } });
  });

  test('an explicit key wins over a merged one', () => {
    const { config } = configOf(
      'version: 1\ndefaults: &d { timeout_ms: 9 }\ntools:\n  - { name: t, timeout_ms: 5, http: { url: "http://x/" }, <<: *d }\n',
    );
    expect(config.tools[0]!.policy.timeoutMs).toBe(5);
  });

  test('an anchor may be used by every one of a thousand tools', () => {
    const tools = Array.from({ length: 1000 }, (_, i) => `  - { name: t${i}, http: *h }`);
    const { config } = configOf(
      `version: 1\ntools:\n  - { name: t, http: &h { url: "http://x/" } }\n${tools.join('\n')}\n`,
    );
    expect(config.tools).toHaveLength(1001);
  });
});

describe('the environment', () => {
  const env = { PORT: '8080', WORD: 'word', ON: 'true', EMPTY: '', NESTED: '${WORD}', HALF: '0.5' };
  const toolOf = (keys: string) =>
    configOf(`version: 1\ntools: [{ name: t, http: { url: "http://x/" }, ${keys} }]`, env).config
      .tools[0]!;

  test('fills texts, anywhere in them, once', () => {
    expect(toolOf('description: "a ${WORD} b ${WORD}${EMPTY}"').description).toBe('a word b word');
    expect(toolOf('description: "${NESTED}"').description).toBe('${WORD}');
  });

  test('$${ is a literal', () => {
    expect(toolOf('description: "$${WORD}"').description).toBe('${WORD}');
    expect(toolOf('description: "$$${WORD}"').description).toBe('$${WORD}');
  });

  test('never in a key', () => {
    const tool = toolOf('input_schema: { properties: { "${WORD}": { type: string } } }');
    expect(tool.inputSchema['properties']).toEqual({ '${WORD}': { type: 'string' } });
  });

  test('a whole text is a number or a truth value where one is asked for, else a text', () => {
    expect(toolOf('timeout_ms: "${PORT}"').policy.timeoutMs).toBe(8080);
    expect(toolOf('breaker: { failure_rate: "${HALF}" }').policy.breaker?.failureRate).toBe(0.5);
    expect(toolOf('trust_503: "${ON}"').policy.trust503).toBe(true);
    expect(toolOf('description: "${PORT}"').description).toBe('8080');
  });
});

describe('odd, but perhaps meant: warnings', () => {
  const http = 'http: { url: "http://x/" }, input_schema: {}';
  test.each([
    [`tools: [{ name: t, http: { url: "http://x/" } }]`, /^tools\[0\]: has no input_schema/],
    [
      `tools: [{ name: t, ${http}, timeout_ms: 400000 }]`,
      /^tools\[0\]\.timeout_ms: never runs out/,
    ],
    [
      `tools: [{ name: t, http: { url: "http://x/" }, input_schema: { properties: { a: { pattern: "(?=a)" } } } }]`,
      /^tools\[0\]\.input_schema\.properties\.a\.pattern: the pattern uses lookahead/,
    ],
    [
      `tools: [{ name: t, ${http}, errors: [{ when: { status: 409 }, then: { declined: a, retry_after_ms: 5 } }] }]`,
      /^tools\[0\]\.errors\[0\]\.then: retry_after_ms has no effect/,
    ],
    [
      `tools: [{ name: t, ${http}, errors: [{ when: { transport: ECONREFUSED }, then: { declined: a } }] }]`,
      /^tools\[0\]\.errors\[0\]\.when\.transport: ECONREFUSED is no .*; did you mean ECONNREFUSED\?/,
    ],
    [
      `mcp_servers: [{ name: s, url: "http://x/", errors: [{ when: { transport: BUSY }, then: { declined: a } }] }]`,
      /^mcp_servers\[0\]\.errors\[0\]\.when\.transport: BUSY is no transport code that is known$/,
    ],
    [
      `tools: [{ name: t, ${http}, errors: [{ when: { status: 409 }, then: { code: UPSTREAM_FORBIDDEN, retry_after_pointer: /a } }] }]`,
      /retry_after_pointer has no effect/,
    ],
    [
      `tools: [{ name: t, http: { method: POST, url: "http://x/", follow_redirects: same_origin }, input_schema: {} }]`,
      /^tools\[0\]\.http\.follow_redirects: has no effect/,
    ],
    [
      `clients: [{ id: c, key_sha256: ${sha}, tools: ["!a"] }]`,
      /^clients\[0\]\.tools: lets no tool through/,
    ],
    [
      `mcp_servers: [{ name: s, url: "http://x/", tools: ["!a"] }]`,
      /^mcp_servers\[0\]\.tools: lets no/,
    ],
    [
      'server: { trust_proxy: [0.0.0.0/0] }',
      /^server\.trust_proxy\[0\]: everyone may name the address/,
    ],
  ])('%s', (text, warning) => {
    const { warnings } = configOf(`version: 1\n${text}`);
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toMatch(warning);
  });

  test("a module's own code is none", () => {
    const errors = '[{ when: { transport: SQLITE_BUSY }, then: { declined: a } }]';
    const tool = `{ name: t, module: ./marked.ts, input_schema: {}, errors: ${errors} }`;
    const { warnings } = configOf(`version: 1\ntools: [${tool}]`);
    expect(warnings).toEqual([]);
  });

  test('a hint on an outcome that may pass is none', () => {
    const rule =
      '{ when: { status: 409 }, then: { code: UPSTREAM_UNAVAILABLE, retry_after_ms: 5 } }';
    const { warnings } = configOf(`version: 1\ntools: [{ name: t, ${http}, errors: [${rule}] }]`);
    expect(warnings).toEqual([]);
  });
});
