// All runs of the comparison, and what is said about them.
import { POLICIES, type Policy } from './agents.js';
import { CALLS_PER_AGENT, AGENTS, type Scenario } from './scenarios.js';
import { simulate, type Run } from './simulate.js';

/** Every figure is the mean over these runs. */
export const SEEDS = [1, 2, 3];
/** No constant was chosen with these. */
export const OTHER_SEEDS = [201, 202, 203];

export interface Measured {
  readonly scenario: Scenario;
  readonly policy: Policy;
  readonly finishedMs: number;
  /** Finish over the shortest possible. */
  readonly ratio: number;
  readonly upstreamPerSuccess: number;
  readonly requestsPerSuccess: number;
  /** Share of retries that succeed: at the advised moment where one was given, else all. */
  readonly retriesOk: number | null;
  readonly advised: boolean;
  readonly executedTwice: number;
  readonly gaveUp: number;
  /** When each success came in the first run, milliseconds, ascending. */
  readonly successes: readonly number[];
}

/** Runs every scenario under every policy. */
export async function measureAll(
  scenarios: readonly Scenario[],
  seeds: readonly number[],
): Promise<Measured[]> {
  const measured: Measured[] = [];
  for (const scenario of scenarios) {
    for (const policy of POLICIES) {
      const runs: Run[] = [];
      for (const seed of seeds) runs.push(await simulate(scenario, policy, seed));
      measured.push(summarise(scenario, policy, runs));
    }
  }
  return measured;
}

function summarise(scenario: Scenario, policy: Policy, runs: readonly Run[]): Measured {
  const calls = AGENTS * CALLS_PER_AGENT;
  const mean = (of: (run: Run) => number): number =>
    runs.reduce((sum, run) => sum + of(run), 0) / runs.length;
  const finishedMs = mean((run) => run.finishedMs);
  const advised = mean((run) => run.tally.advised);
  const retries = mean((run) => run.tally.retries);
  const retriesOk =
    advised > 0
      ? mean((run) => run.tally.advisedOk) / advised
      : mean((run) => run.tally.retriesOk) / retries;
  return {
    scenario,
    policy,
    finishedMs,
    ratio: finishedMs / scenario.bestMs,
    upstreamPerSuccess: mean((run) => run.upstreamCalls) / calls,
    requestsPerSuccess: mean((run) => run.tally.requests) / calls,
    retriesOk: retries > 0 ? retriesOk : null,
    advised: advised > 0,
    executedTwice: mean((run) => run.executedTwice),
    gaveUp: mean((run) => run.tally.gaveUp),
    successes: runs[0]?.successes ?? [],
  };
}
