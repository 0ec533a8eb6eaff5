// ECMA-262 regular expressions, as JSON Schema writes them, in RE2's syntax. Where the two read the
// same letters differently (`\s`, `.`, `[^]`, unknown escapes), ECMA's meaning is kept.

/** A construct that RE2 does not have, named as its reader would. */
export class NotInRe2 extends Error {}

/** Members of `\s` (ECMA-262 WhiteSpace and LineTerminator). */
const SPACE =
  '\\t-\\r\\x{20}\\x{a0}\\x{1680}\\x{2000}-\\x{200a}\\x{2028}\\x{2029}\\x{202f}\\x{205f}\\x{3000}\\x{feff}';
/** All other characters. */
const NO_SPACE =
  '\\x{0}-\\x{8}\\x{e}-\\x{1f}\\x{21}-\\x{9f}\\x{a1}-\\x{167f}\\x{1681}-\\x{1fff}\\x{200b}-\\x{2027}\\x{202a}-\\x{202e}\\x{2030}-\\x{205e}\\x{2060}-\\x{2fff}\\x{3001}-\\x{fefe}\\x{ff00}-\\x{10ffff}';
const ANY = '\\x{0}-\\x{10ffff}';

/** One unit of the source: an escape, a class bracket, a group's opening, or one character. */
const TOKEN =
  /\\u[Dd][89AaBb][\dA-Fa-f]{2}\\u[Dd][C-Fc-f][\dA-Fa-f]{2}|\\u\{[\dA-Fa-f]+\}|\\u[\dA-Fa-f]{4}|\\x[\dA-Fa-f]{2}|\\c[A-Za-z]|\\[pP]\{[^}]*\}|\\k<|\\[\s\S]|\[\^?\]|\(\?<?[=!]|[\s\S]/gu;

/**
 * Translates a pattern.
 *
 * @throws NotInRe2 for lookahead and backreferences; whether the rest is valid RE2 says itself
 */
export function toRe2(source: string): string {
  let inClass = false;
  let out = '';
  for (const [token] of source.matchAll(TOKEN)) {
    if (token.startsWith('\\')) {
      out += escape(token, inClass);
    } else if (inClass) {
      out += token === '[' ? '\\[' : token.startsWith('[') ? `\\[${token.slice(1)}` : token;
      if (token.endsWith(']')) inClass = false;
    } else {
      out += plain(token);
      if (token === '[') inClass = true;
    }
  }
  return out;
}

/** Outside of a class. */
function plain(token: string): string {
  switch (token) {
    case '.':
      return '[^\\n\\r\\x{2028}\\x{2029}]';
    case '[]':
      return `[^${ANY}]`;
    case '[^]':
      return `[${ANY}]`;
    case '(?=':
    case '(?!':
      throw new NotInRe2('lookahead');
    default:
      return token;
  }
}

function escape(token: string, inClass: boolean): string {
  const kind = token[1] ?? '';
  if (kind === 'u' || kind === 'x') return token.length > 2 ? character(codeOf(token)) : kind;
  if (kind === 'c' && token.length === 3) return character(token.charCodeAt(2) % 32);
  if (kind === '0') return '\\x{0}';
  if (kind === 'p' || kind === 'P') return property(token);
  if (kind === 's') return inClass ? SPACE : `[${SPACE}]`;
  if (kind === 'S') return inClass ? NO_SPACE : `[${NO_SPACE}]`;
  if (kind === 'b' && inClass) return '\\x{8}';
  if (/[dDwWbBtnrfv]/.test(kind)) return token;
  if (/[1-9]/.test(kind) || token === '\\k<') throw new NotInRe2('a backreference');
  // Any other escaped character is itself.
  return /[A-Za-z]/.test(kind) ? kind : character(token.codePointAt(1) ?? 0);
}

function codeOf(token: string): number {
  const [high = 0, low] = (token.match(/[\dA-Fa-f]{2,}/g) ?? []).map((hex) => parseInt(hex, 16));
  return low === undefined ? high : 0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00);
}

function character(code: number): string {
  return `\\x{${code.toString(16)}}`;
}

/** `\p{Script=Greek}` is `\p{Greek}` there. */
function property(token: string): string {
  return token.replace(/\{(?:Script|sc|Script_Extensions|scx|General_Category|gc)=/, '{');
}
