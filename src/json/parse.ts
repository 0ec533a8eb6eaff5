// JSON as clients send it, read strictly: what JSON.parse lets pass without a word — duplicate keys,
// `__proto__`, lone surrogates, numbers that change their value, bottomless nesting — is named here
// with its place. The rule costs one walk over the value; only a suspicious text is read twice.
import { JsonChecker } from './check.js';
import { findFaults, type JsonFault } from './faults.js';
import { isSuspicious } from './suspicion.js';

export type { JsonFault } from './faults.js';

export type JsonParse =
  | { readonly ok: true; readonly value: unknown; readonly faults: readonly JsonFault[] }
  | {
      readonly ok: false;
      /** What is wrong and where, a clause of ours without a full stop; never the text itself. */
      readonly message: string;
      /** 1-based. */
      readonly line: number;
      /** 1-based, in UTF-16 units. */
      readonly column: number;
      /** 0-based, in UTF-16 units. */
      readonly offset: number;
    };

const NO_FAULTS: readonly JsonFault[] = [];

/** Containers that may stand inside each other. */
const DEFAULT_MAX_DEPTH = 64;

/**
 * Parses JSON text strictly. Faults leave the rest of the value usable: the value is always what
 * JSON.parse makes of the text.
 *
 * @param maxDepth containers that may stand inside each other (default 64)
 * @returns the value and its faults (at most 20), or where the text stops being JSON
 */
export function parseJson(text: string, maxDepth: number = DEFAULT_MAX_DEPTH): JsonParse {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return locateSyntaxError(text);
  }
  if (!isSuspicious(text, value, maxDepth)) return { ok: true, value, faults: NO_FAULTS };
  return { ok: true, value, faults: findFaults(text, maxDepth) };
}

function locateSyntaxError(text: string): JsonParse {
  const bytes = Buffer.from(text);
  const checker = new JsonChecker();
  checker.push(bytes);
  // The checker counts bytes, people count characters.
  const before = bytes.toString('utf8', 0, checker.offset);
  const offset = before.length;
  const atEnd = checker.offset >= bytes.length;
  const lineStart = before.lastIndexOf('\n') + 1;
  const line = before.split('\n').length;
  const column = offset - lineStart + 1;
  const found = atEnd ? 'the text ends too early' : 'unexpected character';
  const message = `${found} at line ${line}, column ${column}; expected ${checker.expected}`;
  return { ok: false, message, line, column, offset };
}
