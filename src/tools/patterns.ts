// Regular expressions of schemas run on RE2, in linear time whatever a caller sends. What RE2 cannot
// express (lookahead, backreferences) is refused from strangers and runs natively for the operator.
import { RE2JS } from 're2js';
import { NotInRe2, toRe2 } from './re2-syntax.js';

export interface Pattern {
  test(text: string): boolean;
}

export type CompiledPattern =
  | { readonly ok: true; readonly pattern: Pattern; readonly warning?: string }
  | { readonly ok: false; readonly problem: string };

/** Longer ones are no hand's work. */
const MAX_PATTERN_CHARS = 10_000;

const NO_PATTERN = 'the pattern is no valid regular expression';

/** Many tools use the same few patterns. */
const MAX_REMEMBERED = 500;
const remembered = new Map<string, RE2JS>();

/** @throws when RE2 cannot express it. */
function compileRe2(source: string): RE2JS {
  let pattern = remembered.get(source);
  if (pattern === undefined) {
    pattern = RE2JS.compile(toRe2(source), RE2JS.LOOKBEHINDS);
    if (remembered.size >= MAX_REMEMBERED) remembered.clear();
    remembered.set(source, pattern);
  }
  return pattern;
}

/**
 * Compiles a pattern of a JSON Schema (ECMA-262 form).
 *
 * @param trusted the pattern is the operator's: where RE2 cannot express it, the native engine runs it.
 */
export function compilePattern(source: string, trusted: boolean): CompiledPattern {
  if (source.length > MAX_PATTERN_CHARS)
    return { ok: false, problem: `the pattern is longer than ${MAX_PATTERN_CHARS} characters` };
  try {
    return { ok: true, pattern: compileRe2(source) };
  } catch (error) {
    const native = compileNative(source);
    if (native === undefined) return { ok: false, problem: NO_PATTERN };
    const lacks = `the pattern uses ${lacking(error, source)}, which RE2 does not have`;
    if (!trusted) return { ok: false, problem: lacks };
    const warning = `${lacks}; it runs without protection from slow matches`;
    return { ok: true, pattern: native, warning };
  }
}

/** What is wrong with a pattern in RE2's own syntax (error rules); undefined when it is good. */
export function problemOfRe2(source: string): string | undefined {
  try {
    RE2JS.compile(source);
    return undefined;
  } catch (error) {
    if (compileNative(source) === undefined) return NO_PATTERN;
    return `the pattern uses ${lacking(error, source)}, which RE2 does not have`;
  }
}

function compileNative(source: string): RegExp | undefined {
  for (const flags of ['u', '']) {
    try {
      return new RegExp(source, flags);
    } catch {
      // The next flags may take it: `\-` is no escape under `u`.
    }
  }
  return undefined;
}

function lacking(error: unknown, source: string): string {
  if (error instanceof NotInRe2) return error.message;
  if (/\(\?[=!]/.test(source)) return 'lookahead';
  if (/\(\?<[=!]/.test(source)) return 'lookbehind of this kind';
  if (/\\[1-9]|\\k</.test(source)) return 'a backreference';
  return /\{\d{4,}/.test(source) ? 'a repetition above 1000' : 'a construct';
}
