// Module tools: loading, what the function sees, and what its answer may be.
import { mkdtemp, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { JsonObject, ToolDefinition } from '../../src/call.js';
import type { Outcome } from '../../src/errors/outcome.js';
import { createModuleUpstream, type ModuleDeps } from '../../src/upstream/module.js';
import { startHarness } from '../support/harness.js';
import { start, toolWith, type Running } from './support.js';

function moduleTool(name: string, more: Parameters<typeof toolWith>[1] = {}): ToolDefinition {
  const path = fileURLToPath(new URL(`../fixtures/modules/${name}`, import.meta.url));
  return toolWith({ kind: 'module', path }, more);
}

function begin(
  tool: ToolDefinition,
  args: JsonObject = {},
  deps: ModuleDeps = {},
  options: Parameters<typeof start>[3] = {},
): Running {
  return start(createModuleUpstream(tool, deps), tool, args, options);
}

function inMode(
  mode: string,
  more?: Parameters<typeof toolWith>[1],
  deps?: ModuleDeps,
): Promise<Outcome> {
  return begin(moduleTool('by-mode.js', more), { mode, list: [1] }, deps).outcome;
}

describe('the function', () => {
  it('gets the arguments and what there is to know of the call', async () => {
    const tool = moduleTool('echo.js');
    const options = { context: { runId: 'run-7' }, idempotencyKey: 'k-1', number: 2 };
    const { outcome, attempt } = begin(tool, { a: { b: [1] } }, {}, options);
    const result = await outcome;
    if (result.kind !== 'ok' || result.result.kind !== 'json') throw new Error(result.kind);
    const { args, call } = JSON.parse(result.result.text) as {
      args: unknown;
      call: { remainingMs: number };
    };
    expect(args).toEqual({ a: { b: [1] } });
    expect(call).toMatchObject({
      id: 'c1',
      tool: 'test.tool',
      runId: 'run-7',
      idempotencyKey: 'k-1',
      attempt: 2,
    });
    expect(call.remainingMs).toBeGreaterThan(0);
    // From the moment it runs, its effect is unknown.
    expect(attempt.phase).toBe('awaiting_headers');
  });

  it('gets arguments of its own: changing them changes nothing for anyone else', async () => {
    const args = { mode: 'mutate', list: [1] };
    expect(await begin(moduleTool('by-mode.js'), args).outcome).toMatchObject({
      result: { text: '{"mode":"mutate","list":[1,2],"extra":true}' },
    });
    expect(args).toEqual({ mode: 'mutate', list: [1] });
  });

  it('hears of an abort through its signal', async () => {
    const { attempt, outcome } = begin(moduleTool('by-mode.js'), { mode: 'wait for abort' });
    await expect.poll(() => attempt.phase, { interval: 5 }).toBe('awaiting_headers');
    const cause = { kind: 'cancelled', reason: 'client_left' } as const;
    attempt.abort(cause);
    expect(await outcome).toEqual({ kind: 'thrown', error: cause });
  });

  it('that ignores an abort is waited for, so that its slot stays taken', async () => {
    const { attempt, outcome } = begin(moduleTool('by-mode.js'), { mode: 'ignore abort' });
    await expect.poll(() => attempt.phase, { interval: 5 }).toBe('awaiting_headers');
    let settled = false;
    void outcome.then(() => {
      settled = true;
    });
    attempt.abort({ kind: 'timeout', scope: 'attempt', timeoutMs: 1 });
    await new Promise((resolve) => setImmediate(resolve));
    expect(settled).toBe(false);
    (globalThis as unknown as { __releaseModule: () => void }).__releaseModule();
    expect(await outcome).toMatchObject({ kind: 'ok' });
  });

  it('is not run when the attempt ended while the module was loading', async () => {
    const { attempt, outcome } = begin(moduleTool('echo.js'));
    attempt.abort({ kind: 'timeout', scope: 'attempt', timeoutMs: 1 });
    expect(await outcome).toEqual({
      kind: 'timeout',
      scope: 'attempt',
      timeoutMs: 1,
      phase: 'connecting',
    });
  });

  it.each([
    ['throw', 'out of range'],
    ['reject', 'a string'],
  ])('that fails by %s gives what it threw, untouched', async (mode, said) => {
    const outcome = await inMode(mode);
    if (outcome.kind !== 'thrown') throw new Error(outcome.kind);
    expect(outcome.error instanceof Error ? outcome.error.message : outcome.error).toBe(said);
  });
});

describe('its result', () => {
  it.each([
    ['text', { kind: 'text', text: 'plain' }],
    ['nothing', { kind: 'value', value: null }],
    ['null', { kind: 'value', value: null }],
    ['thenable', { kind: 'json', text: '{"ok":true}' }],
    ['date', { kind: 'json', text: '{"at":"1970-01-01T00:00:00.000Z","list":[null]}' }],
  ])('%s is delivered', async (mode, result) => {
    expect(await inMode(mode)).toEqual({ kind: 'ok', result });
  });

  it.each([
    'bigint',
    'cycle',
    'function',
    'top function',
    'symbol',
    'nan',
    'getter',
    'deep',
    'deeper',
  ])('%s is no JSON and is refused', async (mode) => {
    expect(await inMode(mode)).toMatchObject({ kind: 'result-invalid', problem: 'shape' });
  });

  it('has the tool’s size limit', async () => {
    const error = { result: { maxBytes: 100 } };
    const sizeBytes = Buffer.byteLength(JSON.stringify({ text: 'é'.repeat(100) }));
    expect(await inMode('large', error)).toEqual({
      kind: 'result-too-large',
      limitBytes: 100,
      sizeBytes,
    });
    const truncate = { result: { maxBytes: 101, onOversize: 'truncate' } } as const;
    expect(await inMode('large text', truncate)).toEqual({
      kind: 'ok',
      result: { kind: 'text', text: 'é'.repeat(50) },
      truncatedFromBytes: 200,
    });
  });

  it('is held against the output schema as it is delivered', async () => {
    const seen: unknown[] = [];
    const validateOutput = (value: unknown): undefined => {
      seen.push(value);
    };
    await inMode('date', {}, { validateOutput });
    await inMode('text', {}, { validateOutput });
    await inMode('nothing', {}, { validateOutput });
    expect(seen).toEqual([{ at: '1970-01-01T00:00:00.000Z', list: [null] }, 'plain', null]);
  });

  it('that does not fit the schema is refused, or let pass with a warning', async () => {
    const deps = { validateOutput: () => ({ '/x': 'is missing' }) };
    expect(await inMode('text', {}, deps)).toMatchObject({
      kind: 'result-invalid',
      problem: 'schema',
      errors: { '/x': 'is missing' },
      content: 'plain',
    });
    expect(await inMode('text', { result: { validation: 'warn' } }, deps)).toEqual({
      kind: 'ok',
      result: { kind: 'text', text: 'plain' },
      warnings: ['TOOL_RESULT_ERROR'],
    });
  });
});

describe('a module whose file is edited', () => {
  let folder = '';
  let path = '';
  let reloads = 0;

  /** A module that counts its calls. */
  const write = (name: string): Promise<void> =>
    writeFile(path, `let calls = 0; export default () => '${name}' + ++calls;`);

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'toolgate-'));
    path = join(folder, 'tool.mjs');
    reloads = 0;
  });

  afterEach(() => rm(folder, { recursive: true }));

  it('is read again after a reload, not before, and keeps its state without an edit', async () => {
    await write('a');
    const tool = toolWith({ kind: 'module', path });
    const upstream = createModuleUpstream(tool, { reloads: () => reloads });
    const call = async (): Promise<unknown> => {
      const outcome = await start(upstream, tool).outcome;
      return outcome.kind === 'ok' && outcome.result.kind === 'text'
        ? outcome.result.text
        : outcome;
    };
    expect(await call()).toBe('a1');
    reloads += 1;
    expect(await call()).toBe('a2');
    await write('edited');
    expect(await call()).toBe('a3');
    reloads += 1;
    expect(await call()).toBe('edited1');
    expect(await call()).toBe('edited2');
  });

  it('is read again by a reload of the gateway', async () => {
    await write('a');
    const entry = { name: 't', description: 't', input_schema: {}, module: path };
    const harness = await startHarness({ tools: [entry] });
    const call = async (): Promise<unknown> => (await harness.callOne('t')).result;
    expect(await call()).toBe('a1');
    await write('edited');
    harness.gateway.reload(harness.gateway.config);
    expect(await call()).toBe('edited1');
    await harness.close();
  });
});

