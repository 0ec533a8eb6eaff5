// An answer as the cache and the idempotency store keep it.
import type { OkOutcome } from '../errors/outcome.js';

/** Marked as cached, and as text where a later change of its value could reach it. */
export function keptOutcome(outcome: OkOutcome): OkOutcome {
  const { result } = outcome;
  if (result.kind !== 'value') return { ...outcome, cached: true };
  const text = JSON.stringify(result.value);
  return { ...outcome, cached: true, result: { kind: 'json', text } };
}
