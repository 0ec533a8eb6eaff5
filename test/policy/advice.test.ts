import { describe, expect, it } from 'vitest';
import { POLICIES } from '../../bench/advice/agents.js';
import { SCENARIOS } from '../../bench/advice/scenarios.js';
import { simulate } from '../../bench/advice/simulate.js';

const follow = POLICIES[0]!;

describe('advice, followed by 100 agents (docs/advice.md has all figures)', () => {
  it.each(['a', 'b', 'c'])('is worth following in scenario (%s)', async (id) => {
    const scenario = SCENARIOS.find((one) => one.id === id)!;
    const { finishedMs, upstreamCalls, executedTwice, tally } = await simulate(scenario, follow, 7);
    expect(tally.succeeded).toBe(2000);
    expect(finishedMs / scenario.bestMs).toBeLessThanOrEqual(1.15);
    expect(tally.advised).toBeGreaterThan(50);
    expect(tally.advisedOk / tally.advised).toBeGreaterThanOrEqual(0.95);
    expect(upstreamCalls / tally.succeeded).toBeLessThanOrEqual(1.2);
    expect(executedTwice).toBe(0);
  });

  it('is the same every time', async () => {
    const scenario = SCENARIOS.find(({ id }) => id === 'd')!;
    expect(await simulate(scenario, follow, 3)).toEqual(await simulate(scenario, follow, 3));
  });
});
