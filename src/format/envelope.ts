// The untrusted envelope: everything a tool said stands between one opening and one closing marker,
// whatever it holds. What reads like an instruction is flagged, not removed.
import type { OnSuspicion } from '../call.js';
import { neutralise } from './neutralise.js';
import { findSuspicion } from './suspicion.js';

export interface EnvelopeOptions {
  readonly source: 'tool_result' | 'tool_refusal';
  /** The text was cut before it came here. */
  readonly truncated: boolean;
  /** What to do with text that reads like an instruction; `fail` was decided before rendering. */
  readonly onSuspicion: OnSuspicion;
}

/** Wraps text that nobody vouches for. Nothing inside can close the envelope or open another. */
export function wrapUntrusted(text: string, options: EnvelopeOptions): string {
  const { text: clean, markers } = neutralise(text);
  const suspicions = findSuspicion(clean);
  const first = suspicions[0];
  const cut = options.onSuspicion === 'truncate' && first !== undefined;
  const kinds = new Set<string>(suspicions.map(({ kind }) => kind));
  if (markers > 0) kinds.add('marker');
  const truncated = options.truncated || cut ? ' truncated="true"' : '';
  const flagged = kinds.size > 0 ? ` flagged="${[...kinds].sort().join(' ')}"` : '';
  const body = cut ? clean.slice(0, first.at) : clean;
  return `<untrusted-data source="${options.source}"${truncated}${flagged}>\n${body}\n</untrusted-data>`;
}
