// An upstream that already speaks this taxonomy is believed: its `error_info` comes back as it is,
// but for scrubbing. One that breaks the contract's own rules is not.
import { CATALOGUE, CATEGORIES, type ErrorCode } from './catalogue.js';
import { breakerOfCode } from './code-breaker.js';
import type { Classification, Effect, ErrorDetails, ErrorInfo } from './error-info.js';
import { dig } from './json-fields.js';
import { isReasonCode } from './reason-code.js';
import type { ClassifySubject } from './subject.js';
import { MAX_RETRY_AFTER_MS } from './verdict.js';

const EFFECTS: readonly unknown[] = ['not_sent', 'completed', 'unknown'] satisfies Effect[];

/** Refusals by the upstream's own limits: it has not run the call. */
const REFUSING_CATEGORIES: readonly string[] = ['rate_limit', 'circuit_open', 'bulkhead_full'];

/** An `error_info` from outside: `details` may be left out. */
export type GivenErrorInfo = Omit<ErrorInfo, 'details'> & { details?: ErrorDetails };

/** The valid `error_info` of a body, undefined where there is none. */
export function readErrorInfo(body: unknown): GivenErrorInfo | undefined {
  const info = dig(body, ['error_info']);
  return isErrorInfo(info) ? info : undefined;
}

/** The classification of an `error_info` that an upstream gave. */
export function believedClassification(
  info: GivenErrorInfo,
  status: number | undefined,
  subject: ClassifySubject,
  keySent: boolean,
): Classification {
  const { scrubber } = subject;
  const { category } = CATALOGUE[info.code];
  const text = scrubber.text(info.message).trim();
  // The upstream judged by its own tool; ours may narrow that.
  const safe = info.effect !== 'unknown' || subject.idempotent || keySent;
  const retryable = info.retryable && safe;
  const given: Partial<ErrorDetails> = scrubber.value(info.details ?? {});
  return {
    info: {
      code: info.code,
      category,
      ...(info.reason !== undefined && { reason: info.reason }),
      message: text === '' ? CATALOGUE[info.code].when : text,
      retryable,
      retry_after_ms: info.retry_after_ms,
      effect: info.effect,
      details: {
        ...given,
        ...(status !== undefined && { upstream_status: status }),
        ...(subject.serverName !== undefined && { server_name: subject.serverName }),
        tool_name: subject.toolName,
        attempts: 0,
        transient: typeof given.transient === 'boolean' ? given.transient : info.retryable,
        classified_by: 'upstream',
      },
    },
    status: category === 'declined' ? 'declined' : 'error',
    breaker: breakerOfCode(info.code),
    refusedBeforeExecution: retryable && REFUSING_CATEGORIES.includes(category),
    upstreamSaidNo: false,
    onceOnly: false,
    cooldownMs: category === 'rate_limit' && retryable ? info.retry_after_ms : null,
  };
}

function isErrorInfo(value: unknown): value is GivenErrorInfo {
  if (typeof value !== 'object' || value === null) return false;
  const { code, category, reason, message, retryable, retry_after_ms, effect, details } =
    value as Partial<Record<keyof ErrorInfo, unknown>>;
  if (typeof code !== 'string' || !Object.hasOwn(CATALOGUE, code)) return false;
  const own = CATALOGUE[code as ErrorCode].category;
  return (
    category === own &&
    (reason === undefined || isReasonCode(reason)) &&
    typeof message === 'string' &&
    typeof retryable === 'boolean' &&
    (!retryable || CATEGORIES[own].mayRetry) &&
    isWait(retry_after_ms) &&
    EFFECTS.includes(effect) &&
    (details === undefined || (typeof details === 'object' && details !== null))
  );
}

function isWait(value: unknown): boolean {
  return (
    value === null ||
    (Number.isInteger(value) && (value as number) >= 0 && (value as number) <= MAX_RETRY_AFTER_MS)
  );
}
