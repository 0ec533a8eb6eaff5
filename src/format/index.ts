// The wire formats: one line each. Adding one is its file and its line here.
import type { JsonFault } from '../json/parse.js';
import { parseNative } from './native.js';
import type { EnvelopeFault, ParseOptions, ReadEnvelope } from './wire-format.js';

export { resultPieces } from './result-pieces.js';
export type { BatchOptions } from './wire-format.js';

export type FormatName = 'native';

export type ParsedEnvelope = ReadEnvelope<FormatName> | EnvelopeFault;

/** Reads a request body in whatever known shape it has. Never throws. */
export function parseEnvelope(
  value: unknown,
  faults: readonly JsonFault[],
  opts: ParseOptions,
): ParsedEnvelope {
  return parseNative(value, faults, opts);
}
