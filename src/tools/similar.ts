// Which of a few names was meant? Similarity by shared pairs of letters (Dice), for "did you mean".

/** Longer texts are compared by their beginning; no real name is longer. */
const MAX_CHARS = 80;

function pairs(text: string): Map<string, number> {
  const padded = ` ${text.slice(0, MAX_CHARS).toLowerCase()} `;
  const counts = new Map<string, number>();
  for (let i = 0; i + 1 < padded.length; i++) {
    const pair = padded.slice(i, i + 2);
    counts.set(pair, (counts.get(pair) ?? 0) + 1);
  }
  return counts;
}

/** How alike two names are, 0 to 1. */
export function similarity(a: string, b: string): number {
  const left = pairs(a);
  const right = pairs(b);
  let shared = 0;
  for (const [pair, n] of left) shared += Math.min(n, right.get(pair) ?? 0);
  const total = Math.min(a.length, MAX_CHARS) + Math.min(b.length, MAX_CHARS) + 2;
  return (2 * shared) / total;
}

/** The likeliest of `names`, or undefined when none comes near. */
export function didYouMean(name: string, names: readonly string[]): string | undefined {
  let best: string | undefined;
  let bestScore = 0.5;
  for (const candidate of names) {
    const score = similarity(name, candidate);
    if (score > bestScore) [best, bestScore] = [candidate, score];
  }
  return best;
}
