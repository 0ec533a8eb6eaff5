// A server of the bench in a process of its own, pinned to a core where the system can, and asked
// over IPC. Every server is measured through the same preloaded probe.
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';

const PROBE = fileURLToPath(new URL('../probe.mjs', import.meta.url));
const START_LIMIT_MS = 20_000;

/** What the probe answers: totals since the process started. */
export interface Sample {
  readonly cpuMs: number;
  readonly rssMb: number;
  /** 99th percentile of the event loop's delay since `watch-loop`; 0 when it is not watched. */
  readonly loopP99Ms: number;
}

export interface ChildOptions {
  /** Script and its arguments. */
  readonly argv: readonly string[];
  /** Whether the script is TypeScript and needs tsx; what is built runs on plain node. */
  readonly typescript: boolean;
  /** The core it is pinned to. */
  readonly core: number;
  readonly env?: Readonly<Record<string, string>>;
}

/** From util-linux; where it is missing, nothing is pinned. */
const PIN = 'taskset';
const canPin = spawnSync(PIN, ['-c', '1', 'true']).status === 0;

/** Whether servers and load stand on cores of their own. */
export const pinned: boolean = canPin;

/** A port that was free a moment ago. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

/** A running child process that answers questions. */
export class Child {
  readonly #process: ChildProcess;
  #nextId = 1;

  constructor(options: ChildOptions) {
    const node = [
      process.execPath,
      ...(options.typescript ? ['--import', 'tsx'] : []),
      ...['--import', PROBE],
      ...options.argv,
    ];
    const [command, ...args] = canPin ? [PIN, '-c', String(options.core), ...node] : node;
    this.#process = spawn(command!, args, {
      // The log goes to the null device: written, but nobody's terminal is measured.
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      env: { ...process.env, ...options.env },
    });
    this.#process.setMaxListeners(100);
  }

  /** Asks and waits for the answer; rejects when the process ends before it answered. */
  ask<T>(type: string, payload: object = {}): Promise<T> {
    const id = this.#nextId++;
    return new Promise<T>((resolve, reject) => {
      const onExit = (code: number | null): void => {
        reject(new Error(`bench process ended with ${String(code)} while asked for ${type}`));
      };
      const onMessage = (answer: { id: number; value: T }): void => {
        if (answer.id !== id) return;
        this.#process.off('message', onMessage);
        this.#process.off('exit', onExit);
        resolve(answer.value);
      };
      this.#process.on('message', onMessage);
      this.#process.once('exit', onExit);
      this.#process.send({ id, type, ...payload });
    });
  }

  sample(): Promise<Sample> {
    return this.ask<Sample>('sample');
  }

  /** Waits until `url` answers 200. */
  async ready(url: string): Promise<void> {
    const limit = performance.now() + START_LIMIT_MS;
    while (performance.now() < limit) {
      if (this.#process.exitCode !== null) break;
      const answer = await fetch(url).catch(() => undefined);
      await answer?.arrayBuffer();
      if (answer?.ok === true) return;
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    throw new Error(`nothing answered at ${url}`);
  }

  async stop(): Promise<void> {
    if (this.#process.exitCode !== null || this.#process.signalCode !== null) return;
    const exited = once(this.#process, 'exit');
    this.#process.kill('SIGTERM');
    const hard = setTimeout(() => this.#process.kill('SIGKILL'), 2000);
    await exited;
    clearTimeout(hard);
  }
}
