// A stdio child that dies, hangs, shouts, or leaves children of its own (C19).
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Outcome } from '../../../src/errors/outcome.js';
import { livingGroups } from '../../../src/upstream/mcp/process-group.js';
import { codeOf, type Harness, startServer, stdio, until, valueOf } from './setup.js';

const FAULTY = join(import.meta.dirname, '../../fixtures/mcp/faulty-stdio.mjs');

function faulty(
  env: Record<string, string> = {},
  definition: Parameters<typeof startServer>[1] = {},
): Harness {
  return startServer(stdio([FAULTY], env), definition);
}

function textOf(outcome: Outcome): string {
  const [part] = valueOf(outcome)['content'] as { text: string }[];
  return part?.text ?? '';
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

describe('the child’s death (C19)', () => {
  it('is told to the call, its last words to the log alone, and the next call finds it alive', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'toolgate-mcp-'));
    const { call, logged, server } = faulty();
    await server.connect();
    const died = await call('die-once', { marker: join(directory, 'm') }, { timeoutMs: 15_000 })
      .outcome;
    expect(died).toEqual({
      kind: 'mcp-connection',
      problem: 'child_exited',
      exitSignal: 'SIGKILL',
    });
    const { info, breaker } = codeOf(died);
    expect(info).toMatchObject({
      code: 'MCP_TRANSPORT_ERROR',
      retryable: false,
      effect: 'unknown',
      details: { exit_signal: 'SIGKILL' },
    });
    expect(breaker).toBe('failure');
    const next = await call('die-once', { marker: join(directory, 'm') }).outcome;
    expect(textOf(next)).toBe('alive');
    expect(logged.filter(({ event }) => event === 'mcp_connected')).toHaveLength(2);
    await rm(directory, { recursive: true });
  });

  it('puts at most 2 KiB of scrubbed stderr into the log', async () => {
    const { call, logged } = faulty();
    await call('die').outcome;
    const lost = logged.find(({ event }) => event === 'mcp_connection_lost');
    expect(lost).toMatchObject({ exit_signal: 'SIGKILL', stderr_tail: 'last words ***' });
  });

  it('warns of a server that is lost or cannot be had, and only notes one that is connected', async () => {
    const { call, logged } = faulty();
    await call('die').outcome;
    const never = startServer(stdio(['-e', 'process.exit(7)']));
    await never.call('t').outcome;
    const levels = [...logged, ...never.logged].map(({ event, level }) => [event, level]);
    expect(levels).toContainEqual(['mcp_connected', 'info']);
    expect(levels).toContainEqual(['mcp_connection_lost', 'warn']);
    expect(levels).toContainEqual(['mcp_connect_failed', 'warn']);
  });

  it('gives the exit code', async () => {
    const outcome = await faulty().call('exit', { code: 3 }).outcome;
    expect(outcome).toEqual({ kind: 'mcp-connection', problem: 'child_exited', exitCode: 3 });
  });

  it('answers every call that was under way', async () => {
    const { call, server } = faulty();
    await server.connect();
    const hanging = Array.from(
      { length: 200 },
      () => call('hang', {}, { timeoutMs: 15_000 }).outcome,
    );
    const last = call('die').outcome;
    const outcomes = await Promise.all([...hanging, last]);
    expect(new Set(outcomes.map(({ kind }) => kind))).toEqual(new Set(['mcp-connection']));
    // Under load from the first moment on: it dies again, and again each call has its answer.
    const again = await Promise.all(
      Array.from(
        { length: 50 },
        (_, index) => call(index === 25 ? 'die' : 'hang', {}, { timeoutMs: 15_000 }).outcome,
      ),
    );
    expect(again.every(({ kind }) => kind === 'mcp-connection')).toBe(true);
  });

  it('is followed by a new child at once where the server is connected eagerly', async () => {
    const { call, server } = faulty({}, { connect: 'eager' });
    await server.connect();
    await call('die').outcome;
    await until(() => server.status().state === 'connected', 'it is there again');
  });
});

