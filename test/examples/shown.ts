// What a page shows: commands with the output below them, to be run and compared.
import { join } from 'node:path';
import { readFile } from 'node:fs/promises';
import { repository } from './gateway.js';

/** The address in every page. */
export const SHOWN_URL = 'http://127.0.0.1:8080';

export interface Shown {
  readonly command: string;
  readonly output: string;
  /** The configuration that the page says to start with; undefined: the demo's. */
  readonly config: string | undefined;
}

const START_OR_EXAMPLE =
  /TOOLGATE_CONFIG=(\S+) npm start|`npm start`|```sh\n((?:curl|node) [^`]*)```\s+```(?:json|text)\n([^`]*)```/g;

/** Every curl or node command of a page, with the output that it shows. */
export function shownIn(page: string): Shown[] {
  const shown: Shown[] = [];
  let config: string | undefined;
  for (const [, started, command, output] of page.matchAll(START_OR_EXAMPLE)) {
    if (command === undefined) config = started;
    else shown.push({ command: command.trim(), output: output!, config });
  }
  return shown;
}

/** An output without its layout and without what changes from run to run: ids and durations. */
export function lasting(output: string): string {
  return withoutLayout(output)
    .replace(/\b[0-9a-f]{32}\b/g, '<id>')
    .replace(/"duration_ms":[\d.]+/g, '"duration_ms":0');
}

function withoutLayout(output: string): string {
  try {
    return JSON.stringify(JSON.parse(output));
  } catch {
    return output.trim();
  }
}

/** A page of the repository. */
export function readPage(path: string): Promise<string> {
  return readFile(join(repository, path), 'utf8');
}
