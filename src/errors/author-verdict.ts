// Lays an author's rule over what the evidence said by itself: the author decides what a failure
// means; what is known of its effect stays.
import { CATALOGUE, CATEGORIES, type ErrorCode } from './catalogue.js';
import type { BreakerVerdict } from './error-info.js';
import type { CompiledErrorRule } from './author-rules.js';
import { breakerOfCode } from './code-breaker.js';
import { dig } from './json-fields.js';
import { numberToWaitMs, parseResetMs } from './reset-value.js';
import type { RetryHint } from './retry-after.js';
import type { ClassifySubject } from './subject.js';
import type { Verdict } from './verdict.js';

/** What the rule is laid over. */
export interface RuleBase {
  /** What the evidence said by itself. */
  readonly verdict: Verdict;
  /** For `retry_after_pointer`. */
  readonly body: unknown;
  /** The upstream gave an answer of its own, so that a refusal in it was one before execution. */
  readonly answered: boolean;
  /** The wait that the answer asks for, even where its status alone would not be asked. */
  readonly hint: RetryHint | undefined;
}

/** The verdict after the author has spoken. */
export function applyRule(
  rule: CompiledErrorRule,
  { verdict: base, body, answered, hint }: RuleBase,
  subject: ClassifySubject,
): Verdict {
  const { then } = rule;
  const code = codeOf(then, base.code);
  const transient = isTransient(then, code, base.transient);
  const declined = code === 'TOOL_DECLINED';
  const limited = answered && code === 'TOOL_RATE_LIMITED';
  // The application itself spoke, in a field that the author knows: nothing is left running.
  const spoken = declined || (answered && rule.readsBody && !transient);
  return {
    ...base,
    code,
    transient,
    by: 'author',
    reason: then.declined ?? then.transient ?? then.permanent,
    message: messageOf(then.message, base.message, subject),
    effect: spoken || limited ? 'completed' : base.effect,
    breaker: breakerOf(then, code, spoken, base.breaker),
    refusedBeforeExecution: limited || base.refusedBeforeExecution === true,
    hint: hint ?? authorHint(rule, body),
    cooldown: limited || base.cooldown === true,
    prose: false,
  };
}

function codeOf(then: CompiledErrorRule['then'], base: ErrorCode): ErrorCode {
  if (then.code !== undefined && Object.hasOwn(CATALOGUE, then.code)) return then.code as ErrorCode;
  if (then.declined !== undefined) return 'TOOL_DECLINED';
  const mustAllowRetry = then.transient !== undefined;
  const keeps = base !== 'UNMAPPED_FAILURE' && base !== 'TOOL_DECLINED';
  const allows = CATEGORIES[CATALOGUE[base].category].mayRetry;
  // `transient` on a status whose category rules a retry out: the author knows better.
  return keeps && (allows || !mustAllowRetry) ? base : 'TOOL_EXECUTION_FAILED';
}

function isTransient(then: CompiledErrorRule['then'], code: ErrorCode, base: boolean): boolean {
  if (then.transient !== undefined) return true;
  if (then.permanent !== undefined || then.declined !== undefined) return false;
  return then.code === undefined ? base : CATALOGUE[code].transient;
}

function breakerOf(
  then: CompiledErrorRule['then'],
  code: ErrorCode,
  spoken: boolean,
  base: BreakerVerdict,
): BreakerVerdict {
  if (then.code !== undefined || code === 'TOOL_DECLINED') return breakerOfCode(code);
  return spoken && base === 'failure' ? 'success' : base;
}

function authorHint(rule: CompiledErrorRule, body: unknown): RetryHint | undefined {
  const { retryAfterPath, retryAfterUnit, then } = rule;
  const found = retryAfterPath === undefined ? undefined : dig(body, retryAfterPath);
  const number = typeof found === 'string' && /^\d+(?:\.\d+)?$/.test(found) ? Number(found) : found;
  if (typeof number === 'number' && Number.isFinite(number) && number >= 0) {
    const ms = retryAfterUnit === 'milliseconds' ? number : numberToWaitMs(number, Date.now());
    if (ms !== undefined) return { ms, source: 'author' };
  } else if (typeof found === 'string') {
    const ms = parseResetMs(found, Date.now());
    if (ms !== undefined) return { ms, source: 'author' };
  }
  return then.retryAfterMs === undefined ? undefined : { ms: then.retryAfterMs, source: 'author' };
}

function messageOf(own: string | undefined, base: string, { scrubber }: ClassifySubject): string {
  if (own === undefined) return base;
  const text = scrubber.text(own).trim();
  return text === '' ? base : text;
}
