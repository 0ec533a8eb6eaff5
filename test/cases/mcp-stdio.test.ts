// MCP servers over stdio, through the whole product: children that die before, in and between calls
// (C19 of the case file and more of its kind), what else they write, and what their answers are.
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type Harness, startHarness, type WireResult } from '../support/harness.js';
import { content } from './mcp-table.js';
import { type Expected, expectResult, fails, QUICK_RETRY, succeeds } from './table.js';

const SERVER = join(import.meta.dirname, '../fixtures/mcp/obedient-stdio.mjs');

type Act = readonly [act: string, value?: unknown];
type Line = readonly [name: string, acts: readonly Act[], expected: Expected];

const FINE: Act = ['result', content('ok')];
const ok = succeeds(content('ok'));
const died = (details: object = {}): Expected =>
  fails('MCP_TRANSPORT_ERROR', false, 'unknown', {
    attempts: 1,
    details: { transient: true, retry_stopped_by: 'unsafe_to_repeat', ...details },
  });
const timedOut = fails('MCP_TIMEOUT', false, 'unknown', { details: { transient: true } });
const rpc = (code: number): Act => ['error', { code, message: 'no' }];
const answer = (text: string): string =>
  `{"jsonrpc":"2.0","id":ID,"result":${JSON.stringify(content(text))}}\n`;

/** The child lives on. */
const ANSWERS: readonly Line[] = [
  [
    'isError',
    [['result', { ...content('no such file'), isError: true }]],
    fails('TOOL_EXECUTION_FAILED', false, 'completed'),
  ],
  [
    'isError that speaks of 429',
    [['result', { ...content('HTTP 429'), isError: true }]],
    fails('TOOL_EXECUTION_FAILED', false, 'completed'),
  ],
  ['-32700', [rpc(-32700)], fails('MCP_SERVER_ERROR', false, 'completed')],
  ['-32601', [rpc(-32601)], fails('CONFIGURATION_ERROR', false, 'completed')],
  ['-32602', [rpc(-32602)], fails('TOOL_ARGUMENT_ERROR', false, 'completed')],
  ['-32603', [rpc(-32603)], fails('MCP_SERVER_ERROR', false, 'unknown')],
  ['-32042', [rpc(-32042)], fails('TOOL_INPUT_REQUIRED', false, 'completed')],
  ['-32002', [rpc(-32002)], fails('MCP_SERVER_ERROR', false, 'unknown')],
  ['a text for a result', [['result', 'done']], fails('TOOL_RESULT_ERROR', false, 'unknown')],
  [
    'more than the tool may return',
    [['result', content('x'.repeat(20_000))]],
    fails('TOOL_RESULT_TOO_LARGE', false, 'completed'),
  ],
  ['nothing', [], timedOut],
  ['half an answer', [['bytes', '{"jsonrpc":"2.0","id":ID,"result":{']], timedOut],
  [
    'an error that names no request: whose it is nobody knows',
    [['bytes', '\n{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"x"}}\n']],
    timedOut,
  ],
  ['a log line before the answer', [['bytes', '[info] listening on 3000\n'], FINE], ok],
  [
    'a log line that is JSON',
    [['bytes', '{"level":"info","id":7,"msg":"timeout 429"}\n'], FINE],
    ok,
  ],
  ['a banner, a blank line, a byte order mark', [['bytes', '\uFEFF*** v1 ***\n\n'], FINE], ok],
  ['Windows line ends', [['bytes', answer('ok').replace('\n', '\r\n')]], ok],
  ['a megabyte on stderr', [['stderr', 'e'.repeat(1_000_000)], FINE], ok],
  ['the id as a text', [['bytes', answer('ok').replace('ID', '"ID"')]], ok],
  ['an answer twice', [FINE, FINE], ok],
  ['the answer of another request first', [['bytes', answer('no').replace('ID', '7')], FINE], ok],
];

