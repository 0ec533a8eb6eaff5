// What a server offers: paging without end, bad entries, changes.
import { describe, expect, it } from 'vitest';
import { type FaultyOptions, startFaultyServer } from '../../fixtures/mcp/faulty-http.js';
import { http, onEnd, startServer, until } from './setup.js';

const schema = { type: 'object' };

async function offering(
  tools: NonNullable<FaultyOptions['tools']>,
  definition: Parameters<typeof startServer>[1] = {},
  more: FaultyOptions = {},
) {
  const upstream = await startFaultyServer({ ...more, tools });
  onEnd(() => upstream.close());
  const harness = startServer(http(upstream.url), definition);
  await harness.server.connect();
  return {
    ...harness,
    upstream,
    names: () => harness.server.tools().map((tool) => tool.remoteName),
  };
}

describe('tools/list', () => {
  it('takes 10 000 tools over 100 pages', async () => {
    const { names, upstream } = await offering((cursor) => {
      const page = Number(cursor ?? 0);
      return {
        tools: Array.from({ length: 100 }, (_, index) => ({
          name: `t${page * 100 + index}`,
          inputSchema: schema,
        })),
        ...(page < 99 && { nextCursor: String(page + 1) }),
      };
    });
    expect(names()).toHaveLength(10_000);
    expect(new Set(names()).size).toBe(10_000);
    expect(upstream.listCalls).toBe(100);
  });

  it('keeps no more than 10 000, and stops where a cursor comes back', async () => {
    let count = 0;
    const endless = await offering(() => ({
      tools: Array.from({ length: 1_000 }, () => ({ name: `t${count++}`, inputSchema: schema })),
      nextCursor: String(count),
    }));
    expect(endless.names()).toHaveLength(10_000);
    const circular = await offering(() => ({
      tools: [{ name: 'a', inputSchema: schema }],
      nextCursor: 'same',
    }));
    expect(circular.names()).toEqual(['a']);
    expect(circular.upstream.listCalls).toBe(2);
  });

  it('is not harmed by bad entries', async () => {
    const { server, names, logged, call } = await offering(() => ({
      tools: [
        null,
        { inputSchema: schema },
        { name: '', inputSchema: schema },
        { name: 'no-schema' },
        { name: 'bad-output', inputSchema: schema, outputSchema: 'nonsense' },
        { name: 'odd-output', inputSchema: schema, outputSchema: { type: 'nonsense' } },
        { name: 'good', inputSchema: schema, description: 7, annotations: { readOnlyHint: true } },
        { name: 'good', inputSchema: schema, description: 'again' },
      ],
    }));
    expect(names()).toEqual(['no-schema', 'bad-output', 'odd-output', 'good']);
    const [noSchema, badOutput, oddOutput, good] = server.tools();
    expect(noSchema?.fault).toMatch(/inputSchema/);
    expect(badOutput?.fault).toMatch(/outputSchema/);
    expect(oddOutput).toMatchObject({ outputSchema: { type: 'nonsense' } });
    expect(oddOutput).not.toHaveProperty('fault');
    expect(good).toEqual({
      remoteName: 'good',
      description: undefined,
      inputSchema: schema,
      annotations: { readOnlyHint: true },
    });
    expect(logged).toContainEqual(
      expect.objectContaining({ event: 'mcp_tools_incomplete', faults: 4, level: 'warn' }),
    );
    expect(await call('no-schema').outcome).toMatchObject({ kind: 'misconfigured' });
    expect((await call('good').outcome).kind).toBe('ok');
  });

  it('keeps what the configuration wants', async () => {
    const list = () => ({ tools: ['a', 'b', 'c'].map((name) => ({ name, inputSchema: schema })) });
    const { names } = await offering(list, { include: (name) => name !== 'b' });
    expect(names()).toEqual(['a', 'c']);
  });

  it('leaves a server callable that has no list', async () => {
    const { call, names, server } = await offering(
      () => ({}),
      {},
      {
        onMessage: (exchange) => {
          if (exchange.method !== 'tools/list') return false;
          exchange.error(-32601, 'no tools');
          return true;
        },
      },
    );
    expect(names()).toEqual([]);
    expect(server.status().state).toBe('connected');
    expect((await call('t').outcome).kind).toBe('ok');
  });
});

describe('changes', () => {
  it('are fetched when the server announces them, and told when there are any', async () => {
    let announce: (() => void) | undefined;
    let current = ['a'];
    const { names, changes, upstream } = await offering(
      () => ({ tools: current.map((name) => ({ name, inputSchema: schema })) }),
      {},
      {
        onGet: (_, response) => {
          response.writeHead(200, { 'content-type': 'text/event-stream' });
          response.flushHeaders();
          const message = { jsonrpc: '2.0', method: 'notifications/tools/list_changed' };
          announce = () => response.write(`data: ${JSON.stringify(message)}\n\n`);
        },
      },
    );
    expect(changes()).toBe(1);
    await until(() => announce !== undefined, 'the stream is open');
    announce?.();
    await until(() => upstream.listCalls === 2, 'the list is fetched');
    current = ['a', 'b'];
    announce?.();
    await until(() => names().length === 2, 'the change arrived');
    expect(changes()).toBe(2);
  });
});
