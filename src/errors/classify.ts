// Turns facts (an outcome) into a verdict. Pure and total: the only place where an outcome gets
// its meaning. (First cut: the evidence tables follow.)
import { CATALOGUE, CATEGORIES } from './catalogue.js';
import type { BreakerVerdict, Classification } from './error-info.js';
import type { FailedOutcome, Outcome } from './outcome.js';
import type { ClassifySubject } from './subject.js';

export type { ClassifySubject } from './subject.js';

/** What a failure means. Pure, total, never throws. */
export function classify(
  outcome: FailedOutcome,
  subject: ClassifySubject,
  keySent: boolean,
): Classification {
  const transient = outcome.kind === 'response' && outcome.status >= 500;
  const code = transient ? 'UPSTREAM_UNAVAILABLE' : 'UNMAPPED_FAILURE';
  const category = CATALOGUE[code].category;
  return {
    info: {
      code,
      category,
      message: CATALOGUE[code].when,
      retryable: CATEGORIES[category].mayRetry && transient && (subject.idempotent || keySent),
      retry_after_ms: null,
      effect: 'unknown',
      details: { tool_name: subject.toolName, attempts: 0, transient, classified_by: 'gateway' },
    },
    status: 'error',
    breaker: transient ? 'failure' : 'neutral',
    refusedBeforeExecution: false,
    upstreamSaidNo: false,
    onceOnly: false,
    cooldownMs: null,
  };
}

interface Remembered {
  readonly subject: ClassifySubject;
  readonly keySent: boolean;
  readonly classification: Classification;
}

const remembered = new WeakMap<FailedOutcome, Remembered>();

/**
 * `classify`, remembered per outcome object: retry, breaker and gateway all ask. The result is
 * shared: copy `info` and `info.details` before writing to them.
 */
export function classifyOnce(
  outcome: FailedOutcome,
  subject: ClassifySubject,
  keySent: boolean,
): Classification {
  const earlier = remembered.get(outcome);
  if (earlier?.subject === subject && earlier.keySent === keySent) return earlier.classification;
  const classification = classify(outcome, subject, keySent);
  remembered.set(outcome, { subject, keySent, classification });
  return classification;
}

/** How an outcome counts for the circuit breaker. */
export function breakerVerdict(
  outcome: Outcome,
  subject: ClassifySubject,
  keySent: boolean,
): BreakerVerdict {
  return outcome.kind === 'ok' ? 'success' : classifyOnce(outcome, subject, keySent).breaker;
}
