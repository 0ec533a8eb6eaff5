// Puts what a run printed into a document, so that the figures there are those of a real run.
import { readFile, writeFile } from 'node:fs/promises';

/**
 * Replaces what stands between `<!-- NAME: begin -->` and `<!-- NAME: end -->`.
 *
 * @throws Error where the marks are missing.
 */
export async function saveBetween(file: string, name: string, text: string): Promise<void> {
  const document = await readFile(file, 'utf8');
  const [begin, end] = [`<!-- ${name}: begin -->`, `<!-- ${name}: end -->`];
  const from = document.indexOf(begin) + begin.length;
  const to = document.indexOf(end);
  if (from < begin.length || to < from) throw new Error(`${file} has no ${begin} … ${end}`);
  await writeFile(file, `${document.slice(0, from)}\n\n${text}\n\n${document.slice(to)}`);
}