/** It does not. */
const DEATHS: readonly Line[] = [
  ['SIGKILL', [['kill', 'SIGKILL']], died({ exit_signal: 'SIGKILL' })],
  ['SIGTERM', [['kill', 'SIGTERM']], died({ exit_signal: 'SIGTERM' })],
  ['SIGSEGV', [['kill', 'SIGSEGV']], died({ exit_signal: 'SIGSEGV' })],
  ['exit 0', [['exit', 0]], died({ exit_code: 0 })],
  ['exit 1', [['exit', 1]], died({ exit_code: 1 })],
  ['exit 137, as a container out of memory', [['exit', 137]], died({ exit_code: 137 })],
  ['an exception that nobody caught', [['throw', 'CANARY in a stack']], died({ exit_code: 1 })],
  [
    'in the middle of its answer',
    [
      ['bytes', '{"jsonrpc":"2.0","id":ID,"re'],
      ['kill', 'SIGKILL'],
    ],
    died({ exit_signal: 'SIGKILL' }),
  ],
  [
    'after noise',
    [
      ['bytes', 'Segmentation fault (core dumped)\n'],
      ['exit', 139],
    ],
    died({ exit_code: 139 }),
  ],
  [
    'with last words',
    [
      ['stderr', 'password=CANARY'],
      ['exit', 2],
    ],
    died({ exit_code: 2 }),
  ],
];

const server = (name: string, more: object = {}): object => ({
  name,
  command: [process.execPath, SERVER],
  connect: 'lazy',
  ...more,
});

let harness: Harness;

beforeAll(async () => {
  harness = await startHarness({
    defaults: { timeout_ms: 5000, retry: QUICK_RETRY, breaker: false },
    mcp_servers: [
      server('live', { timeout_ms: 300, result: { max_bytes: 10_000 } }),
      server('progress', { timeout_ms: 300 }),
      ...DEATHS.map((_, index) => server(`dying${index}`)),
      server('reader', { idempotent: true }),
      server('absent', { command: ['no-such-command-of-any-kind'] }),
      server('broken', { command: [process.execPath, '-e', 'process.exit(3)'] }),
    ],
  });
  // The first call is not to be measured against the time that a child needs to start.
  await harness.callOne('live.do', { acts: [FINE] }, { timeout_ms: 5000 });
});

afterAll(() => harness.close());

const act = (name: string, acts: readonly Act[]): Promise<WireResult> =>
  harness.callOne(`${name}.do`, { acts });

describe('answers and what stands beside them', () => {
  it.each(ANSWERS)('%s', async (_name, acts, expected) => {
    expectResult(await act('live', acts), expected);
  });
});

describe('a child that dies in a call', () => {
  it.each(DEATHS.map((line, index) => [...line, index] as const))(
    '%s: unknown, and the next call finds another child',
    async (_name, acts, expected, index) => {
      const told = await act(`dying${index}`, acts);
      expectResult(told, expected);
      expect(JSON.stringify(told)).not.toContain('CANARY');
      expectResult(await act(`dying${index}`, [FINE]), ok);
    },
  );

  it('of a tool that may be repeated: as often as it dies', async () => {
    expectResult(
      await act('reader', [['exit', 1]]),
      fails('MCP_TRANSPORT_ERROR', true, 'unknown', { attempts: 3 }),
    );
  });
});

describe('a child that is not there', () => {
  it('because it died between two calls', async () => {
    const { server: dying } = harness.gateway.mcp.all()[2]!;
    await act('dying0', [FINE, ['exit', 0]]);
    await vi.waitFor(() => expect(dying.status().state).not.toBe('connected'));
    expectResult(await act('dying0', [FINE]), ok);
  });

  it.each([
    ['because there is no such command', 'absent'],
    ['because it ends before the handshake', 'broken'],
  ])('%s: never sent', async (_name, name) => {
    expectResult(await act(name, [FINE]), fails('MCP_CONNECTION_FAILED', true, 'not_sent'));
  });
});

it('progress to the last does not move the limit of an attempt', async () => {
  expectResult(await act('progress', [['progress']]), timedOut);
});
