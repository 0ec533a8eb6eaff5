// GET /v1/tools/{name}: the policy in force, whole, and nothing beside it.
import { afterEach, expect, it } from 'vitest';
import { loadConfig } from '../../src/tools/load.js';
import { type Harness, startHarness } from '../support/harness.js';

let harness: Harness | undefined;

afterEach(async () => {
  await harness?.close();
});

const base = {
  input_schema: { type: 'object' },
  http: { method: 'GET', url: 'http://127.0.0.1:9/' },
};
const tuned = {
  timeout_ms: 900,
  retry: { max_attempts: 2, base_ms: 7, max_ms: 70, max_wait_ms: 700 },
  retry_budget: { tokens: 50, retry_cost: 5, success_refill: 2 },
  breaker: { window_ms: 5000, min_calls: 4, failure_rate: 0.25, open_ms: 2000 },
  bulkhead: { max_concurrent: 3, max_queue: 4, queue_timeout_ms: 60 },
  rate_limit: { calls: 10, per_ms: 100, burst: 12 },
  result: { max_bytes: 2000, on_oversize: 'truncate', validation: 'warn' },
  trust_503: true,
  max_tool_attempts: 5,
  on_suspicion: 'fail',
  idempotency: { header: 'idempotency-key', ttl_ms: 1000 },
  cache: { ttl_ms: 60, max_bytes: 2000, per_client: false },
};
const bare = { breaker: false, bulkhead: false, retry: false };
const tools = [
  { name: 'plain', ...base },
  { name: 'tuned', ...base, ...tuned },
  { name: 'bare', ...base, ...bare },
  {
    name: 'verified',
    ...base,
    http: { method: 'POST', url: 'http://127.0.0.1:9/' },
    verify: {
      tool: 'plain',
      arguments: { account: 'constant-of-the-author' },
      confirmed_when: { pointer: '/found', equals: true },
    },
  },
];

async function policyOf(name: string): Promise<Record<string, unknown>> {
  const response = await harness!.app.inject(`/v1/tools/${name}`);
  expect(response.statusCode).toBe(200);
  return response.json<{ policy: Record<string, unknown> }>().policy;
}

it('says what is in force, in the words of the configuration', async () => {
  harness = await startHarness({ tools });
  expect(await policyOf('tuned')).toMatchObject(tuned);
  expect(await policyOf('bare')).toMatchObject({
    breaker: null,
    bulkhead: null,
    rate_limit: null,
    cache: null,
    idempotency: null,
    verify: null,
    retry: { max_attempts: 1 },
  });
  const verified = await harness.app.inject('/v1/tools/verified');
  expect(verified.json()).toMatchObject({ policy: { verify: { tool: 'plain' } } });
  expect(verified.body).not.toContain('constant-of-the-author');
});

it.each(tools.map(({ name }) => name))('could stand in the file: %s', async (name) => {
  harness = await startHarness({ tools });
  const shown = Object.entries(await policyOf(name)).filter(
    ([key, value]) =>
      key !== 'verify' && !(value === null && ['idempotency', 'cache'].includes(key)),
  );
  const tool = { name, ...base, ...Object.fromEntries(shown) };
  const loaded = loadConfig(
    { file: 'test.json', text: JSON.stringify({ version: 1, tools: [tool] }) },
    {},
  );
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.faults));
  const [again] = loaded.config.tools;
  const { definition } = harness.gateway.find(name)!;
  expect(again?.policy).toEqual(definition.policy);
  expect([again?.idempotency, again?.cache]).toEqual([definition.idempotency, definition.cache]);
});
