// MCP servers through the whole product: their tools, their trouble in /healthz, lazy connects,
// reloads that lose no call.
import { createHash } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import { Cancellation } from '../../src/cancellation.js';
import { ANONYMOUS } from '../../src/gateway/clients.js';
import { loadConfig } from '../../src/tools/load.js';
import { type Harness, startHarness } from '../support/harness.js';

let harness: Harness | undefined;

afterEach(async () => {
  await harness?.close();
  harness = undefined;
});

const bin = (name: string): string =>
  fileURLToPath(new URL(`../../node_modules/.bin/${name}`, import.meta.url));
const everything = (more: object = {}): object => ({
  name: 'every',
  command: [process.execPath, bin('mcp-server-everything'), 'stdio'],
  ...more,
});

describe('a server over stdio', () => {
  it('offers its tools under its prefix and answers; readiness waits for a required one', async () => {
    harness = await startHarness({
      mcp_servers: [everything({ required: true, tools: ['echo', 'get-sum'] })],
    });
    const tools = (await harness.app.inject('/v1/tools')).json().tools as { name: string }[];
    expect(tools.map(({ name }) => name).sort()).toEqual(['every.echo', 'every.get-sum']);
    const result = await harness.callOne('every.echo', { message: 'hej' });
    expect(result).toMatchObject({
      status: 'ok',
      result: { content: [{ type: 'text', text: 'Echo: hej' }] },
    });
    expect((await harness.callOne('every.echo', { message: 5 })).error_info?.code).toBe(
      'TOOL_ARGUMENT_ERROR',
    );
    expect((await harness.app.inject('/readyz')).statusCode).toBe(200);
    expect((await harness.app.inject('/healthz')).json().mcp_servers).toEqual([
      { name: 'every', state: 'connected', tools: 2, required: true },
    ]);
  });

  it('that is lazy connects when one of its tools is called', async () => {
    harness = await startHarness({ mcp_servers: [everything({ connect: 'lazy' })] });
    // Nobody has asked for it yet: that is no trouble.
    expect((await harness.app.inject('/healthz')).json()).toMatchObject({
      status: 'ok',
      mcp_servers: [{ name: 'every', state: 'disconnected', tools: 0 }],
    });
    expect((await harness.callOne('every.echo', { message: 'x' })).status).toBe('ok');
  });

  it('is shown in /healthz to those who may use one of its tools', async () => {
    const key = (name: string): string => createHash('sha256').update(name).digest('hex');
    harness = await startHarness({
      mcp_servers: [
        everything({ tools: ['echo', 'get-sum'] }),
        everything({ name: 'lazy', connect: 'lazy' }),
      ],
      clients: [
        { id: 'one', key_sha256: key('one'), tools: ['every.echo'] },
        { id: 'lazy', key_sha256: key('lazy'), tools: ['lazy.*'] },
        { id: 'none', key_sha256: key('none'), tools: ['other.*'] },
      ],
    });
    const shown = async (name: string): Promise<unknown> => {
      const headers = { 'x-api-key': name };
      return (await harness?.app.inject({ url: '/healthz', headers }))?.json().mcp_servers;
    };
    expect(await shown('one')).toEqual([
      { name: 'every', state: 'connected', tools: 1, required: false },
    ]);
    expect(await shown('lazy')).toEqual([
      { name: 'lazy', state: 'disconnected', tools: 0, required: false },
    ]);
    expect(await shown('none')).toEqual([]);
  });

  describe('that never answers', () => {
    const mute = {
      name: 'mute',
      command: [process.execPath, '-e', 'setInterval(() => 0, 1000)'],
      connect: 'lazy',
    };

    it('costs a call its own time, not that of the batch', async () => {
      harness = await startHarness({ mcp_servers: [mute] });
      const result = await harness.callOne('mute.tool', {}, { timeout_ms: 200 });
      expect(result.error_info).toMatchObject({
        code: 'MCP_CONNECTION_FAILED',
        effect: 'not_sent',
      });
    });

    it('is trouble once it was asked for', async () => {
      const dead = { ...mute, name: 'dead', command: [process.execPath, '-e', 'process.exit(3)'] };
      harness = await startHarness({ mcp_servers: [dead] });
      await harness.callOne('dead.tool');
      expect((await harness.app.inject('/healthz')).json().status).toBe('degraded');
    });

    it('does not hold a call that was cancelled', async () => {
      harness = await startHarness({ mcp_servers: [mute] });
      const cancellation = new Cancellation();
      const answer = harness.gateway.execute({
        calls: [{ id: 'c', tool: 'mute.tool', arguments: {} }],
        batchId: 'b',
        requestId: 'r',
        client: ANONYMOUS,
        format: 'native',
        receivedAt: performance.now(),
        returnOrder: 'submission',
        mayReference: false,
        cancellation,
      });
      cancellation.cancel('client_left');
      const outcome = await answer;
      expect(outcome.ok && outcome.results[0]?.errorInfo?.code).toBe('TOOL_CANCELLED');
      expect(cancellation.listenerCount).toBe(0);
    });
  });

  it('that does not start is its own trouble', async () => {
    harness = await startHarness({
      mcp_servers: [
        everything(),
        { name: 'dead', command: [process.execPath, '-e', 'process.exit(3)'], required: true },
      ],
    });
    expect((await harness.callOne('every.echo', { message: 'x' })).status).toBe('ok');
    expect((await harness.callOne('dead.tool')).error_info).toMatchObject({
      code: 'MCP_CONNECTION_FAILED',
      retryable: true,
      effect: 'not_sent',
      details: { server_name: 'dead', tool_name: 'dead.tool' },
    });
    expect((await harness.callOne('other.tool')).error_info?.code).toBe('TOOL_NOT_FOUND');
    expect((await harness.app.inject('/readyz')).statusCode).toBe(503);
    expect((await harness.app.inject('/healthz')).json().status).toBe('degraded');
  });

  it('that changes in a reload gets a new connection, and its tools follow', async () => {
    harness = await startHarness({ mcp_servers: [everything()] });
    const { gateway } = harness;
    const text = JSON.stringify({
      version: 1,
      mcp_servers: [everything({ idle_timeout_ms: 1234 })],
    });
    const loaded = loadConfig({ file: 'test.json', text }, {});
    if (!loaded.ok) throw new Error('the configuration is faulty');
    const running = harness.callOne('every.trigger-long-running-operation', {
      duration: 1,
      steps: 1,
    });
    const before = gateway.find('every.echo');
    gateway.reload(loaded.config);
    await gateway.start();
    expect(gateway.find('every.echo')).not.toBe(before);
    expect((await harness.callOne('every.echo', { message: 'x' })).status).toBe('ok');
    expect((await running).status).toBe('ok');
  });
});