describe('starting', () => {
  it('says that a command does not exist', async () => {
    const { call, server } = startServer({ ...stdio([]), command: '/nonexistent/tool' } as never);
    const outcome = await call('t').outcome;
    expect(outcome).toMatchObject({ kind: 'mcp-connection', problem: 'connect_failed' });
    expect(codeOf(outcome).info).toMatchObject({
      code: 'MCP_CONNECTION_FAILED',
      effect: 'not_sent',
    });
    expect(server.status()).toMatchObject({ state: 'failed', problem: 'connect_failed' });
  });

  it('says that a child exits before the handshake, and gives up fast while it backs off', async () => {
    const { call, logged } = startServer(stdio(['-e', 'process.exit(7)']));
    const outcome = await call('t').outcome;
    expect(outcome).toMatchObject({ problem: 'initialize_failed', exitCode: 7 });
    for (let index = 0; index < 4; index += 1) await call('t').outcome;
    const failures = (): number =>
      logged.filter(({ event }) => event === 'mcp_connect_failed').length;
    const before = failures();
    expect(await call('t').outcome).toMatchObject({ problem: 'initialize_failed' });
    expect(failures()).toBe(before);
  });

  it('shares one child among callers that come together', async () => {
    const { call, logged } = faulty();
    const outcomes = await Promise.all(Array.from({ length: 20 }, () => call('pid').outcome));
    expect(new Set(outcomes.map(textOf)).size).toBe(1);
    expect(logged.filter(({ event }) => event === 'mcp_connected')).toHaveLength(1);
  });

  it('hands the child PATH, HOME and what the configuration names, no more', async () => {
    process.env['TOOLGATE_TEST_CANARY'] = '1';
    const names = textOf(await faulty({ TOKEN: 'x' }).call('env').outcome).split(',');
    delete process.env['TOOLGATE_TEST_CANARY'];
    expect(names.filter((name) => name !== '__CF_USER_TEXT_ENCODING')).toEqual([
      'HOME',
      'PATH',
      'TOKEN',
    ]);
  });
});

describe('traffic', () => {
  it('survives noise on both pipes', async () => {
    expect(textOf(await faulty().call('noise').outcome)).toBe('through');
  });

  it('refuses a 50 MB line to the one call that asked for it', async () => {
    const { call, server } = faulty();
    await server.connect();
    const big = call('big', { bytes: 50_000_000 }).outcome;
    const small = call('echo', { message: 'small' }).outcome;
    expect(await big).toMatchObject({ kind: 'result-too-large', limitBytes: 1_048_576 });
    expect(((await big) as { sizeBytes: number }).sizeBytes).toBeGreaterThan(50_000_000);
    expect(textOf(await small)).toBe('small');
  });

  it('refuses what is over the tool’s limit and below the line’s', async () => {
    const outcome = await faulty().call('big', { bytes: 2_000_000 }).outcome;
    expect(outcome).toMatchObject({ kind: 'result-too-large', limitBytes: 1_048_576 });
  });

  it('says that a result is none', async () => {
    const outcome = await faulty().call('not-a-result').outcome;
    expect(outcome).toMatchObject({ kind: 'mcp-result', problem: 'not_a_result' });
  });

  it('tells the server of a cancellation, and claims no key', async () => {
    const { call, server, logged } = faulty();
    await server.connect();
    const { outcome, attempt } = call('hang', {}, { ctx: { keySent: true } });
    await until(() => attempt.phase === 'awaiting_headers', 'the call is sent');
    expect(attempt.ctx.keySent).toBe(false);
    attempt.abort({ kind: 'timeout', scope: 'attempt', timeoutMs: 1 });
    expect(await outcome).toMatchObject({ kind: 'timeout', phase: 'awaiting_headers' });
    await call('exit', { code: 0 }).outcome;
    const lost = logged.find(({ event }) => event === 'mcp_connection_lost');
    expect(lost?.['stderr_tail']).toMatch(/^cancelled \d+$/);
  });
});

describe('closing', () => {
  it('takes the grandchildren along', async () => {
    const { call, server } = faulty();
    const child = Number(textOf(await call('pid').outcome));
    const grandchild = Number(textOf(await call('grandchild').outcome));
    expect(isAlive(grandchild)).toBe(true);
    await server.close();
    await until(() => !isAlive(child) && !isAlive(grandchild), 'the whole group is gone');
    expect(livingGroups()).toBe(0);
  });

  it('waits for the calls under way where it is only to retire', async () => {
    const { call, server } = faulty();
    const { outcome, attempt } = call('hang');
    await until(() => attempt.phase === 'awaiting_headers', 'the call is sent');
    const retiring = server.retire();
    expect(textOf(await call('echo', { message: 'still here' }).outcome)).toBe('still here');
    attempt.abort({ kind: 'timeout', scope: 'attempt', timeoutMs: 1 });
    expect((await outcome).kind).toBe('timeout');
    await retiring;
    expect(livingGroups()).toBe(0);
  });

  it('ends a handshake that is under way', async () => {
    const { server } = startServer(stdio(['-e', 'setInterval(() => {}, 1000)']));
    const connecting = server.connect();
    await until(() => livingGroups() === 1, 'the child is there');
    await server.close();
    await connecting;
    expect(livingGroups()).toBe(0);
  });
});

describe('a child that dies of every call', () => {
  it('is soon not waited for any more', async () => {
    const { call } = faulty();
    let refused = false;
    for (let index = 0; index < 8 && !refused; index += 1) {
      const outcome = await call('die', {}, { timeoutMs: 15_000 }).outcome;
      refused = (outcome as { problem?: string }).problem === 'connect_failed';
    }
    expect(refused).toBe(true);
  });
});
