// The cheap half of strict parsing: can this text hold a fault at all? It may say yes to a sound text
// (`faults.ts` then looks closely), never no to a faulty one.

/** A surrogate written as an escape; it may stand alone. */
const SURROGATE_ESCAPE = /\\u[dD][89a-fA-F]/;
const LONE_SURROGATE = /\p{Surrogate}/u;
/** Below this many characters without an exponent no number under- or overflows a double. */
const LONG_NUMBER = 200;

/**
 * Whether a valid JSON text may hold duplicate keys, `__proto__`, lone surrogates, numbers that
 * JSON.parse changed, or more depth than allowed.
 *
 * @param value what JSON.parse made of the text
 */
export function isSuspicious(text: string, value: unknown, maxDepth: number): boolean {
  const members = countMembers(text);
  return (
    members === SUSPICIOUS ||
    // JSON.parse keeps one of two equal keys: the value then has fewer than the text.
    members !== countKeys(value, maxDepth) ||
    (text.includes('\\u') && SURROGATE_ESCAPE.test(text)) ||
    LONE_SURROGATE.test(text)
  );
}

const SUSPICIOUS = -1;

/** Object members in the text, or SUSPICIOUS at a number with an exponent or very many digits. */
function countMembers(text: string): number {
  let members = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 0x22) {
      at = endOfString(text, at);
    } else if (code === 0x3a) {
      members++;
    } else if (code >= 0x30 && code <= 0x39) {
      const end = endOfNumber(text, at);
      if (end === SUSPICIOUS || end - at > LONG_NUMBER) return SUSPICIOUS;
      at = end - 1;
    }
  }
  return members;
}

/** The closing quote of the string that opens at `open`. */
function endOfString(text: string, open: number): number {
  let close = text.indexOf('"', open + 1);
  while (text.charCodeAt(close - 1) === 0x5c && isEscaped(text, close)) {
    close = text.indexOf('"', close + 1);
  }
  return close;
}

/** Whether an odd number of backslashes stands before `at`. */
function isEscaped(text: string, at: number): boolean {
  let first = at;
  while (text.charCodeAt(first - 1) === 0x5c) first--;
  return (at - first) % 2 === 1;
}

function endOfNumber(text: string, start: number): number {
  for (let at = start; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 0x65 || code === 0x45) return SUSPICIOUS;
    if (code !== 0x2e && (code < 0x30 || code > 0x39)) return at;
  }
  return text.length;
}

/** Keys in the value, or NaN (equal to no count) where the value itself shows a fault. */
function countKeys(value: unknown, depthLeft: number): number {
  if (typeof value === 'number') return Math.abs(value) > Number.MAX_SAFE_INTEGER ? NaN : 0;
  if (typeof value !== 'object' || value === null) return 0;
  if (depthLeft === 0) return NaN;
  let keys = 0;
  if (Array.isArray(value)) {
    for (const item of value) keys += countKeys(item, depthLeft - 1);
    return keys;
  }
  const record = value as Record<string, unknown>;
  for (const key of Object.keys(record)) {
    if (key === '__proto__') return NaN;
    keys += 1 + countKeys(record[key], depthLeft - 1);
  }
  return keys;
}
