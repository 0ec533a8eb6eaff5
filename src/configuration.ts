// Which configuration is in force: the user's file, or the demo's with its upstream beside it.
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { GatewayConfig } from './config.js';
import { type DemoUpstream, startDemoUpstream } from './demo/upstream.js';
import { packageRoot } from './package-root.js';
import { formatFault } from './tools/faults.js';
import { loadConfig } from './tools/load.js';

/** The repository's own configuration. */
export const DEMO_CONFIG = fileURLToPath(new URL('toolgate.yaml', packageRoot));

const DEMO_URL = 'TOOLGATE_DEMO_URL';

export type Loaded =
  | { readonly ok: true; readonly config: GatewayConfig; readonly warnings: readonly string[] }
  | { readonly ok: false; readonly lines: readonly string[] };

/** Reads and checks a configuration file; every fault is one line for a person. */
export async function readConfiguration(file: string, env: NodeJS.ProcessEnv): Promise<Loaded> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    const why = (error as NodeJS.ErrnoException).code ?? 'unknown error';
    return {
      ok: false,
      lines: [`${file}: cannot be read (${why}); expected a configuration file`],
    };
  }
  const loaded = await Promise.resolve(loadConfig({ file, text }, env));
  return loaded.ok ? loaded : { ok: false, lines: loaded.faults.map(formatFault) };
}

export interface OpenedConfiguration {
  readonly file: string;
  /** Reads the file again, in the same environment. */
  readonly load: () => Promise<Loaded>;
  readonly demo: DemoUpstream | undefined;
}

/** The configuration of a start: `file`, or the demo with its upstream running. */
export async function openConfiguration(
  file: string | undefined,
  env: NodeJS.ProcessEnv,
): Promise<OpenedConfiguration> {
  if (file !== undefined) {
    return { file, load: () => readConfiguration(file, env), demo: undefined };
  }
  const demo = await startDemoUpstream();
  const demoEnv = { ...env, [DEMO_URL]: demo.url };
  return { file: DEMO_CONFIG, load: () => readConfiguration(DEMO_CONFIG, demoEnv), demo };
}
