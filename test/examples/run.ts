// Runs a command of the examples and returns what it printed.
import { spawn, spawnSync } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { once } from 'node:events';

export interface Finished {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Whether this machine has every one of the commands. */
export function has(...commands: readonly string[]): boolean {
  return commands.every(
    (command) => spawnSync('sh', ['-c', `command -v ${command}`], { stdio: 'ignore' }).status === 0,
  );
}

/** Runs a command to its end, with `env` on top of this process's. */
export async function run(
  [command, ...args]: readonly [string, ...string[]],
  options: { readonly cwd: string; readonly env?: Readonly<Record<string, string>> },
): Promise<Finished> {
  const child = spawn(command, args, {
    cwd: options.cwd,
    env: { ...process.env, ...options.env },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: 60_000,
  });
  const [stdout, stderr, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close') as Promise<[number | null]>,
  ]);
  return { code, stdout, stderr };
}
