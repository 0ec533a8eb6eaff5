// What a file of evidence says, and how that becomes the public Classification. The one place
// that computes `retryable`, clamps the wait and shapes `details`.
import { CATALOGUE, CATEGORIES, type ErrorCode } from './catalogue.js';
import type {
  BreakerVerdict,
  Classification,
  ClassifiedBy,
  Effect,
  ErrorDetails,
} from './error-info.js';
import type { RetryHint } from './retry-after.js';
import type { ClassifySubject } from './subject.js';

/** The longest wait that is reported; the true one beyond it is only marked as clamped. */
export const MAX_RETRY_AFTER_MS = 86_400_000;

/** The longest message, characters. */
export const MAX_MESSAGE_CHARS = 500;

/** The facts of a failure after its evidence was read. All text in it is already scrubbed. */
export interface Verdict {
  readonly code: ErrorCode;
  readonly transient: boolean;
  readonly effect: Effect;
  readonly breaker: BreakerVerdict;
  readonly by: ClassifiedBy;
  readonly message: string;
  readonly reason?: string | undefined;
  readonly details?: Readonly<Record<string, unknown>> | undefined;
  readonly hint?: RetryHint | undefined;
  readonly refusedBeforeExecution?: boolean;
  readonly upstreamSaidNo?: boolean;
  readonly onceOnly?: boolean;
  /** A wait in it closes the tool's cooldown gate. */
  readonly cooldown?: boolean;
  /** Read from prose only: never enough to repeat a call of a tool that is not idempotent. */
  readonly prose?: boolean;
}

/** Builds the public verdict. (Plain assignments: spreads are what would cost here.) */
export function conclude(
  verdict: Verdict,
  subject: ClassifySubject,
  keySent: boolean,
): Classification {
  const { code, transient, effect, hint, reason, message } = verdict;
  const { category } = CATALOGUE[code];
  const refused = verdict.refusedBeforeExecution === true;
  const repeatable = subject.idempotent || (keySent && verdict.prose !== true);
  const safe = effect === 'not_sent' || refused || repeatable;
  const retryable = CATEGORIES[category].mayRetry && transient && safe;
  const waitMs = transient && hint !== undefined ? clampWaitMs(hint.ms) : null;
  const details = detailsOf(verdict, subject, waitMs);
  const retry_after_ms = waitMs;
  return {
    info:
      reason === undefined
        ? { code, category, message, retryable, retry_after_ms, effect, details }
        : { code, category, reason, message, retryable, retry_after_ms, effect, details },
    status: category === 'declined' ? 'declined' : 'error',
    breaker: verdict.breaker,
    refusedBeforeExecution: refused,
    upstreamSaidNo: verdict.upstreamSaidNo === true,
    onceOnly: verdict.onceOnly === true,
    cooldownMs: verdict.cooldown === true && waitMs !== null && waitMs > 0 ? waitMs : null,
  };
}

function detailsOf(
  { transient, by, details: own, hint }: Verdict,
  subject: ClassifySubject,
  waitMs: number | null,
): ErrorDetails {
  const details: ErrorDetails = {
    // Without a tool the name is whatever the caller wrote.
    tool_name:
      subject.kind === 'none' ? subject.scrubber.text(subject.toolName, 64) : subject.toolName,
    attempts: 0,
    transient,
    classified_by: by,
  };
  if (subject.serverName !== undefined) details['server_name'] = subject.serverName;
  if (own !== undefined) Object.assign(details, own);
  if (waitMs !== null && hint !== undefined) {
    details['retry_after'] = waitMs / 1000;
    if (hint.source !== 'gateway') details['retry_after_source'] = hint.source;
    if (hint.ms > MAX_RETRY_AFTER_MS) details['retry_after_clamped'] = true;
  }
  return details;
}

/** Whole milliseconds in 0..24 h. */
function clampWaitMs(ms: number): number {
  return Math.min(MAX_RETRY_AFTER_MS, Math.max(0, Math.ceil(ms)));
}

/** A lead of ours and what the upstream said, in at most 500 characters. Never empty. */
export function sayWith(
  lead: string,
  upstreamText: string | undefined,
  subject: ClassifySubject,
): string {
  if (upstreamText === undefined) return `${lead}.`;
  const text = subject.scrubber.text(upstreamText, MAX_MESSAGE_CHARS - lead.length - 2).trim();
  return text === '' ? `${lead}.` : `${lead}: ${text}`;
}
