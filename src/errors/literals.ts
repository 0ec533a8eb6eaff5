// Many literals replaced in one pass: a gateway may know a thousand secrets in twenty forms each,
// and a failing call must not pay for every one of them.

/** Replaces any of a fixed set of literals; at each place the longest that stands there. */
export class Literals {
  /** Marks the pairs of characters that a literal starts with; false hits cost a look-up only. */
  readonly #starts = new Uint8Array(65_536);
  readonly #byStart = new Map<string, string[]>();

  /** @param literals of at least two characters each, longest first */
  constructor(literals: readonly string[]) {
    for (const literal of literals) {
      this.#starts[pairHash(literal, 0)] = 1;
      const start = literal.slice(0, 2);
      const bucket = this.#byStart.get(start);
      if (bucket === undefined) this.#byStart.set(start, [literal]);
      else bucket.push(literal);
    }
  }

  replace(text: string, replacement: string): string {
    if (this.#byStart.size === 0) return text;
    let out = '';
    let copied = 0;
    for (let i = 0; i < text.length - 1; i++) {
      if (this.#starts[pairHash(text, i)] === 0) continue;
      const found = this.#byStart.get(text.slice(i, i + 2))?.find((l) => text.startsWith(l, i));
      if (found === undefined) continue;
      out += text.slice(copied, i) + replacement;
      copied = i + found.length;
      i = copied - 1;
    }
    return copied === 0 ? text : out + text.slice(copied);
  }
}

function pairHash(text: string, at: number): number {
  return (text.charCodeAt(at) * 251 + text.charCodeAt(at + 1)) & 0xffff;
}
