// Whoever reads the log decides nothing about the calls: one that stands still, and one that leaves.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

type Gateway = ChildProcess & { readonly stdout: NodeJS.ReadableStream & { destroy(): void } };

let gateway: Gateway;
let url: string;
let exit: Promise<unknown[]>;

/** The demo gateway; its standard output is a pipe that is read by nobody until a test does. */
beforeEach(async () => {
  const child = spawn(process.execPath, ['dist/src/cli.js', 'serve'], {
    cwd: ROOT,
    env: { ...process.env, PORT: '0', LOG_LEVEL: 'info', TOOLGATE_CONFIG: '' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  gateway = child;
  exit = once(child, 'exit');
  const [greeting] = (await once(createInterface({ input: child.stderr }), 'line')) as [string];
  url = greeting.replace('Toolgate answers on ', '');
});

afterEach(async () => {
  gateway.kill('SIGKILL');
  await exit;
});

/** 100 calls that fail, each a line of 400 bytes. */
const batch = JSON.stringify({
  calls: Array.from({ length: 100 }, () => ({ id: 'x'.repeat(200), tool: 'no.such' })),
});

async function post(batches: number): Promise<void> {
  for (let i = 0; i < batches; i += 1) {
    const response = await fetch(`${url}/v1/tool-calls`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: batch,
      signal: AbortSignal.timeout(10_000),
    });
    expect(((await response.json()) as { results: unknown[] }).results).toHaveLength(100);
  }
}

const live = async (): Promise<number> =>
  (await fetch(`${url}/livez`, { signal: AbortSignal.timeout(10_000) })).status;

it('a reader that stands still holds up no call and no end', { timeout: 30_000 }, async () => {
  await post(30);
  expect(await live()).toBe(200);
  gateway.kill('SIGTERM');
  expect(await exit).toEqual([0, null]);
});

it('a reader that comes back gets whole lines and the count of those it missed', async () => {
  const batches = 140;
  await post(batches);
  const lines: Record<string, unknown>[] = [];
  createInterface({ input: gateway.stdout }).on('line', (line) => {
    lines.push(JSON.parse(line) as Record<string, unknown>);
  });
  const gap = await vi.waitFor(
    () => {
      const found = lines.find(({ event }) => event === 'log_lines_dropped');
      expect(found).toBeDefined();
      return found;
    },
    { timeout: 10_000, interval: 20 },
  );
  await post(1);
  const metrics = await (await fetch(`${url}/metrics`)).text();
  expect(metrics).toContain(`\ntoolgate_log_lines_dropped_total ${String(gap?.['dropped'])}\n`);
  gateway.kill('SIGTERM');
  expect(await exit).toEqual([0, null]);
  const written = lines.filter(({ msg }) => msg === 'call' || msg === 'batch');
  expect(written.length + Number(gap?.['dropped'])).toBe((batches + 1) * 101);
  expect(lines.at(-1)).toMatchObject({ event: 'draining' });
}, 40_000);

it('a reader that leaves takes nobody with it', { timeout: 30_000 }, async () => {
  gateway.stdout.destroy();
  await post(5);
  expect(await live()).toBe(200);
  gateway.kill('SIGTERM');
  expect(await exit).toEqual([0, null]);
});
