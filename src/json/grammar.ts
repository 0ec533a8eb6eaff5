// The grammar of JSON (RFC 8259) as a table over bytes: for a state and a byte the next state, or an
// action where nesting decides. `check.ts` runs it.

/** Table entries from here on are actions, below are states. */
export const FIRST_ACTION = 64;
export const OPEN_OBJECT = 64;
export const OPEN_ARRAY = 65;
export const CLOSE_OBJECT = 66;
export const CLOSE_ARRAY = 67;
export const COMMA = 68;
export const BAD = 69;

/** `TABLE[state * 256 + byte]`. */
export const TABLE = new Uint8Array(FIRST_ACTION * 256).fill(BAD);

/** Per state: what could have stood there, for a message. */
export const EXPECTED: string[] = [];

function state(expected: string): number {
  return EXPECTED.push(expected) - 1;
}

function on(from: readonly number[], bytes: string, to: number): void {
  for (const one of from) {
    for (let i = 0; i < bytes.length; i++) TABLE[one * 256 + bytes.charCodeAt(i)] = to;
  }
}

const DIGITS = '0123456789';
const HEX_DIGITS = `${DIGITS}abcdefABCDEF`;
const SPACE = ' \t\n\r';

/** A string, escapes and all, after which `after` holds. */
function stringBefore(after: number): number {
  const inside = state('a character or a closing quote (control characters must be escaped)');
  const escape = state('one of " \\ / b f n r t u after the backslash');
  const hex = [0, 1, 2, 3].map(() => state('four hexadecimal digits after \\u'));
  TABLE.fill(inside, inside * 256 + 0x20, (inside + 1) * 256);
  on([inside], '"', after);
  on([inside], '\\', escape);
  on([escape], '"\\/bfnrt', inside);
  on([escape], 'u', hex[0] ?? BAD);
  hex.forEach((digit, index) => on([digit], HEX_DIGITS, hex[index + 1] ?? inside));
  return inside;
}

export const VALUE = state('a value');
export const FIRST_ITEM = state('a value or "]"');
export const FIRST_KEY = state('a property name in double quotes or "}"');
export const KEY = state('a property name in double quotes');
const COLON = state('":"');
export const AFTER_VALUE = state('"," or a closing bracket, or the end');
export const STRING = stringBefore(AFTER_VALUE);
export const KEY_STRING = stringBefore(COLON);

on([FIRST_KEY, KEY], '"', KEY_STRING);
on([COLON], ':', VALUE);

const VALUE_START = [VALUE, FIRST_ITEM];
on(VALUE_START, '"', STRING);
on(VALUE_START, '{', OPEN_OBJECT);
on(VALUE_START, '[', OPEN_ARRAY);
for (const word of ['true', 'false', 'null']) {
  let from = VALUE_START;
  for (const letter of word.slice(0, -1)) {
    const next = state('true, false or null');
    on(from, letter, next);
    from = [next];
  }
  on(from, word.slice(-1), AFTER_VALUE);
}

const MINUS = state('a digit');
const ZERO = state('the end of the number (no digit follows a leading zero)');
const INTEGER = state('the rest of the number');
const POINT = state('a digit');
const FRACTION = state('the rest of the number');
const EXPONENT = state('a digit or a sign');
const EXPONENT_SIGN = state('a digit');
const EXPONENT_DIGITS = state('the rest of the number');
on(VALUE_START, '-', MINUS);
on([...VALUE_START, MINUS], '0', ZERO);
on([...VALUE_START, MINUS], '123456789', INTEGER);
on([INTEGER], DIGITS, INTEGER);
on([ZERO, INTEGER], '.', POINT);
on([POINT, FRACTION], DIGITS, FRACTION);
on([ZERO, INTEGER, FRACTION], 'eE', EXPONENT);
on([EXPONENT], '+-', EXPONENT_SIGN);
on([EXPONENT, EXPONENT_SIGN, EXPONENT_DIGITS], DIGITS, EXPONENT_DIGITS);

const NUMBER_MAY_END = [ZERO, INTEGER, FRACTION, EXPONENT_DIGITS];
on(NUMBER_MAY_END, SPACE, AFTER_VALUE);
for (const one of [VALUE, FIRST_ITEM, FIRST_KEY, KEY, COLON, AFTER_VALUE]) on([one], SPACE, one);

const VALUE_MAY_END = [AFTER_VALUE, ...NUMBER_MAY_END];
on(VALUE_MAY_END, ',', COMMA);
on([...VALUE_MAY_END, FIRST_ITEM], ']', CLOSE_ARRAY);
on([...VALUE_MAY_END, FIRST_KEY], '}', CLOSE_OBJECT);

/** States in which a text may end, outside of all brackets. */
export const MAY_END: ReadonlySet<number> = new Set(VALUE_MAY_END);
