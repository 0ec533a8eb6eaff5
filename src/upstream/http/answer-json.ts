// The JSON of an answer, checked and kept as it came; parsed for good only where something needs it.
import { isUtf8 } from 'node:buffer';
import type { ResultBody } from '../../errors/outcome.js';
import { isValidJson } from '../../json/check.js';
import { MAX_RESULT_DEPTH } from '../result-check.js';
import { decodeText } from './charset.js';

/** Below this, JSON.parse is the cheaper check; a text this short cannot be too deep. */
const PARSE_BELOW_BYTES = 2 * MAX_RESULT_DEPTH;
/** Up to this size text is spliced more cheaply than bytes. */
const TEXT_UP_TO_BYTES = 8_192;

/** Checked JSON in the form that is cheapest to pass on; undefined where it is not valid JSON. */
export function checkJson(chunks: readonly Buffer[]): ResultBody | undefined {
  let byteLength = 0;
  for (const chunk of chunks) byteLength += chunk.length;
  if (byteLength < PARSE_BELOW_BYTES) {
    const bytes = joined(chunks);
    const text = bytes.toString('utf8');
    return isUtf8(bytes) && isParsable(text) ? { kind: 'json', text } : undefined;
  }
  if (!isValidJson(chunks, MAX_RESULT_DEPTH)) return undefined;
  return byteLength <= TEXT_UP_TO_BYTES
    ? { kind: 'json', text: joined(chunks).toString('utf8') }
    : { kind: 'json-bytes', chunks, byteLength };
}

/** Whether undeclared content may be JSON: only an object or an array is taken for it. */
export function looksLikeJson(chunks: readonly Buffer[]): boolean {
  const start = chunks[0]?.toString('latin1', 0, 64).trimStart() ?? '';
  return /^(?:\u00ef\u00bb\u00bf)?\s*[{[]/.test(start);
}

/** The bytes as UTF-8 without a byte order mark; JSON in another charset is rare, but allowed. */
export function utf8Of(chunks: readonly Buffer[], charset: string | undefined): readonly Buffer[] {
  if (charset === undefined || charset === 'utf-8' || charset === 'utf8') {
    return withoutMark(chunks);
  }
  const text = decodeText(joined(chunks), charset, false);
  return text === undefined ? chunks : [Buffer.from(text)];
}

/** The value of checked JSON. */
export function parseChecked(body: ResultBody): unknown {
  if (body.kind === 'json') return JSON.parse(body.text) as unknown;
  if (body.kind === 'json-bytes')
    return JSON.parse(joined(body.chunks).toString('utf8')) as unknown;
  return body.kind === 'text' ? body.text : body.value;
}

/** The bytes in one piece. */
export function joined(chunks: readonly Uint8Array[]): Buffer {
  const [first] = chunks;
  return chunks.length === 1 && Buffer.isBuffer(first) ? first : Buffer.concat(chunks);
}

function isParsable(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** RFC 8259 §8.1: a byte order mark may be ignored. */
function withoutMark(chunks: readonly Buffer[]): readonly Buffer[] {
  const [first] = chunks;
  if (first === undefined || first[0] !== 0xef || first[1] !== 0xbb || first[2] !== 0xbf) {
    return chunks;
  }
  return [first.subarray(3), ...chunks.slice(1)];
}
