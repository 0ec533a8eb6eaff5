import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Pipeline } from '../../src/policy/pipeline.js';
import {
  advance,
  driveClock,
  makeCall,
  makeContext,
  makePipeline,
  makeTool,
  OK,
  response,
} from './harness.js';

const BUDGET = { tokens: 60, retryCost: 14, successRefill: 3 };
const MAX_ATTEMPTS = 3;
const tool = makeTool({
  retry: { maxAttempts: MAX_ATTEMPTS, baseMs: 10, maxMs: 20, maxWaitMs: 100 },
  retryBudget: BUDGET,
});

interface Model {
  tokens: number;
}

interface Real {
  pipeline: Pipeline;
  /** Failures still to come before a success. */
  failures: number;
  calls: number;
}

/** One call that fails `failures` times before it would succeed. */
class Call implements fc.AsyncCommand<Model, Real> {
  readonly failures: number;
  constructor(failures: number) {
    this.failures = failures;
  }
  check = () => true;
  async run(model: Model, real: Real): Promise<void> {
    let attempts = 1;
    while (
      attempts <= this.failures &&
      attempts < MAX_ATTEMPTS &&
      model.tokens >= BUDGET.retryCost
    ) {
      model.tokens -= BUDGET.retryCost;
      attempts += 1;
    }
    const succeeds = attempts > this.failures;
    if (succeeds) model.tokens = Math.min(BUDGET.tokens, model.tokens + BUDGET.successRefill);

    real.failures = this.failures;
    const callsBefore = real.calls;
    const ctx = makeContext();
    const running = real.pipeline.invoke(makeCall(tool), ctx);
    await advance(100);
    expect((await running).kind).toBe(succeeds ? 'ok' : 'response');
    expect(real.calls - callsBefore).toBe(attempts);
    expect(real.pipeline.snapshot().retryBudget.tokens).toBe(model.tokens);
    if (!succeeds) {
      expect(ctx.retryStoppedBy).toBe(attempts === MAX_ATTEMPTS ? 'max_attempts' : 'budget');
    }
  }
  toString = () => `call(fails ${this.failures} times)`;
}

describe('the retry budget against its model', () => {
  beforeEach(driveClock);
  afterEach(() => vi.useRealTimers());

  it('spends and regains exactly what the policy says', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.commands([fc.nat(4).map((failures) => new Call(failures))], {
          maxCommands: 60,
          size: 'max',
        }),
        async (run) => {
          const real: Real = { pipeline: undefined as never, failures: 0, calls: 0 };
          real.pipeline = makePipeline(tool, () => {
            real.calls += 1;
            real.failures -= 1;
            return Promise.resolve(real.failures >= 0 ? response(503) : OK);
          });
          await fc.asyncModelRun(() => ({ model: { tokens: BUDGET.tokens }, real }), run);
        },
      ),
      { numRuns: 40 },
    );
  });
});
