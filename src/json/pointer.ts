// JSON Pointer (RFC 6901), read-only. Compiled once where a tool uses it on every answer.
// Only own properties count: `/constructor` leads nowhere in `{}`.

export interface PointerResult {
  readonly found: boolean;
  /** The value it leads to; undefined where it leads nowhere. */
  readonly value: unknown;
}

export type CompiledPointer = (value: unknown) => PointerResult;

const NOWHERE: PointerResult = { found: false, value: undefined };

/** Whether the text is a JSON Pointer: empty, or `/`-led with only the escapes `~0` and `~1`. */
export function isPointer(text: string): boolean {
  return text === '' || (text.startsWith('/') && !/~(?![01])/.test(text));
}

/** Escapes one reference token (RFC 6901 §3). */
export function escapePointerToken(token: string): string {
  return token.includes('~') || token.includes('/')
    ? token.replaceAll('~', '~0').replaceAll('/', '~1')
    : token;
}

/** A pointer as a function. A text that is no pointer leads nowhere. */
export function compilePointer(pointer: string): CompiledPointer {
  if (!isPointer(pointer)) return () => NOWHERE;
  const tokens = pointer
    .split('/')
    .slice(1)
    .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'));
  return (value) => {
    let current = value;
    for (const token of tokens) {
      if (!isChild(current, token)) return NOWHERE;
      current = (current as Record<string, unknown>)[token];
    }
    return { found: true, value: current };
  };
}

/** Follows a pointer once; see `compilePointer` for one that is used often. */
export function pointerGet(value: unknown, pointer: string): PointerResult {
  return compilePointer(pointer)(value);
}

function isChild(parent: unknown, token: string): boolean {
  if (typeof parent !== 'object' || parent === null) return false;
  // RFC 6901 §4: an array index has no leading zero; `-` is past the end and so leads nowhere.
  if (Array.isArray(parent)) return /^(?:0|[1-9]\d*)$/.test(token) && Number(token) < parent.length;
  return Object.hasOwn(parent, token);
}
