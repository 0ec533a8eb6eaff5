// The address that is dialled decides, however it was written.
import dns from 'node:dns';
import { syncBuiltinESMExports } from 'node:module';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { compileEgress } from '../../../src/upstream/http/egress.js';
import { createHttpUpstream } from '../../../src/upstream/http/index.js';
import { json, startFaultyServer, type FaultyServer } from '../../support/faulty-server.js';
import { HttpBench, httpTool, start } from '../support.js';

let bench = new HttpBench();
let server: FaultyServer | undefined;

afterEach(async () => {
  vi.restoreAllMocks();
  syncBuiltinESMExports();
  await Promise.all([server?.close(), bench.pools.close()]);
  bench = new HttpBench();
});

const LOOPBACK = { deny: ['127.0.0.0/8', '::1'], allow: [] };
const BLOCKED = {
  kind: 'transport',
  phase: 'connecting',
  error: { code: 'TOOLGATE_BLOCKED_ADDRESS' },
};

describe('a blocked address', () => {
  it.each([
    '127.0.0.1',
    '0x7f.1',
    '2130706433',
    '127.1',
    '[::1]',
    '[::ffff:127.0.0.1]',
    '[::ffff:7f00:1]',
    'localhost',
  ])('written as %s is not dialled', async (host) => {
    server = await startFaultyServer(json({}));
    const tool = httpTool(`http://${host}:${server.port}/`);
    bench.pools.useEgress(LOOPBACK);
    const outcome = await bench.run(tool);
    expect(outcome).toMatchObject(BLOCKED);
    expect((outcome as { error: Error }).error.message).not.toContain('127');
    expect(server.accepted).toBe(0);
  });

  it('is found out at each connection, not when the tool was loaded', async () => {
    server = await startFaultyServer((socket, request) => {
      json({})(socket, request);
      socket.end();
    });
    // A name that is harmless once and turns inward later (DNS rebinding).
    let address = '127.0.0.1';
    vi.spyOn(dns, 'lookup').mockImplementation(((
      _name: string,
      _options: object,
      done: (error: null, all: object[]) => void,
    ) => {
      process.nextTick(done, null, [{ address, family: 4 }]);
    }) as never);
    syncBuiltinESMExports();
    bench.pools.useEgress({ deny: ['169.254.0.0/16'], allow: [] });
    const tool = httpTool(`http://rebinding.test:${server.port}/`);
    expect(await bench.run(tool)).toMatchObject({ kind: 'ok' });
    await server.idle();
    address = '169.254.169.254';
    expect(await bench.run(tool)).toMatchObject(BLOCKED);
  });

  it('among several is passed over', async () => {
    server = await startFaultyServer(json({}));
    vi.spyOn(dns, 'lookup').mockImplementation(((
      _name: string,
      _options: object,
      done: (error: null, all: object[]) => void,
    ) => {
      process.nextTick(done, null, [
        { address: '169.254.169.254', family: 4 },
        { address: '127.0.0.1', family: 4 },
      ]);
    }) as never);
    syncBuiltinESMExports();
    bench.pools.useEgress({ deny: ['169.254.0.0/16'], allow: [] });
    const tool = httpTool(`http://two.test:${server.port}/`);
    expect(await bench.run(tool)).toMatchObject({ kind: 'ok' });
  });

  it('may be allowed again; a change holds for tools and connections that stand', async () => {
    server = await startFaultyServer(json({}));
    const tool = httpTool(server.origin);
    const invoke = createHttpUpstream(tool, {}, bench.pools);
    const run = () => start(invoke, tool).outcome;
    bench.pools.useEgress({ ...LOOPBACK, allow: ['127.0.0.1/32'] });
    expect(await run()).toMatchObject({ kind: 'ok' });
    bench.pools.useEgress(LOOPBACK);
    expect(await run()).toMatchObject(BLOCKED);
    bench.pools.useEgress({ ...LOOPBACK, allow: ['127.0.0.0/8'] });
    expect(await run()).toMatchObject({ kind: 'ok' });
    expect(server.accepted).toBe(2);
  });

  it('lets a call that is under way finish, and closes its connection then', async () => {
    let finish = (): void => undefined;
    server = await startFaultyServer((socket, request) => {
      finish = () => {
        json({})(socket, request);
      };
    });
    const tool = httpTool(server.origin);
    const { outcome } = bench.start(tool);
    await vi.waitFor(() => {
      expect(server?.requests).toHaveLength(1);
    });
    bench.pools.useEgress(LOOPBACK);
    finish();
    expect(await outcome).toMatchObject({ kind: 'ok' });
    await server.idle();
    expect(await bench.run(tool)).toMatchObject(BLOCKED);
  });
});

describe('the policy', () => {
  const isBlocked = compileEgress({
    deny: ['169.254.0.0/16', 'fe80::/10', '10.0.0.7'],
    allow: ['169.254.1.0/24'],
  });

  it.each([
    ['169.254.169.254', true],
    ['::ffff:169.254.169.254', true],
    ['fe80::1', true],
    ['fe80::1%eth0', true],
    ['10.0.0.7', true],
    ['10.0.0.8', false],
    ['169.254.1.9', false],
    ['::ffff:169.254.1.9', false],
    ['2001:db8::1', false],
  ])('%s: %s', (address, blocked) => {
    expect(isBlocked(address)).toBe(blocked);
  });
});
