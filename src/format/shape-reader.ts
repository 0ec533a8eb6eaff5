// Reads a text as a model might: one shape at a time (see `confusables.ts`), seeing through the
// escapes of JSON, HTML and URLs, since a model sees through them, too.
import { shapeOf } from './confusables.js';

const ENTITY =
  /&(?:amp;)*(?:#x0*([0-9a-f]{1,6})|#0*(\d{1,7})|(lt|gt|sol|bsol|verbar|vert|lsqb|rsqb|lbrack|rbrack|hyphen|dash|lowbar));?/iy;
const PERCENT = /%(?:25)*([0-9a-f]{2})/iy;
const BACKSLASH = /\\+(?:u\{0*([0-9a-f]{1,6})\}|u([0-9a-f]{4})|x([0-9a-f]{2})|[nrt])?/iy;
const NAMED: Readonly<Record<string, string>> = {
  lt: '<',
  gt: '>',
  sol: '/',
  bsol: '/',
  verbar: '|',
  vert: '|',
  lsqb: '[',
  lbrack: '[',
  rsqb: ']',
  rbrack: ']',
  hyphen: '-',
  dash: '-',
  lowbar: '-',
};

/** Reads a text one shape at a time, seeing through escapes. */
export class ShapeReader {
  readonly #text: string;
  /** Where the next shape begins. */
  end = 0;

  constructor(text: string) {
    this.#text = text;
  }

  /** The shape at `end`; moves `end` behind it. */
  read(): string {
    const start = this.end;
    const unit = this.#text.charCodeAt(start);
    if (unit === 0x26 /* & */) return this.#escape(ENTITY, start);
    if (unit === 0x25 /* % */) return this.#escape(PERCENT, start);
    if (unit === 0x5c /* \ */) return this.#escape(BACKSLASH, start);
    if (unit < 0x80) {
      this.end = start + 1;
      if (unit <= 0x20 || unit === 0x7f) return '';
      if (unit === 0x5f /* _ */) return '-';
      return this.#text.charAt(start).toLowerCase();
    }
    const character = String.fromCodePoint(this.#text.codePointAt(start) ?? unit);
    this.end = start + character.length;
    return shapeOf(character);
  }

  #escape(pattern: RegExp, start: number): string {
    pattern.lastIndex = start;
    const match = pattern.exec(this.#text);
    this.end = match === null ? start + 1 : pattern.lastIndex;
    if (match === null) return this.#text.charAt(start);
    const [, a, b, c] = match;
    if (pattern === ENTITY) {
      if (c !== undefined) return NAMED[c.toLowerCase()] ?? '';
      return shapeOfCode(a === undefined ? Number(b) : parseInt(a, 16));
    }
    const hex = a ?? b ?? c;
    return hex === undefined ? '' : shapeOfCode(parseInt(hex, 16));
  }
}

function shapeOfCode(code: number): string {
  return code > 0x10ffff ? '' : shapeOf(String.fromCodePoint(code));
}
