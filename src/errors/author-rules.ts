// The tool author's rules (`errors:` in the configuration), compiled once per tool. The most
// specific rule that matches wins: status with a body field, then exact status, then status class;
// exact transport code before family; own class before ancestors. Equals: the first in the file.
import { compileCondition, type Condition, type RuleEvidence } from './rule-conditions.js';
import type { ErrorRule } from './error-rule.js';
import { pointerTokens } from './json-fields.js';

/** A rule ready to match. */
export interface CompiledErrorRule {
  readonly conditions: readonly Condition[];
  readonly then: ErrorRule['then'];
  /** Whether it reads a field of the body: then the application itself has spoken. */
  readonly readsBody: boolean;
  readonly retryAfterPath: readonly string[] | undefined;
  readonly retryAfterUnit: 'milliseconds' | 'reset';
}

/** Rules ready to match; opaque to everyone but the classifier. */
export interface CompiledErrorRules {
  readonly rules: readonly CompiledErrorRule[];
}

/** Compiles validated rules. A pattern that does not compile never matches; nothing is thrown. */
export function compileErrorRules(rules: readonly ErrorRule[]): CompiledErrorRules {
  return { rules: rules.map(compileRule) };
}

/** The rule that speaks for this evidence, if any. */
export function matchRule(
  { rules }: CompiledErrorRules,
  evidence: RuleEvidence,
): CompiledErrorRule | undefined {
  let best: CompiledErrorRule | undefined;
  let bestScore = 0;
  for (const rule of rules) {
    const score = scoreOf(rule, evidence);
    if (score > bestScore) {
      best = rule;
      bestScore = score;
    }
  }
  return best;
}

/** 0: no match; else the sum of what its conditions are worth. */
function scoreOf({ conditions }: CompiledErrorRule, evidence: RuleEvidence): number {
  let score = 0;
  for (const condition of conditions) {
    const worth = condition(evidence);
    if (worth === 0) return 0;
    score += worth;
  }
  return score;
}

function compileRule(rule: ErrorRule): CompiledErrorRule {
  const pointer = rule.then.retryAfterPointer;
  return {
    conditions: compileCondition(rule.when),
    then: rule.then,
    readsBody: rule.when.body !== undefined,
    retryAfterPath: pointer === undefined ? undefined : pointerTokens(pointer),
    retryAfterUnit:
      pointer !== undefined && /(?:_ms|Ms|MS)$/.test(pointer) ? 'milliseconds' : 'reset',
  };
}
