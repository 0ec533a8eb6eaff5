// A tool whose provider-safe name is another's: the log says so once, with both names.
import { afterEach, expect, it } from 'vitest';
import { OFFER_FORMATS, offerTools } from '../../src/format/index.js';
import { Gateway } from '../../src/gateway/gateway.js';
import { loadConfig } from '../../src/tools/load.js';
import { startFaultyServer } from '../fixtures/mcp/faulty-http.js';

const closers: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

it('a collision that an MCP server brings is warned of once, not with every change', async () => {
  const offered = { name: 'b', inputSchema: { type: 'object' } };
  const server = await startFaultyServer({ tools: () => ({ tools: [offered] }) });
  closers.push(() => server.close());
  const tool = { input_schema: { type: 'object' }, http: { url: 'http://127.0.0.1:9/' } };
  const config = (...names: string[]) => {
    const text = JSON.stringify({
      version: 1,
      tools: names.map((name) => ({ name, ...tool })),
      mcp_servers: [{ name: 'art', url: server.url, prefix: 'a.' }],
    });
    const loaded = loadConfig({ file: 'test.json', text }, {});
    if (!loaded.ok) throw new Error(JSON.stringify(loaded.faults));
    return loaded.config;
  };
  const warnings: object[] = [];
  const gateway = new Gateway(config('a__b'), {
    log: (event, _message, level) => {
      if (level === 'warn') warnings.push(event);
    },
  });
  closers.push(() => gateway.close());
  await gateway.start();
  expect(warnings).toEqual([
    { event: 'alias_collision', tool: 'a.b', problem: expect.stringMatching(/ a__b, .* a__b$/) },
  ]);
  gateway.reload(config('a__b', 'other'));
  expect(warnings).toHaveLength(1);
  gateway.reload(config('other'));
  gateway.reload(config('a__b'));
  expect(warnings).toHaveLength(2);
  const { toAlias } = gateway.registry.aliases;
  const tools = gateway.registry.visible(() => true);
  expect(tools.map(({ name }) => name)).toEqual(['a__b', 'a.b']);
  for (const format of OFFER_FORMATS.filter((name) => name !== 'mcp')) {
    const offer = offerTools(format, tools, (name) => toAlias.get(name));
    expect(JSON.stringify(offer.tools).split('"a__b"')).toHaveLength(2);
    expect(JSON.stringify(offer.tools)).not.toContain('"a.b"');
    expect(offer.notes).toContainEqual({
      tool: 'a.b',
      at: '',
      note: 'left out: another tool has its name here',
    });
  }
});
