// Headers as other libraries hand them over (a Headers object, any case, any values) in our form.
import type { HeaderBag } from './outcome.js';
import { readProperty } from './thrown-facts.js';

const MAX_HEADERS = 200;
const MAX_VALUE_CHARS = 8192;

/** Lower-case names, string values; everything else is left out. Never throws. */
export function normaliseHeaders(headers: unknown): HeaderBag {
  const bag: Record<string, string | readonly string[]> = {};
  if (typeof headers !== 'object' || headers === null) return bag;
  try {
    let left = MAX_HEADERS;
    for (const [name, value] of pairsOf(headers)) {
      if (left-- === 0) break;
      const text = headerValue(value);
      if (text !== undefined && name !== '__proto__') bag[name.toLowerCase()] = text;
    }
  } catch {
    // A getter threw: what was read so far stands.
  }
  return bag;
}

function pairsOf(headers: object): Iterable<[string, unknown]> {
  return typeof readProperty(headers, 'entries') === 'function'
    ? (headers as Headers).entries()
    : Object.entries(headers);
}

function headerValue(value: unknown): string | readonly string[] | undefined {
  if (typeof value === 'string') return value.slice(0, MAX_VALUE_CHARS);
  if (typeof value === 'number') return String(value);
  if (!Array.isArray(value)) return undefined;
  return (value as unknown[])
    .filter((item) => typeof item === 'string')
    .slice(0, 16)
    .map((item) => item.slice(0, MAX_VALUE_CHARS));
}
