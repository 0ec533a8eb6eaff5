// Configuration texts in which `«` stands right before what is wrong: the mark is taken out, its place
// is where the fault must be.
import { formatFault, loadConfig, type ConfigFault } from '../../src/tools/load.js';

export interface Marked {
  readonly text: string;
  readonly places: readonly { line: number; column: number }[];
}

export function readMarks(marked: string): Marked {
  const pieces = marked.split('«');
  const places: { line: number; column: number }[] = [];
  let text = pieces[0]!;
  for (const piece of pieces.slice(1)) {
    const lines = text.split('\n');
    places.push({ line: lines.length, column: lines.at(-1)!.length + 1 });
    text += piece;
  }
  return { text, places };
}

export function faultsOf(text: string, env: NodeJS.ProcessEnv = {}): readonly ConfigFault[] {
  const result = loadConfig({ file: import.meta.filename, text }, env);
  return result.ok ? [] : result.faults;
}

export function show(faults: readonly ConfigFault[]): string {
  return faults.map((fault) => formatFault(fault)).join('\n');
}

export function configOf(text: string, env: NodeJS.ProcessEnv = {}) {
  const result = loadConfig({ file: import.meta.filename, text }, env);
  if (!result.ok) throw new Error(show(result.faults));
  return result;
}
