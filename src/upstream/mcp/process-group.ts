// Child processes that are ended together with whatever they started: each is the leader of a
// process group of its own, and the group is killed, also when this process exits.
import { type ChildProcess, spawn, type SpawnOptions } from 'node:child_process';

const living = new Set<number>();
let hooked = false;

/** Starts a child as the leader of its own process group. May emit 'error' instead of 'spawn'. */
export function spawnGroup(
  command: string,
  args: readonly string[],
  options: Omit<SpawnOptions, 'detached' | 'stdio'>,
): ChildProcess {
  const child = spawn(command, args, {
    ...options,
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  if (child.pid !== undefined) {
    living.add(child.pid);
    if (!hooked) {
      hooked = true;
      process.on('exit', () => {
        for (const pid of living) signalGroup(pid, 'SIGKILL');
      });
    }
  }
  return child;
}

/** Kills what is left of a group whose leader is gone. */
export function reapGroup(pid: number): void {
  signalGroup(pid, 'SIGKILL');
  living.delete(pid);
}

/** Signals a whole group; a group that no longer exists is no error. */
export function signalGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid, signal);
  } catch {
    // ESRCH: nothing is left of it. EPERM: what is left is not ours any more.
  }
}

/** How many groups are alive; for leak checks. */
export function livingGroups(): number {
  return living.size;
}
