// The notation that all evidence tables share: one line a row, with the letters of taxonomy.md,
// so that a reader can lay the code beside the page.
import type { ErrorCode } from './catalogue.js';
import type { BreakerVerdict, Effect } from './error-info.js';

/** F failure, S success, N neutral: counts nowhere and gives a half-open probe's slot back. */
export type BreakerLetter = 'F' | 'S' | 'N';

const BREAKER: Readonly<Record<BreakerLetter, BreakerVerdict>> = {
  F: 'failure',
  S: 'success',
  N: 'neutral',
};

/** `phase`: not sent while queued or connecting, unknown from then on. */
export type EffectCell = Effect | 'phase';

export type Cells<E extends EffectCell = EffectCell> = readonly [
  code: ErrorCode,
  transient: 'yes' | 'no',
  effect: E,
  breaker: BreakerLetter,
];

/** What a piece of evidence means by itself. */
export interface EvidenceRow<E extends EffectCell = Effect> {
  readonly code: ErrorCode;
  readonly transient: boolean;
  readonly effect: E;
  readonly breaker: BreakerVerdict;
}

/** Reads one line of a table. */
export function row<E extends EffectCell>([
  code,
  transient,
  effect,
  breaker,
]: Cells<E>): EvidenceRow<E> {
  return { code, transient: transient === 'yes', effect, breaker: BREAKER[breaker] };
}
