// The bytes of a configuration file as text: UTF-8, with or without a byte order mark, and nothing
// that no editor writes.
import { isUtf8 } from 'node:buffer';
import type { ReadProblem } from './document.js';

const EXPECTED = 'YAML or JSON text in UTF-8';

export function decodeText(bytes: Buffer): { text: string } | { problem: ReadProblem } {
  if ((bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff)) {
    return { problem: { line: 1, column: 1, message: 'the file is UTF-16', expected: EXPECTED } };
  }
  if (!isUtf8(bytes)) {
    const place = placeOf(bytes, firstInvalid(bytes));
    return { problem: { ...place, message: 'the file is not text in UTF-8', expected: EXPECTED } };
  }
  return { text: bytes.toString('utf8') };
}

/** Without a byte order mark. */
export function withoutMark(text: string): string {
  return text.startsWith('\ufeff') ? text.slice(1) : text;
}

/** The first control character that has no place in YAML, if there is one. */
export function controlCharacter(text: string): ReadProblem | undefined {
  const found = /[^\P{Cc}\t\n\r\x85]/u.exec(text);
  if (found === null) return undefined;
  const before = text.slice(0, found.index).split('\n');
  const column = (before.at(-1)?.length ?? 0) + 1;
  return { line: before.length, column, message: 'has a control character', expected: EXPECTED };
}

/** Where UTF-8 ends being valid: the longest valid beginning, by halves. */
function firstInvalid(bytes: Buffer): number {
  let valid = 0;
  let rest = bytes.length;
  while (valid < rest) {
    const middle = Math.ceil((valid + rest) / 2);
    // A cut through a character is not its fault: step back to where one begins.
    let cut = middle;
    while (cut > valid && ((bytes[cut] ?? 0) & 0xc0) === 0x80) cut--;
    if (isUtf8(bytes.subarray(0, cut === valid ? middle : cut)))
      valid = cut === valid ? middle : cut;
    else rest = (cut === valid ? middle : cut) - 1;
  }
  return valid;
}

function placeOf(bytes: Buffer, offset: number): { line: number; column: number } {
  const before = bytes.subarray(0, offset).toString('utf8');
  const lineStart = before.lastIndexOf('\n') + 1;
  return { line: before.split('\n').length, column: before.length - lineStart + 1 };
}
