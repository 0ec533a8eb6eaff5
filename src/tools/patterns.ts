// Regular expressions of schemas run on RE2, in linear time whatever a caller sends. What RE2 cannot
// express (lookahead, backreferences) is refused from strangers and runs natively for the operator.
import { RE2JS } from 're2js';

export interface Pattern {
  test(text: string): boolean;
}

export type CompiledPattern =
  | { readonly ok: true; readonly pattern: Pattern; readonly warning?: string }
  | { readonly ok: false; readonly problem: string };

/** Longer ones are no hand's work. */
const MAX_PATTERN_CHARS = 10_000;

/** Constructs that RE2 lacks, as its reader would name them. */
const UNSUPPORTED: readonly (readonly [RegExp, string])[] = [
  [/\(\?[=!]/, 'lookahead'],
  [/\\[1-9]|\\k</, 'a backreference'],
  [/\(\?<[=!]/, 'lookbehind of this kind'],
  [/\{\d{4,}/, 'a repetition above 1000'],
];

/** Many tools use the same few patterns. */
const MAX_REMEMBERED = 500;
const remembered = new Map<string, RE2JS>();

/** @throws when RE2 cannot express it. */
function compileRe2(source: string): RE2JS {
  let pattern = remembered.get(source);
  if (pattern === undefined) {
    pattern = RE2JS.compile(RE2JS.translateRegExp(source), RE2JS.LOOKBEHINDS);
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
  } catch {
    const native = compileNative(source);
    if (native === undefined)
      return { ok: false, problem: 'the pattern is no valid regular expression' };
    const lacks = unsupported(source);
    if (!trusted)
      return { ok: false, problem: `the pattern uses ${lacks}, which RE2 does not have` };
    const warning = `the pattern uses ${lacks}, which RE2 does not have; it runs without protection from slow matches`;
    return { ok: true, pattern: native, warning };
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

function unsupported(source: string): string {
  return UNSUPPORTED.find(([sign]) => sign.test(source))?.[1] ?? 'a construct';
}

/**
 * Compiles a pattern that must run on RE2 (error rules): answers what is wrong, or undefined.
 */
export function problemOfRe2(source: string): string | undefined {
  const compiled = compilePattern(source, false);
  return compiled.ok ? undefined : compiled.problem;
}
