// Content codings, undone under a cap: a small body may unfold into gigabytes.
import type { Transform } from 'node:stream';
import zlib from 'node:zlib';

interface Decoded {
  readonly chunks: readonly Buffer[];
  /** Bytes in `chunks`. */
  readonly byteLength: number;
  /** Decoded bytes seen; more than `byteLength` where the body was cut. */
  readonly bytesSeen: number;
}

export type Decompression = Decoded | 'broken' | 'unsupported';

/** Codings one on top of the other that are undone; more is an attack. */
const MAX_CODINGS = 3;

/** Codings of a body in the order they were applied; empty for a plain one. */
export function readCodings(header: string | readonly string[] | undefined): readonly string[] {
  if (header === undefined) return [];
  return (typeof header === 'string' ? header : header.join(','))
    .toLowerCase()
    .split(',')
    .map((coding) => coding.trim())
    .filter((coding) => coding !== '' && coding !== 'identity');
}

/**
 * Undoes content codings, the last applied first.
 *
 * @param whole false: the bytes were cut, so an early end is no fault
 * @param keepBytes decoded bytes that are kept
 * @param readBytes decoded bytes after which the work is given up
 */
export async function decompress(
  chunks: readonly Buffer[],
  codings: readonly string[],
  whole: boolean,
  keepBytes: number,
  readBytes: number,
): Promise<Decompression> {
  if (codings.length > MAX_CODINGS) return 'unsupported';
  let current: Decompression = { chunks, byteLength: 0, bytesSeen: 0 };
  let isWhole = whole;
  for (const coding of codings.toReversed()) {
    const first: Buffer | undefined = current.chunks[0];
    const decoder = createDecoder(coding, isWhole, first);
    if (decoder === undefined) return 'unsupported';
    current = await run(decoder, current.chunks, keepBytes, readBytes);
    if (typeof current === 'string') return current;
    isWhole &&= current.bytesSeen <= keepBytes;
  }
  if (isWhole) return current;
  // What was cut before it was decoded counts as cut, however little came out of it.
  return { ...current, bytesSeen: Math.max(current.bytesSeen, current.byteLength + 1) };
}

function createDecoder(
  coding: string,
  whole: boolean,
  first: Buffer | undefined,
): Transform | undefined {
  const cut = { finishFlush: zlib.constants.Z_SYNC_FLUSH };
  switch (coding) {
    case 'gzip':
    case 'x-gzip':
      return zlib.createGunzip(whole ? {} : cut);
    case 'deflate':
      // RFC 9110 §8.4.1.2 means zlib's format; many servers send raw deflate. The head tells them apart.
      return isZlib(first)
        ? zlib.createInflate(whole ? {} : cut)
        : zlib.createInflateRaw(whole ? {} : cut);
    case 'br':
      return zlib.createBrotliDecompress(
        whole ? {} : { finishFlush: zlib.constants.BROTLI_OPERATION_FLUSH },
      );
    default:
      return undefined;
  }
}

/** RFC 1950 §2.2: the method is 8, and the first two bytes are a multiple of 31. */
function isZlib(first: Buffer | undefined): boolean {
  if (first === undefined || first.length < 2) return true;
  return ((first[0] ?? 0) & 0x0f) === 8 && first.readUInt16BE(0) % 31 === 0;
}

function run(
  decoder: Transform,
  input: readonly Buffer[],
  keepBytes: number,
  readBytes: number,
): Promise<Decompression> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let byteLength = 0;
    let bytesSeen = 0;
    const finish = (): void => {
      resolve({ chunks, byteLength, bytesSeen });
    };
    decoder.on('data', (chunk: Buffer) => {
      bytesSeen += chunk.length;
      const kept = chunk.subarray(0, keepBytes - byteLength);
      if (kept.length > 0) chunks.push(kept);
      byteLength += kept.length;
      if (bytesSeen > readBytes) {
        finish();
        decoder.destroy();
      }
    });
    decoder.on('end', finish);
    decoder.on('error', () => {
      resolve('broken');
    });
    for (const chunk of input) decoder.write(chunk);
    decoder.end();
  });
}
