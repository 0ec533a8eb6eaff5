// The tool author's rules (`errors:`), compiled once per tool. (First cut.)
import type { ErrorRule } from './error-rule.js';

/** Rules ready to match; opaque to everyone but the classifier. */
export interface CompiledErrorRules {
  readonly rules: readonly ErrorRule[];
}

export function compileErrorRules(rules: readonly ErrorRule[]): CompiledErrorRules {
  return { rules };
}