describe('a module that does not load', () => {
  let folder = '';

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'toolgate-'));
  });

  afterAll(() => rm(folder, { recursive: true }));

  it.each([
    ['is not there', undefined],
    ['has a syntax error', 'export default async (args) => {'],
    ['imports what is missing', "import '@nobody/has-this'; export default () => 1;"],
    ['throws', "throw new Error('secret');"],
    ['throws what is no error', "throw 'secret';"],
    ['has no default', 'export const run = () => 1;'],
  ])(
    'because it %s makes the call misconfigured, without path, message or stack',
    async (why, source) => {
      const path = join(folder, `${why}.mjs`);
      if (source !== undefined) await writeFile(path, source);
      const { attempt, outcome } = begin(toolWith({ kind: 'module', path }));
      const result = await outcome;
      expect(result).toMatchObject({ kind: 'misconfigured' });
      const { explanation } = result as { explanation: string };
      expect(explanation).toMatch(/^The module of the tool [^\n]+\.$/);
      expect(explanation).not.toMatch(/secret|toolgate-|nobody/);
      expect(attempt.phase).toBe('connecting');
    },
  );

  it('is tried again, and an edited module is read again when its tool is rebuilt', async () => {
    const path = join(folder, 'tool.mjs');
    const tool = toolWith({ kind: 'module', path });
    const invoke = createModuleUpstream(tool, {});
    expect(await start(invoke, tool).outcome).toMatchObject({ kind: 'misconfigured' });
    await writeFile(path, 'export default () => 1;');
    await utimes(path, 1_000, 1_000);
    expect(await start(invoke, tool).outcome).toMatchObject({ result: { text: '1' } });
    await writeFile(path, 'export default () => 2;');
    await utimes(path, 2_000, 2_000);
    expect(await start(invoke, tool).outcome).toMatchObject({ result: { text: '1' } });
    expect(await begin(tool).outcome).toMatchObject({ result: { text: '2' } });
  });
});
