// Bytes of an answer as text, by the charset it declares.
import { isUtf8 } from 'node:buffer';

/** What RFC 2616 once made the default of text, and what most undeclared non-UTF-8 text still is. */
const LEGACY_CHARSET = 'windows-1252';
const UTF8_NAMES = new Set(['utf-8', 'utf8', 'us-ascii', 'ascii']);

/**
 * Decodes text; undefined where the bytes do not fit the declared charset or nobody knows it.
 * A byte order mark is dropped.
 *
 * @param charset as declared; undefined: UTF-8, and where it is none, windows-1252
 * @param cut the bytes were cut: a character that is not complete at the end is left out
 */
export function decodeText(
  bytes: Buffer,
  charset: string | undefined,
  cut: boolean,
): string | undefined {
  if (charset !== undefined && !UTF8_NAMES.has(charset)) return decodeAs(charset, bytes, cut);
  if (!cut && isUtf8(bytes)) return withoutMark(bytes.toString('utf8'));
  return (
    decodeAs('utf-8', bytes, cut) ??
    (charset === undefined ? decodeAs(LEGACY_CHARSET, bytes, cut) : undefined)
  );
}

function decodeAs(charset: string, bytes: Buffer, cut: boolean): string | undefined {
  try {
    return new TextDecoder(charset, { fatal: true }).decode(bytes, { stream: cut });
  } catch {
    return undefined;
  }
}

function withoutMark(text: string): string {
  return text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
}
