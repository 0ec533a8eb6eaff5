// What an administrator changes starts from the configuration in force, not from the file as it is by now.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createAdmin } from '../../src/admin.js';
import { openConfiguration } from '../../src/configuration.js';
import { Gateway } from '../../src/gateway/gateway.js';
import type { Admin } from '../../src/plugins/admin.js';
import { createMetrics } from '../../src/telemetry/metrics.js';

const entry = {
  input_schema: { type: 'object' },
  http: { method: 'GET', url: 'http://127.0.0.1:9/' },
};
const fileWith = (...names: string[]): string =>
  JSON.stringify({ version: 1, tools: names.map((name) => ({ name, ...entry })) });

let folder: string;
let file: string;
let gateway: Gateway;
let admin: Admin;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'toolgate-admin-'));
  file = join(folder, 'toolgate.json');
  writeFileSync(file, fileWith('first'));
  const opened = await openConfiguration(file, {});
  const loaded = await opened.load();
  if (!loaded.ok) throw new Error('the configuration is faulty');
  gateway = new Gateway(loaded.config);
  const logger = pino({ level: 'silent' });
  admin = createAdmin({ gateway, opened, logger, metrics: createMetrics() });
});

afterEach(async () => {
  await gateway.close();
  rmSync(folder, { recursive: true });
});

const names = (): string[] => gateway.registry.all().map(({ definition }) => definition.name);

it('a tool is put beside those in force, whatever was written to the file since', async () => {
  writeFileSync(file, fileWith('written'));
  expect(await admin.putTool('put', entry)).toEqual({ ok: true });
  expect(names()).toEqual(['first', 'put']);
  expect(await admin.deleteTool('first')).toEqual({ ok: true });
  expect(names()).toEqual(['put']);
});

it('a reload takes the file, and a faulty one leaves what was put', async () => {
  await admin.putTool('put', entry);
  writeFileSync(file, '{"version": 1, "tools": 5}');
  expect(await admin.reload('admin')).toMatchObject({ ok: false });
  expect(await admin.putTool('more', entry)).toEqual({ ok: true });
  expect(names()).toEqual(['first', 'put', 'more']);
  writeFileSync(file, fileWith('second'));
  expect(await admin.reload('admin')).toEqual({ ok: true });
  expect(names()).toEqual(['second']);
  expect(await admin.putTool('put', entry)).toEqual({ ok: true });
  expect(names()).toEqual(['second', 'put']);
});

it('changes that come at once happen one after the other', async () => {
  await Promise.all(['a', 'b', 'c'].map((name) => admin.putTool(name, entry)));
  expect(names()).toEqual(['first', 'a', 'b', 'c']);
});

it('a breaker is forced where there is one, and only then said to be', async () => {
  await admin.putTool('bare', { ...entry, breaker: false });
  const stateOf = (name: string) => gateway.find(name)?.pipeline.snapshot().breaker?.state;
  expect(admin.forceBreaker('first', 'open')).toBe('forced');
  expect(stateOf('first')).toBe('open');
  expect(admin.forceBreaker('bare', 'open')).toBe('no_breaker');
  expect(admin.forceBreaker('nobody', 'open')).toBe('no_tool');
});

it('what is wrong with a file is told with its place, all of it', async () => {
  writeFileSync(file, 'version: 1\ntools: [\n');
  const torn = await admin.reload('admin');
  expect(torn).toMatchObject({
    ok: false,
    faults: { '': expect.stringMatching(/^line 3, column 1: /) },
  });
  writeFileSync(file, 'a: 1\na: 2\nb: 3\nb: 4\n');
  const twice = await admin.reload('admin');
  expect(twice).toMatchObject({
    faults: { '': expect.stringMatching(/^line 2, column 1: .*; line 4, column 1: /) },
  });
});
