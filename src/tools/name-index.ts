// The names nearest to one that does not exist, out of thousands, cheaply enough for a refusal: an index
// of letter triples finds candidates, a closer look ranks them.
import { similarity } from './similar.js';

/** Longer names are cut; no real one is longer. */
const MAX_NAME_CHARS = 80;
/** A name less alike than this is no help. */
const MIN_SIMILARITY = 0.4;
/** Names looked at closely. */
const MAX_CANDIDATES = 16;

export class NameIndex {
  readonly #names: readonly string[];
  /** Letter triple -> positions in `#names`. */
  readonly #postings = new Map<string, number[]>();

  constructor(names: readonly string[]) {
    this.#names = names;
    names.forEach((name, position) => {
      for (const triple of triplesOf(name)) {
        const list = this.#postings.get(triple);
        if (list === undefined) this.#postings.set(triple, [position]);
        else list.push(position);
      }
    });
  }

  /** At most `limit` names like this one that `allowed` lets through, nearest first. */
  nearest(name: string, allowed: (name: string) => boolean, limit: number): string[] {
    const wanted = name.slice(0, MAX_NAME_CHARS);
    return this.#candidates(wanted, allowed)
      .map((candidate) => ({ candidate, score: similarity(wanted, candidate) }))
      .filter(({ score }) => score >= MIN_SIMILARITY)
      .sort((a, b) => b.score - a.score)
      .slice(0, limit)
      .map(({ candidate }) => candidate);
  }

  /** The names that share most triples for their length. */
  #candidates(wanted: string, allowed: (name: string) => boolean): string[] {
    const shared = new Uint8Array(this.#names.length);
    const touched: number[] = [];
    for (const triple of triplesOf(wanted)) {
      for (const position of this.#postings.get(triple) ?? []) {
        if (shared[position] === 0) touched.push(position);
        shared[position] = (shared[position] ?? 0) + 1;
      }
    }
    const ranked = touched
      .map((position) => ({
        name: this.#names[position] ?? '',
        score: (shared[position] ?? 0) / (wanted.length + (this.#names[position]?.length ?? 0)),
      }))
      .sort((a, b) => b.score - a.score);
    const candidates: string[] = [];
    for (const { name } of ranked) {
      if (candidates.length === MAX_CANDIDATES) break;
      if (allowed(name)) candidates.push(name);
    }
    return candidates;
  }
}

/** Every three neighbouring characters, once, ends marked. */
function triplesOf(text: string): Set<string> {
  const padded = `  ${text.toLowerCase()} `;
  const triples = new Set<string>();
  for (let i = 0; i + 3 <= padded.length; i++) triples.add(padded.slice(i, i + 3));
  return triples;
}
