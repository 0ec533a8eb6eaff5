// The revision 2026-07-28: no session, an envelope in every request, cancellation by closing.
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Seen, startModernHttp } from '../../fixtures/mcp/modern-server.js';
import { http, onEnd, startServer, stdio, until, valueOf } from './setup.js';

async function modern() {
  const seen: Seen = {
    cancelled: 0,
    headers: [],
    metas: [],
    toolNames: ['echo', 'slow', 'steps', 'marked'],
  };
  const upstream = await startModernHttp(seen);
  onEnd(() => upstream.close());
  return { ...startServer(http(upstream.url)), upstream, seen };
}

const REVISION = '2026-07-28';

describe('over HTTP', () => {
  it('is found by the probe, lists and calls', async () => {
    const { server, call, seen } = await modern();
    await server.connect();
    expect(server.status()).toMatchObject({ state: 'connected', protocolVersion: REVISION });
    expect(server.tools()).toHaveLength(4);
    expect(valueOf(await call('echo').outcome)).toEqual({
      content: [{ type: 'text', text: 'echo' }],
    });
    expect(seen.headers[0]).toMatchObject({
      'mcp-protocol-version': REVISION,
      'mcp-method': 'tools/call',
      'mcp-name': 'echo',
    });
  });

  it('passes progress on', async () => {
    const { call } = await modern();
    const progress: unknown[] = [];
    const { outcome } = call('steps', {}, { ctx: { onProgress: (one) => progress.push(one) } });
    expect((await outcome).kind).toBe('ok');
    expect(progress).toEqual([
      { progress: 1, total: 2 },
      { progress: 2, total: 2 },
    ]);
  });

  it('hears of a cancellation by the end of the request', async () => {
    const { call, seen } = await modern();
    const { outcome, attempt } = call('slow');
    await until(() => seen.metas.length === 1, 'the call arrived');
    attempt.abort({ kind: 'cancelled', reason: 'client_left' });
    await outcome;
    await until(() => seen.cancelled === 1, 'the server has stopped');
  });

  it('gets marked arguments as headers, without which it refuses', async () => {
    const { server, call, seen } = await modern();
    await server.connect();
    const inputSchema = server
      .tools()
      .find(({ remoteName }) => remoteName === 'marked')?.inputSchema;
    const outcome = await call('marked', { region: 'eu' }, { tool: { inputSchema: inputSchema! } })
      .outcome;
    expect(outcome.kind).toBe('ok');
    expect(seen.headers[0]).toMatchObject({ 'mcp-param-region': 'eu' });
  });

  it('announces changes over a subscription', async () => {
    const { server, upstream, seen, changes } = await modern();
    await server.connect();
    expect(changes()).toBe(1);
    seen.toolNames = [...seen.toolNames, 'new'];
    await until(() => {
      upstream.handler.notify.toolsChanged();
      return server.tools().length === 5;
    }, 'the new tool is there');
    expect(changes()).toBe(2);
  });

  it('leaves nothing open when it is closed', async () => {
    const { server, call } = await modern();
    await call('echo').outcome;
    await server.close();
    expect(server.status().state).toBe('disconnected');
  });
});

describe('over stdio', () => {
  const program = join(import.meta.dirname, '../../fixtures/mcp/modern-server.ts');

  it('is found by the probe, calls, and hears of a cancellation', async () => {
    const { server, call } = startServer(stdio(['--import', 'tsx', program, 'stdio']));
    await server.connect();
    expect(server.status()).toMatchObject({ transport: 'stdio', protocolVersion: REVISION });
    expect(valueOf(await call('echo').outcome)).toEqual({
      content: [{ type: 'text', text: 'echo' }],
    });
    const { outcome, attempt } = call('slow');
    await until(() => attempt.phase === 'awaiting_headers', 'sent');
    attempt.abort({ kind: 'cancelled', reason: 'shutdown' });
    expect(await outcome).toMatchObject({ kind: 'cancelled', reason: 'shutdown' });
    expect((await call('echo').outcome).kind).toBe('ok');
  });
});
