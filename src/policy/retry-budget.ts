// A token bucket over retries, per tool: a dead upstream is not hit with a multiple of the calls.
// With the defaults (500 tokens, 14 a retry) at most 35 retries stand against any number of calls
// that fail; every success gives a token back.
import type { RetryBudgetPolicy } from '../call.js';

export class RetryBudget {
  readonly #policy: RetryBudgetPolicy;
  #tokens: number;

  constructor(policy: RetryBudgetPolicy) {
    this.#policy = policy;
    this.#tokens = policy.tokens;
  }

  get tokens(): number {
    return this.#tokens;
  }

  /** Pays for one retry; false when the budget does not allow it. */
  take(): boolean {
    const { retryCost } = this.#policy;
    if (this.#tokens < retryCost) return false;
    this.#tokens -= retryCost;
    return true;
  }

  /** Gives back what was taken for a retry that is not made. */
  refund(): void {
    const { tokens, retryCost } = this.#policy;
    this.#tokens = Math.min(tokens, this.#tokens + retryCost);
  }

  succeeded(): void {
    const { tokens, successRefill } = this.#policy;
    if (this.#tokens < tokens) this.#tokens = Math.min(tokens, this.#tokens + successRefill);
  }
}
