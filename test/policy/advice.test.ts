import { describe, expect, it } from 'vitest';
import { POLICIES } from '../../bench/advice/agents.js';
import { SCENARIOS } from '../../bench/advice/scenarios.js';
import { simulate } from '../../bench/advice/simulate.js';
import { hinting } from '../../bench/advice/upstreams.js';

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

  it.each([undefined, 429, 503])(
    'wins where one call in ten is answered with Retry-After: 1, at random (%s)',
    async (status) => {
      const base = SCENARIOS.find(({ id }) => id === 'e')!;
      const scenario = { ...base, create: hinting(0.1, 1, status) };
      const { finishedMs, executedTwice, tally } = await simulate(scenario, follow, 7);
      const other = await simulate(scenario, POLICIES[2]!, 7);
      expect([tally.succeeded, executedTwice]).toEqual([2000, 0]);
      expect(finishedMs).toBeLessThan(other.finishedMs);
      expect(finishedMs / scenario.bestMs).toBeLessThan(2);
    },
  );

  it('is the same every time', async () => {
    const scenario = SCENARIOS.find(({ id }) => id === 'd')!;
    expect(await simulate(scenario, follow, 3)).toEqual(await simulate(scenario, follow, 3));
  });
});
