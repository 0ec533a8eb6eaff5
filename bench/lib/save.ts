// Puts a run's table into a document, between two marks, so that the figures there are those of a
// real run and nobody's typing.
import { readFile, writeFile } from 'node:fs/promises';

const BEGIN = '<!-- bench: written by npm run bench -->';
const END = '<!-- bench: end -->';

/**
 * Replaces what stands between the marks in `file`.
 *
 * @throws Error where the marks are missing
 */
export async function saveBetweenMarks(file: string, text: string): Promise<void> {
  const document = await readFile(file, 'utf8');
  const begin = document.indexOf(BEGIN);
  const end = document.indexOf(END);
  if (begin === -1 || end < begin) throw new Error(`${file} has no ${BEGIN} … ${END}`);
  const head = document.slice(0, begin + BEGIN.length);
  await writeFile(file, `${head}\n\n${text}\n\n${document.slice(end)}`);
}
