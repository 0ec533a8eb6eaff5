// A stdio child as an MCP transport. In place of the official one, which neither owns a process
// group, nor bounds its environment to the configuration, nor says how the child ended.
import type { ChildProcess } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client';
import type { McpTransportDefinition } from '../../config.js';
import { LineReader, type OversizedLine } from './line-reader.js';
import { FRAMING_BYTES, type PendingTable } from './pending.js';
import { reapGroup, signalGroup, spawnGroup } from './process-group.js';
import type { ChildExit } from './reply.js';
import { StderrRing } from './stderr-ring.js';

type StdioDefinition = Extract<McpTransportDefinition, { kind: 'stdio' }>;

/** The smallest limit of a line: listings and notifications have no limit of their own. */
const MIN_LINE_BYTES = 16 * 1_048_576;
/** Output that is still in the pipe when the child has exited is waited for this long. */
const DRAIN_MS = 100;
const CLOSE_STEP_MS = 500;

/** One child per instance; a lost one is replaced by another instance. */
export class StdioTransport implements Transport {
  onclose?: (() => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
  onmessage?: ((message: JSONRPCMessage) => void) | undefined;
  /** How the child ended; undefined while it lives. */
  exit: ChildExit | undefined;
  /** The child's pid, and the id of its group. */
  pid: number | null = null;
  /** The official client knows a stdio transport by these two members. */
  readonly stderr = null;
  readonly lastWords = new StderrRing();
  readonly #definition: StdioDefinition;
  readonly #table: PendingTable;
  #child: ChildProcess | undefined;
  #gone: Promise<void> = Promise.resolve();

  constructor(definition: StdioDefinition, table: PendingTable) {
    this.#definition = definition;
    this.#table = table;
  }

  /** Spawns the child. Rejects when it cannot be started (ENOENT, EACCES). */
  start(): Promise<void> {
    const { command, args, env, cwd } = this.#definition;
    const child = spawnGroup(command, args, {
      env: { ...inherited(), ...env },
      ...(cwd !== undefined && { cwd }),
    });
    this.#child = child;
    this.pid = child.pid ?? null;
    this.#listen(child);
    return new Promise((resolve, reject) => {
      child.once('spawn', resolve);
      child.once('error', reject);
    });
  }

  send(message: JSONRPCMessage): Promise<void> {
    const stdin = this.#child?.stdin;
    if (!stdin?.writable) return Promise.reject(new Error('the child takes no more input'));
    stdin.write(`${JSON.stringify(message)}\n`);
    return Promise.resolve();
  }

  /** Ends the child politely, then less so; returns when it and its group are gone. */
  async close(): Promise<void> {
    const child = this.#child;
    if (child === undefined || this.pid === null || this.exit !== undefined) return;
    child.stdin?.end();
    const exited = (): boolean => this.exit !== undefined;
    await Promise.race([this.#gone, delay(CLOSE_STEP_MS, undefined, { ref: false })]);
    if (!exited()) signalGroup(this.pid, 'SIGTERM');
    await Promise.race([this.#gone, delay(CLOSE_STEP_MS, undefined, { ref: false })]);
    if (!exited()) signalGroup(this.pid, 'SIGKILL');
    await this.#gone;
  }

  #listen(child: ChildProcess): void {
    const reader = new LineReader(
      () => Math.max(MIN_LINE_BYTES, this.#table.largestLimit + FRAMING_BYTES),
      {
        line: (text, bytes) => this.#receive(text, bytes),
        oversized: (line) => this.#refuse(line),
      },
    );
    child.stdout?.on('data', (chunk: Buffer) => reader.push(chunk));
    child.stderr?.on('data', (chunk: Buffer) => this.lastWords.push(chunk));
    // EPIPE and the like: the child's end says more, and comes with 'exit'.
    for (const stream of [child.stdin, child.stdout, child.stderr]) {
      stream?.on('error', (error) => this.onerror?.(error));
    }
    this.#gone = new Promise((resolve) => {
      const finish = (): void => {
        if (this.exit !== undefined) return;
        this.exit = { code: child.exitCode, signal: child.signalCode };
        if (child.pid !== undefined) reapGroup(child.pid);
        for (const stream of [child.stdin, child.stdout, child.stderr]) stream?.destroy();
        resolve();
        this.onclose?.();
      };
      child.once('close', finish);
      // A grandchild may hold the pipes open for ever.
      child.once('exit', () => setTimeout(finish, DRAIN_MS));
      child.once('error', (error) => {
        if (child.pid === undefined) finish();
        this.onerror?.(error);
      });
    });
  }

  #receive(text: string, bytes: number): void {
    let message: unknown;
    try {
      message = JSON.parse(text);
    } catch {
      // Not a message: servers print to stdout what belongs on stderr.
      return;
    }
    for (const one of Array.isArray(message) ? (message as unknown[]) : [message]) {
      if (this.#table.route(one, bytes) || !isMessage(one)) continue;
      this.onmessage?.(one);
    }
  }

  #refuse({ head, tail, bytes }: OversizedLine): void {
    for (const [, id] of `${tail} ${head}`.matchAll(/"id":\s*(\d+)\s*[,}]/g)) {
      const request = this.#table.get(Number(id));
      if (request === undefined) continue;
      const limitBytes = request.maxBytes;
      this.#table.settle(request, { kind: 'too_large', limitBytes, sizeBytes: bytes });
      return;
    }
  }
}

/** PATH to find the command with, HOME for what it keeps there; nothing else of ours. */
function inherited(): Record<string, string> {
  const { PATH, HOME } = process.env;
  return { ...(PATH !== undefined && { PATH }), ...(HOME !== undefined && { HOME }) };
}

function isMessage(value: unknown): value is JSONRPCMessage {
  return typeof value === 'object' && value !== null && 'jsonrpc' in value;
}
