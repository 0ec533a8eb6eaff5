// Reads a configuration file: text -> YAML -> environment -> schema -> checks -> the configuration. All
// faults come back together, each with its place; nothing is thrown for a faulty file.
import { readFile, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import type { GatewayConfig } from '../config.js';
import { buildConfig } from './build.js';
import { checkMeaning } from './checks/index.js';
import { controlCharacter, decodeText, withoutMark } from './decode.js';
import { readDocument, type ReadProblem } from './document.js';
import { Faults, type ConfigFault } from './faults.js';
import { checkAgainstSchema } from './schema-check.js';
import { collectSecrets } from './secrets.js';
import { readValues } from './values.js';

export { formatFault, type ConfigFault } from './faults.js';

export type LoadResult =
  | {
      readonly ok: true;
      readonly config: GatewayConfig;
      readonly warnings: string[];
      /** What it was read from. */
      readonly text: string;
    }
  | { readonly ok: false; readonly faults: ConfigFault[] };

/** Larger files are refused unread. */
const MAX_FILE_BYTES = 16 * 1_048_576;

/**
 * Loads a configuration from its text.
 *
 * @param source.file its path: faults name it, relative paths in it start from its folder.
 * @param env where `${NAME}` comes from.
 */
export function loadConfig(
  source: { file: string; text: string },
  env: NodeJS.ProcessEnv,
): LoadResult {
  const { file } = source;
  const text = withoutMark(source.text);
  const strange = controlCharacter(text);
  if (strange !== undefined) return failed(file, strange);
  const read = readDocument(text);
  if ('problems' in read) return failed(file, ...read.problems);
  if (read.document.yaml.contents === null) return failed(file, emptyFile);

  const faults = new Faults(file, read.document);
  const { value, wholeEnv, envUses } = readValues(read.document, env, faults);
  const directory = dirname(resolve(file));
  faults.nextStage();
  const fits = checkAgainstSchema(value, wholeEnv, faults);
  faults.nextStage();
  const warnings = checkMeaning(value, faults, directory);
  if (!fits || faults.count > 0) return { ok: false, faults: faults.list() };
  return {
    ok: true,
    config: buildConfig(value, directory, collectSecrets(value, envUses)),
    warnings,
    text,
  };
}

/** Loads a configuration file; one that cannot be read is a fault like any other. */
export async function loadConfigFile(path: string, env: NodeJS.ProcessEnv): Promise<LoadResult> {
  let bytes: Buffer;
  try {
    const { size } = await stat(path);
    if (size > MAX_FILE_BYTES) return failed(path, tooLarge);
    bytes = await readFile(path);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'error';
    return failed(path, {
      ...START,
      message: `cannot be read (${code})`,
      expected: 'a readable file',
    });
  }
  const decoded = decodeText(bytes);
  if ('problem' in decoded) return failed(path, decoded.problem);
  return loadConfig({ file: path, text: decoded.text }, env);
}

const START = { line: 1, column: 1 };
const emptyFile: ReadProblem = {
  ...START,
  message: 'the file is empty',
  expected: 'a configuration that begins with version: 1',
};
const tooLarge: ReadProblem = {
  ...START,
  message: 'the file is too large',
  expected: `at most ${MAX_FILE_BYTES} bytes`,
};

function failed(file: string, ...problems: ReadProblem[]): LoadResult {
  return { ok: false, faults: problems.map((problem) => ({ file, path: '', ...problem })) };
}
