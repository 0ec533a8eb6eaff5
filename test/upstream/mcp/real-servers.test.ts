// Servers that others wrote, over each transport that they speak.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { http, onEnd, startServer, stdio, until, valueOf } from './setup.js';

const PACKAGES = join(import.meta.dirname, '../../../node_modules/@modelcontextprotocol');
const EVERYTHING = join(PACKAGES, 'server-everything/dist/index.js');

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as { port: number };
  probe.close();
  await once(probe, 'close');
  return port;
}

async function everythingOver(kind: 'streamableHttp' | 'sse'): Promise<string> {
  const port = await freePort();
  const child = spawn(process.execPath, [EVERYTHING, kind], {
    env: { ...process.env, PORT: String(port) },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let said = '';
  child.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()));
  onEnd(async () => {
    const gone = once(child, 'exit');
    child.kill('SIGKILL');
    await gone;
  });
  await until(() => /listening|running/i.test(said), `server-everything ${kind} is up`, 15_000);
  return `http://127.0.0.1:${port}/${kind === 'sse' ? 'sse' : 'mcp'}`;
}

describe('server-everything', () => {
  const transports = {
    stdio: () => Promise.resolve(stdio([EVERYTHING, 'stdio'])),
    'streamable HTTP': async () => http(await everythingOver('streamableHttp')),
    'HTTP+SSE, found by falling back': async () => http(await everythingOver('sse')),
  };
  it.each(Object.entries(transports))('lists and calls over %s', async (_, transport) => {
    const { server, call } = startServer(await transport());
    await server.connect();
    expect(server.status().state).toBe('connected');
    expect(server.tools().map(({ remoteName }) => remoteName)).toContain('echo');

    const echoed = await call('echo', { message: 'hej' }).outcome;
    expect(valueOf(echoed)).toEqual({ content: [{ type: 'text', text: 'Echo: hej' }] });

    const image = valueOf(await call('get-tiny-image').outcome);
    expect(image['content']).toContainEqual(
      expect.objectContaining({ type: 'image', mimeType: 'image/png' }),
    );

    const structured = valueOf(
      await call('get-structured-content', { location: 'Chicago' }).outcome,
    );
    expect(structured['structuredContent']).toHaveProperty('temperature');

    const bad = await call('echo', {}).outcome;
    expect(['mcp-result', 'mcp-error']).toContain(bad.kind);
  });

  it('passes progress on', async () => {
    const { call } = startServer(stdio([EVERYTHING, 'stdio']));
    const progress: unknown[] = [];
    const { outcome } = call(
      'trigger-long-running-operation',
      { duration: 0.3, steps: 3 },
      { ctx: { onProgress: (one) => progress.push(one) } },
    );
    expect((await outcome).kind).toBe('ok');
    expect(progress).toContainEqual({ progress: 1, total: 3 });
  });
});

describe('server-filesystem and server-memory', () => {
  it('read a file, and refuse one outside', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'toolgate-fs-'));
    onEnd(() => rm(directory, { recursive: true }));
    await writeFile(join(directory, 'a.txt'), 'inside');
    const { call } = startServer(
      stdio([join(PACKAGES, 'server-filesystem/dist/index.js'), directory]),
    );
    const read = await call('read_text_file', { path: join(directory, 'a.txt') }).outcome;
    expect(valueOf(read)['content']).toEqual([{ type: 'text', text: 'inside' }]);
    const refused = await call('read_text_file', { path: '/etc/hostname' }).outcome;
    expect(refused).toMatchObject({ kind: 'mcp-result', problem: 'is_error' });
  });

  it('remembers, in a file that only its configuration names', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'toolgate-memory-'));
    onEnd(() => rm(directory, { recursive: true }));
    const env = { MEMORY_FILE_PATH: join(directory, 'memory.jsonl') };
    const { call } = startServer(stdio([join(PACKAGES, 'server-memory/dist/index.js')], env));
    const entity = { name: 'Oslo', entityType: 'city', observations: ['cold'] };
    expect((await call('create_entities', { entities: [entity] }).outcome).kind).toBe('ok');
    const graph = valueOf(await call('read_graph').outcome);
    expect(graph['structuredContent']).toMatchObject({ entities: [entity] });
  });
});
