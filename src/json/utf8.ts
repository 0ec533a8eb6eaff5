// UTF-8 that comes in chunks, or is cut: neither may split a character.
import { isUtf8 } from 'node:buffer';

const EMPTY = Buffer.alloc(0);

/** Whether chunks that may split a character are UTF-8 together. */
export function isUtf8Chunks(chunks: readonly Uint8Array[]): boolean {
  let carry: Uint8Array = EMPTY;
  for (const chunk of chunks) {
    const missing = carry.length === 0 ? 0 : characterLength(carry[0] ?? 0) - carry.length;
    if (missing > 0) {
      carry = Buffer.concat([carry, chunk.subarray(0, missing)]);
      if (chunk.length < missing) continue;
      if (!isUtf8(carry)) return false;
    }
    const end = chunk.length - incompleteTail(chunk, missing);
    if (!isUtf8(chunk.subarray(missing, end))) return false;
    carry = chunk.subarray(end);
  }
  return carry.length === 0;
}

/** The longest start of a text that takes at most `maxBytes` as UTF-8. */
export function cutUtf8(text: string, maxBytes: number): string {
  const bytes = Buffer.from(text).subarray(0, maxBytes);
  return bytes.toString('utf8', 0, bytes.length - incompleteTail(bytes, 0));
}

/** How many bytes at the end, not before `start`, begin a character that is not complete (0..3). */
function incompleteTail(bytes: Uint8Array, start: number): number {
  for (let back = 1; back <= 3 && back <= bytes.length - start; back++) {
    const byte = bytes[bytes.length - back] ?? 0;
    if ((byte & 0xc0) === 0x80) continue; // a continuation byte: its lead stands before it
    return characterLength(byte) > back ? back : 0;
  }
  return 0;
}

/** Bytes of the character that this byte leads (RFC 3629 §3). */
function characterLength(lead: number): number {
  if (lead >= 0xf0) return 4;
  if (lead >= 0xe0) return 3;
  return lead >= 0xc0 ? 2 : 1;
}
