// Careful reading of parsed JSON whose types nobody promised: own properties only, never a throw.

/** The value under a path of own properties, undefined where it leads nowhere. */
export function dig(value: unknown, path: readonly string[]): unknown {
  let current = value;
  for (const key of path) {
    if (typeof current !== 'object' || current === null || !Object.hasOwn(current, key)) {
      return undefined;
    }
    current = (current as Record<string, unknown>)[key];
  }
  return current;
}

/** A non-empty string under a key, or undefined. */
export function stringAt(value: unknown, ...path: string[]): string | undefined {
  const found = dig(value, path);
  return typeof found === 'string' && found.trim() !== '' ? found : undefined;
}

/** A machine code under a key: a non-empty string of at most 200 characters, or a finite number. */
export function codeAt(value: unknown, ...path: string[]): string | number | undefined {
  const found = dig(value, path);
  if (typeof found === 'number') return Number.isFinite(found) ? found : undefined;
  return typeof found === 'string' && found.trim() !== '' && found.length <= 200
    ? found
    : undefined;
}

/** The first entries of an array, or nothing. */
export function asArray(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? (value as unknown[]).slice(0, 16) : [];
}

/** The tokens of a JSON Pointer (RFC 6901); undefined where the text is none. */
export function pointerTokens(pointer: string): readonly string[] | undefined {
  if (pointer === '') return [];
  if (!pointer.startsWith('/')) return undefined;
  return pointer
    .slice(1)
    .split('/')
    .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'));
}
