// "Did you mean": the known name nearest to one that nobody knows. Used on faults only.
import type { Problem } from './pointers.js';

/** Edits (insert, delete, replace) from `a` to `b`. Both are short. */
function editDistance(a: string, b: string): number {
  let previous = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const current = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = (previous[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      current.push(Math.min(replaced, (previous[j] ?? 0) + 1, (current[j - 1] ?? 0) + 1));
    }
    previous = current;
  }
  return previous[b.length] ?? 0;
}

/** The known name within a few edits of `name` (a third of its length), or undefined. */
function nearest(name: string, known: readonly string[]): string | undefined {
  if (name.length > 64) return undefined;
  const wanted = name.toLowerCase().replace(/[-\s]/g, '_');
  let best: string | undefined;
  let bestDistance = Math.max(2, Math.floor(name.length / 3)) + 1;
  for (const candidate of known) {
    const distance = editDistance(wanted, candidate);
    if (distance < bestDistance) [best, bestDistance] = [candidate, distance];
  }
  return best;
}

/** What to say of an unknown field: a request may be full of them, and few are named. */
export function unknownField(name: string, known: readonly string[]): Problem {
  return () => {
    const hint = nearest(name, known);
    return hint === undefined
      ? `is an unknown field (known: ${known.join(', ')})`
      : `is an unknown field, did you mean ${hint}?`;
  };
}
