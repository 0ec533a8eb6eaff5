// A strict JSON recogniser over UTF-8 bytes. It builds nothing, so a large answer can be passed on as
// it came at a fraction of what JSON.parse costs; and it knows where the first bad byte stands.
import {
  AFTER_VALUE,
  BAD,
  CLOSE_ARRAY,
  CLOSE_OBJECT,
  COMMA,
  EXPECTED,
  FIRST_ACTION,
  FIRST_ITEM,
  FIRST_KEY,
  KEY,
  KEY_STRING,
  MAY_END,
  OPEN_ARRAY,
  OPEN_OBJECT,
  STRING,
  TABLE,
  VALUE,
} from './grammar.js';
import { isUtf8Chunks } from './utf8.js';

/** Recognises one JSON text, given in chunks. Whether the bytes are UTF-8 is not its business. */
export class JsonChecker {
  #state = VALUE;
  /** Open containers, outermost first; true: an object. */
  readonly #open: boolean[] = [];
  readonly #maxDepth: number;
  #offset = 0;

  /** @param maxDepth how many containers may be open at once; default: any number */
  constructor(maxDepth = Number.POSITIVE_INFINITY) {
    this.#maxDepth = maxDepth;
  }

  /** How many bytes were right so far: after a failure, the offset of the first bad byte. */
  get offset(): number {
    return this.#offset;
  }

  /** What could have stood at `offset`. */
  get expected(): string {
    return EXPECTED[this.#state] ?? '';
  }

  /** Whether the bytes so far are a whole JSON text. */
  get complete(): boolean {
    return this.#open.length === 0 && MAY_END.has(this.#state);
  }

  /** Takes the next bytes. False: this is not JSON, whatever follows; do not push again. */
  push(bytes: Uint8Array): boolean {
    let state = this.#state;
    const length = bytes.length;
    for (let at = 0; at < length; at++) {
      const next = TABLE[state * 256 + (bytes[at] as number)] as number;
      if (next < FIRST_ACTION) {
        state = next;
        if (next === STRING || next === KEY_STRING) at = skipPlain(bytes, at);
      } else {
        const after = this.#act(next);
        if (after === BAD) {
          this.#state = state;
          this.#offset += at;
          return false;
        }
        state = after;
      }
    }
    this.#state = state;
    this.#offset += bytes.length;
    return true;
  }

  /** Opens, closes or continues a container: the next state, or BAD. */
  #act(action: number): number {
    const open = this.#open;
    switch (action) {
      case OPEN_OBJECT:
      case OPEN_ARRAY:
        if (open.length >= this.#maxDepth) return BAD;
        open.push(action === OPEN_OBJECT);
        return action === OPEN_OBJECT ? FIRST_KEY : FIRST_ITEM;
      case CLOSE_OBJECT:
      case CLOSE_ARRAY:
        return open.pop() === (action === CLOSE_OBJECT) ? AFTER_VALUE : BAD;
      case COMMA: {
        const inObject = open.at(-1);
        return inObject === undefined ? BAD : inObject ? KEY : VALUE;
      }
      default:
        return BAD;
    }
  }
}

/**
 * Whether the bytes are one JSON text (RFC 8259) in UTF-8 without a byte order mark. Agrees with
 * `JSON.parse` on every text that is UTF-8.
 *
 * @param bytes the text, whole or in chunks
 * @param maxDepth how many containers may be open at once; default: any number
 */
export function isValidJson(bytes: Uint8Array | readonly Uint8Array[], maxDepth?: number): boolean {
  const chunks = bytes instanceof Uint8Array ? [bytes] : bytes;
  const checker = new JsonChecker(maxDepth);
  for (const chunk of chunks) if (!checker.push(chunk)) return false;
  return checker.complete && isUtf8Chunks(chunks);
}

/** Runs over plain characters of a string, most of a text: the index of the last of them. */
function skipPlain(bytes: Uint8Array, from: number): number {
  let at = from + 1;
  for (; at < bytes.length; at++) {
    const byte = bytes[at] as number;
    if (byte < 0x20 || byte === 0x22 || byte === 0x5c) break;
  }
  return at - 1;
}
