// Every field of an error body in which services put a machine code, for exact comparison with the codes
// that are known.
import { asArray, dig, stringAt } from './json-fields.js';

const CODE_PATHS: readonly (readonly string[])[] = [
  ['error', 'code'],
  ['error', 'type'],
  ['error', 'status'],
  ['error', 'reason'],
  ['code'],
  ['type'],
  ['status'],
  ['error'],
  ['errorCode'],
  ['error_code'],
  ['Code'],
  ['errorType'],
  ['errors', '0', 'code'],
  ['errors', '0', 'reason'],
  ['errors', '0', 'type'],
  ['errors', '0', 'error'],
  ['errors', '0', 'extensions', 'code'],
  ['detail', 'code'],
  ['detail', 'status'],
];

/** Google's lists: any entry may name the cause. Of other lists each entry may tell of a part. */
const REASON_LISTS: readonly (readonly string[])[] = [
  ['error', 'errors'],
  ['error', 'details'],
];

/** The codes, lower case. */
export function allCodes(body: object, amzn: string | undefined): readonly string[] {
  const codes: string[] = [];
  const add = (code: unknown): void => {
    if (typeof code === 'string' && code.length <= 200) codes.push(code.toLowerCase());
  };
  for (const path of CODE_PATHS) add(dig(body, path));
  for (const path of REASON_LISTS) {
    for (const entry of asArray(dig(body, path))) add(dig(entry, ['reason']));
  }
  add(awsCode(amzn ?? stringAt(body, '__type')));
  // Meta's codes are numbers, and its type is the same for nearly all of them.
  const number = dig(body, ['error', 'code']);
  if (typeof number === 'number') add(`${stringAt(body, 'error', 'type') ?? ''}.${number}`);
  return codes;
}

/** `x-amzn-errortype: Name:http://…`, `__type: namespace#Name`. */
export function awsCode(name: string | undefined): string | undefined {
  return name === undefined ? undefined : /([\w.-]{1,120})\s*(?::.*)?$/.exec(afterHash(name))?.[1];
}

function afterHash(name: string): string {
  return name.slice(name.indexOf('#') + 1).slice(0, 300);
}
