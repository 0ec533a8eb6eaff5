// How many bytes a kept answer counts.
import type { ResultBody } from '../errors/outcome.js';

/** What an entry costs beside its content: keys, records, map slots. */
export const ENTRY_OVERHEAD_BYTES = 256;

/** Bytes of a result's content. */
export function resultBytes(body: ResultBody): number {
  switch (body.kind) {
    case 'json':
    case 'text':
      return Buffer.byteLength(body.text);
    case 'json-bytes':
      return body.byteLength;
    case 'value':
      return Buffer.byteLength(JSON.stringify(body.value));
  }
}
