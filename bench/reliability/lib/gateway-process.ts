// The gateway of the proofs: the built command line in a process of its own, as it is installed, with
// a probe that tells its memory.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { rename, writeFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';

const CLI = fileURLToPath(new URL('../../../dist/src/cli.js', import.meta.url));
const PROBE = fileURLToPath(new URL('../probe.mjs', import.meta.url));
const START_LIMIT_MS = 15_000;

export const ADMIN_KEY = 'reliability-admin-key';

/** The process from inside, after a forced garbage collection. */
export interface Inspection {
  /** Heap in use and array buffers, megabytes. */
  readonly heapMb: number;
  readonly rssMb: number;
  /** Open TCP connections, of clients and upstreams. */
  readonly sockets: number;
  readonly timers: number;
  /** Warnings of libraries and unhandled rejections since the start. */
  readonly complaints: readonly string[];
}

export class GatewayProcess {
  readonly origin: string;
  readonly port: number;
  /** The exit code; null where a signal ended it. */
  readonly exit: Promise<number | null>;
  /** Log lines at level error or above. */
  readonly errors: readonly string[];
  readonly #child: ChildProcess;
  readonly #file: string;

  private constructor(child: ChildProcess, file: string, origin: string, errors: string[]) {
    this.#child = child;
    this.#file = file;
    this.origin = origin;
    this.port = Number(new URL(origin).port);
    this.errors = errors;
    this.exit = once(child, 'exit').then(([code]) => code as number | null);
  }

  /**
   * Starts it on a free port.
   *
   * @param file where its configuration is written.
   * @throws Error where it does not listen within 15 s.
   */
  static async start(
    file: string,
    config: object,
    env: Readonly<Record<string, string>> = {},
  ): Promise<GatewayProcess> {
    await writeFile(file, JSON.stringify(config));
    const child = spawn(process.execPath, ['--expose-gc', '--import', PROBE, CLI, 'serve'], {
      env: {
        ...process.env,
        PORT: '0',
        LOG_LEVEL: 'info',
        TOOLGATE_CONFIG: file,
        TOOLGATE_ADMIN_KEY: ADMIN_KEY,
        ...env,
      },
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    });
    const errors: string[] = [];
    const origin = await new Promise<string>((resolve, reject) => {
      const limit = setTimeout(() => {
        reject(new Error('the gateway did not start'));
      }, START_LIMIT_MS);
      onLine(child.stdout, (line) => {
        if (/^\{"level":"(error|fatal)"/.test(line)) errors.push(line);
      });
      onLine(child.stderr, (line) => {
        const [, url] = /^Toolgate answers on (\S+)/.exec(line) ?? [];
        if (url === undefined) {
          process.stderr.write(`${line}\n`);
          return;
        }
        clearTimeout(limit);
        resolve(url);
      });
    });
    return new GatewayProcess(child, file, origin, errors);
  }

  async inspect(): Promise<Inspection> {
    const answer = once(this.#child, 'message');
    this.#child.send('inspect');
    const [inspection] = (await answer) as [Inspection];
    return inspection;
  }

  /** Puts another configuration in the file's place, in one step. */
  async rewrite(config: object): Promise<void> {
    const next = `${this.#file}.next`;
    await writeFile(next, JSON.stringify(config));
    await rename(next, this.#file);
  }

  signal(name: 'SIGTERM' | 'SIGHUP' | 'SIGKILL'): void {
    this.#child.kill(name);
  }

  /** Ends it at once, if it still runs. */
  async kill(): Promise<void> {
    this.signal('SIGKILL');
    await this.exit;
  }
}

function onLine(stream: Readable | null, listener: (line: string) => void): void {
  if (stream !== null) createInterface({ input: stream }).on('line', listener);
}
