// A reload that changes which addresses may be dialled: at once, and without forgetting what is known
// of the upstreams.
import { fileURLToPath } from 'node:url';
import { afterEach, expect, it } from 'vitest';
import { loadConfig } from '../../src/tools/load.js';
import { startFaultyServer } from '../fixtures/mcp/faulty-http.js';
import { type Harness, startHarness } from '../support/harness.js';
import { startScriptedUpstream } from '../support/scripted-upstream.js';

let harness: Harness | undefined;

afterEach(async () => {
  await harness?.close();
});

it('is in force for tools that stand, which keep breaker, limiter and budget', async () => {
  const upstream = await startScriptedUpstream({ status: 500 });
  const tools = ['fails', 'limited'].map((name) => ({
    name,
    input_schema: { type: 'object' },
    http: { method: 'GET', url: upstream.url },
    retry: { max_attempts: 2, base_ms: 1, max_ms: 1 },
    breaker: name === 'fails' && { min_calls: 1, open_ms: 60_000 },
    rate_limit: { calls: 100, per_ms: 3_600_000 },
  }));
  try {
    harness = await startHarness({ tools });
    const { gateway, callOne } = harness;
    await callOne('fails');
    await callOne('limited');
    const before = ['fails', 'limited'].map((name) => gateway.find(name));
    expect(before[0]?.pipeline.snapshot().breaker?.state).toBe('open');
    const reload = (deny: string[]): void => {
      const text = JSON.stringify({ version: 1, server: { egress: { deny } }, tools });
      const loaded = loadConfig({ file: 'test.json', text }, {});
      if (!loaded.ok) throw new Error('the configuration is faulty');
      gateway.reload(loaded.config);
    };
    reload(['127.0.0.0/8']);
    expect(['fails', 'limited'].map((name) => gateway.find(name))).toEqual(before);
    expect((await callOne('fails')).error_info?.code).toBe('TOOL_CIRCUIT_OPEN');
    const seen = upstream.requests.length;
    expect((await callOne('limited')).error_info?.code).toBe('CONFIGURATION_ERROR');
    expect(upstream.requests).toHaveLength(seen);
    reload([]);
    expect((await callOne('limited')).error_info?.code).toBe('UPSTREAM_SERVER_ERROR');
  } finally {
    await upstream.close();
  }
});

const child = {
  name: 'every',
  command: [
    process.execPath,
    fileURLToPath(new URL('../../node_modules/.bin/mcp-server-everything', import.meta.url)),
    'stdio',
  ],
};

it('gives MCP servers that we dial a new connection, a child process keeps its own', async () => {
  const remote = await startFaultyServer({ tools: () => ({ tools: [] }) });
  try {
    const config = { mcp_servers: [child, { name: 'remote', url: remote.url }] };
    harness = await startHarness(config);
    const { gateway } = harness;
    const servers = () => gateway.mcp.all().map(({ server }) => server);
    const reload = (egress: object): void => {
      const text = JSON.stringify({ version: 1, server: { egress }, ...config });
      const loaded = loadConfig({ file: 'test.json', text }, {});
      if (!loaded.ok) throw new Error('the configuration is faulty');
      gateway.reload(loaded.config);
    };
    const [kept, dialled] = servers();
    reload({ deny: ['192.0.2.0/24'] });
    const [sameChild, guarded] = servers();
    expect(sameChild).toBe(kept);
    expect(guarded).not.toBe(dialled);
    reload({ deny: ['192.0.2.0/24'] });
    expect(servers()).toEqual([kept, guarded]);
  } finally {
    await remote.close();
  }
});
