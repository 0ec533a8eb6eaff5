// The upstream's process, as whoever does it harm holds it: kill, start again on the same port,
// freeze, thaw, set a fault, read what was executed.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { freePort } from '../../lib/child.js';
import type { FaultName } from './faults.js';

const SCRIPT = fileURLToPath(new URL('../upstream.ts', import.meta.url));

export class UpstreamProcess {
  readonly origin: string;
  readonly #port: number;
  readonly #journal: string;
  #process: ChildProcess | undefined;

  private constructor(port: number, journal: string) {
    this.#port = port;
    this.#journal = journal;
    this.origin = `http://127.0.0.1:${port}`;
  }

  /** @param journal the file it keeps; emptied. */
  static async start(journal: string): Promise<UpstreamProcess> {
    await writeFile(journal, '');
    const upstream = new UpstreamProcess(await freePort(), journal);
    await upstream.revive();
    return upstream;
  }

  /** Starts it where it does not run; every tool is fine then. */
  async revive(): Promise<void> {
    if (this.#process !== undefined) return;
    const child = spawn(
      process.execPath,
      ['--import', 'tsx', SCRIPT, String(this.#port), this.#journal],
      { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] },
    );
    this.#process = child;
    await once(child, 'message');
  }

  async kill(): Promise<void> {
    const child = this.#process;
    if (child === undefined) return;
    this.#process = undefined;
    const gone = once(child, 'exit');
    child.kill('SIGKILL');
    await gone;
  }

  /** The kernel still accepts connections for it; nobody answers. */
  freeze(): void {
    this.#process?.kill('SIGSTOP');
  }

  thaw(): void {
    this.#process?.kill('SIGCONT');
  }

  /** What happens to the requests of a tool from now on. */
  async set(tool: string, fault: FaultName): Promise<void> {
    if (this.#process === undefined) return;
    const done = once(this.#process, 'message');
    this.#process.send({ tool, fault });
    await done;
  }

  /** How often each `TOOL ID` was executed. */
  async executions(): Promise<Map<string, number>> {
    const counts = new Map<string, number>();
    for (const line of (await readFile(this.#journal, 'utf8')).split('\n')) {
      if (line !== '') counts.set(line, (counts.get(line) ?? 0) + 1);
    }
    return counts;
  }
}
