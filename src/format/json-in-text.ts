// Finds JSON objects and arrays of objects in prose, fenced or bare, in one bounded pass.

/** A piece of text that begins like JSON. */
export interface JsonPiece {
  readonly text: string;
  /** Where it begins in the whole text. */
  readonly start: number;
  /** The text ended inside it. */
  readonly cutOff: boolean;
}

/** Where the bracket at `start` closes, outside strings; -1 if the text ends before. */
function closingOf(text: string, start: number): number {
  let depth = 0;
  let inString = false;
  for (let i = start; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (inString) {
      if (unit === 0x5c /* \ */) i++;
      else if (unit === 0x22 /* " */) inString = false;
    } else if (unit === 0x22) inString = true;
    else if (unit === 0x7b /* { */ || unit === 0x5b /* [ */) depth++;
    else if ((unit === 0x7d /* } */ || unit === 0x5d) /* ] */ && --depth === 0) return i;
  }
  return -1;
}

/** Hands out the outermost pieces of JSON in a text, in order. Reads it four times over at most. */
export class JsonScanner {
  readonly #text: string;
  /** An object with a member or none, or an array of objects. */
  readonly #start = /\{(?=\s*["}])|\[(?=\s*\{\s*")/g;
  #budget: number;

  constructor(text: string) {
    this.#text = text;
    this.#budget = 4 * text.length + 1024;
  }

  /** The next piece behind the last one, or undefined when there is none (or too many). */
  next(): JsonPiece | undefined {
    const match = this.#budget > 0 ? this.#start.exec(this.#text) : null;
    if (match === null) return undefined;
    const start = match.index;
    const closing = closingOf(this.#text, start);
    const end = closing < 0 ? this.#text.length : closing + 1;
    this.#budget -= end - start;
    this.#start.lastIndex = end;
    return { text: this.#text.slice(start, end), start, cutOff: closing < 0 };
  }

  /** Makes `next` look inside a piece that turned out not to be JSON as a whole. */
  descend(piece: JsonPiece): void {
    this.#start.lastIndex = piece.start + 1;
  }
}
