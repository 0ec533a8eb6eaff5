// Which configuration is in force: the user's file, or the demo's with its upstream beside it.
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type DemoUpstream, startDemoUpstream } from './demo/upstream.js';
import { packageRoot } from './package-root.js';
import {
  type ConfigFault,
  formatFault,
  loadConfig,
  loadConfigFile,
  type LoadResult,
} from './tools/load.js';

/** The repository's own configuration. */
export const DEMO_CONFIG = fileURLToPath(new URL('toolgate.yaml', packageRoot));

const DEMO_URL = 'TOOLGATE_DEMO_URL';

/** One line per fault, for a person. */
export function faultLines(faults: readonly ConfigFault[]): string {
  return faults.map(formatFault).join('\n');
}

/** Whether it is the demo's file, whose upstream gets its address when it starts. */
function wantsDemo(file: string, env: NodeJS.ProcessEnv): boolean {
  return resolve(file) === DEMO_CONFIG && env[DEMO_URL] === undefined;
}

/** Reads and checks a configuration file without starting anything. */
export async function readConfiguration(file: string, env: NodeJS.ProcessEnv): Promise<LoadResult> {
  const known = wantsDemo(file, env) ? { ...env, [DEMO_URL]: 'http://127.0.0.1:1' } : env;
  return openFile(file, known).load();
}

export interface OpenedConfiguration {
  readonly file: string;
  /** The text that the last sound `load` read. */
  readonly text: () => string;
  /** Reads and checks the file, in the environment of the start. */
  readonly load: () => Promise<LoadResult>;
  /** Checks a text in the file's place: the same folder, the same environment. */
  readonly parse: (text: string) => LoadResult;
  readonly demo: DemoUpstream | undefined;
}

function openFile(file: string, env: NodeJS.ProcessEnv, demo?: DemoUpstream): OpenedConfiguration {
  let text = '';
  return {
    file,
    text: () => text,
    load: async () => {
      const loaded = await loadConfigFile(file, env);
      if (loaded.ok) ({ text } = loaded);
      return loaded;
    },
    parse: (text) => loadConfig({ file, text }, env),
    demo,
  };
}

/** The configuration of a start: `file`, or the demo's; the demo with its upstream running. */
export async function openConfiguration(
  file: string | undefined,
  env: NodeJS.ProcessEnv,
): Promise<OpenedConfiguration> {
  const path = file ?? DEMO_CONFIG;
  if (!wantsDemo(path, env)) return openFile(path, env);
  const demo = await startDemoUpstream();
  return openFile(path, { ...env, [DEMO_URL]: demo.url }, demo);
}
