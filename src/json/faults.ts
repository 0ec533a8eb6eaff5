// The close look at a suspicious JSON text: where each fault stands. It reads the text, not the value,
// because the value no longer shows a duplicate key or the digits of a number.
import { escapePointerToken } from './pointer.js';

export interface JsonFault {
  /** JSON Pointer (RFC 6901) to the member or item. */
  readonly pointer: string;
  /** What is wrong there, to be read after the pointer: "is given more than once". */
  readonly problem: string;
}

const MAX_FAULTS = 20;

/** Strings, numbers and punctuation of a valid text; literals do not matter here. */
const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]*|[[\]{},:]/g;
const LONE_SURROGATE = /\p{Surrogate}/u;

/** One open container. */
interface Frame {
  /** Of an object: the keys so far. */
  readonly keys: Set<string> | undefined;
  /** The next string is a key. */
  keyNext: boolean;
  /** The member or item that is being read. */
  at: string | number;
}

/**
 * Finds the faults of a valid JSON text: duplicate keys, `__proto__` keys, lone surrogates, numbers
 * that a double cannot hold, containers deeper than `maxDepth`. At most 20, in the order of the text.
 */
export function findFaults(text: string, maxDepth: number): readonly JsonFault[] {
  const faults: JsonFault[] = [];
  const open: Frame[] = [];
  const report = (problem: string | undefined): void => {
    if (problem !== undefined) faults.push({ pointer: pointerOf(open), problem });
  };
  for (const [token] of text.matchAll(TOKEN)) {
    if (faults.length >= MAX_FAULTS) break;
    const frame = open.at(-1);
    switch (token) {
      case '{':
      case '[':
        // Reported once, where the limit is crossed; what is deeper is not looked at.
        if (open.length === maxDepth) report(`is nested more than ${maxDepth} levels deep`);
        open.push(
          token === '{'
            ? { keys: new Set(), keyNext: true, at: '' }
            : { keys: undefined, keyNext: false, at: 0 },
        );
        break;
      case '}':
      case ']':
        open.pop();
        break;
      case ',':
        if (frame !== undefined) nextMember(frame);
        break;
      case ':':
        break;
      default:
        if (open.length > maxDepth) break;
        if (frame?.keyNext === true) report(enterMember(frame, JSON.parse(token) as string));
        else report(token.startsWith('"') ? stringProblem(token) : numberProblem(token));
    }
  }
  return faults;
}

function pointerOf(open: readonly Frame[]): string {
  return open.map((frame) => `/${escapePointerToken(String(frame.at))}`).join('');
}

function nextMember(frame: Frame): void {
  if (typeof frame.at === 'number') frame.at++;
  else frame.keyNext = true;
}

function enterMember(frame: Frame, key: string): string | undefined {
  frame.at = key;
  frame.keyNext = false;
  if (key === '__proto__') return 'is not allowed as a property name';
  if (frame.keys?.has(key) === true) return 'is given more than once';
  frame.keys?.add(key);
  if (LONE_SURROGATE.test(key)) return 'has half a surrogate pair in its name';
  return undefined;
}

function stringProblem(token: string): string | undefined {
  if (!token.includes('\\u') && !LONE_SURROGATE.test(token)) return undefined;
  const lone = LONE_SURROGATE.test(JSON.parse(token) as string);
  return lone ? 'holds half a surrogate pair, which is no character' : undefined;
}

/** A number is sound if it is still the same after it was read as a double. */
function numberProblem(token: string): string | undefined {
  const value = Number(token);
  if (!Number.isFinite(value)) return 'is a number too large to represent';
  if (value === 0 && /[1-9]/.test(token.replace(/[eE].*$/, ''))) {
    return 'is a number too small to represent';
  }
  const isInteger = /^-?\d+$/.test(token);
  if (isInteger && !Number.isSafeInteger(value) && String(value) !== token) {
    return 'is an integer that would lose digits; send it as a string';
  }
  return undefined;
}
