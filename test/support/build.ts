// Builds the package once before the tests: those that start a process start what users get.
import { execFileSync } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
/** Written last by a build. */
const BUILT = join(ROOT, 'dist/.tsbuildinfo');

export default function build(): void {
  const builtAt = statSync(BUILT, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  if (!isNewer('src', builtAt) && !isNewer('routes', builtAt)) return;
  execFileSync('npm', ['run', '--silent', 'build'], { cwd: ROOT, stdio: 'inherit' });
}

function isNewer(folder: string, than: number): boolean {
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).some(
    (file) => statSync(join(ROOT, folder, file)).mtimeMs > than,
  );
}
