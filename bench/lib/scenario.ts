// What a scenario is given and what it gives back.
import type { Measured, Rig, Server } from './rig.js';
import { median } from './stats.js';
import type { Row } from './report.js';

export interface Settings {
  readonly rounds: number;
  /** Length of one measurement of one server. */
  readonly seconds: number;
}

/** V8 goes on compiling for as long as that. */
export const WARM_UP_SECONDS = 2;

export type Scenario = (rig: Rig, settings: Settings) => Promise<readonly Row[]>;

/** Every answer looked at had only this status or code. */
export function expectOnly(measured: Measured, key: string): void {
  const seen = Object.keys(measured.statuses);
  if (seen.length !== 1 || seen[0] !== key) {
    throw new Error(`expected only ${key}, saw ${JSON.stringify(measured.statuses)}`);
  }
}

/** Measures each subject once a round, each round in the other order, and returns the rounds of each. */
export async function interleave<K extends string>(
  rounds: number,
  subjects: Readonly<Record<K, () => Promise<Measured>>>,
): Promise<Record<K, Measured[]>> {
  const keys = Object.keys(subjects) as K[];
  const all = Object.fromEntries(keys.map((key) => [key, [] as Measured[]])) as Record<
    K,
    Measured[]
  >;
  for (let round = 0; round < rounds; round++) {
    for (const key of round % 2 === 0 ? keys : keys.toReversed()) {
      all[key].push(await subjects[key]());
    }
  }
  return all;
}

/** The median over rounds of one figure. */
export function mid(rounds: readonly Measured[], figure: (m: Measured) => number): number {
  return median(rounds.map(figure));
}

/** Starts bare fan-out and gateway, runs `work`, and ends both whatever happens. */
export async function withBoth<T>(
  rig: Rig,
  work: (servers: { bare: Server; gateway: Server }) => Promise<T>,
): Promise<T> {
  const bare = await rig.bare();
  try {
    const gateway = await rig.gateway();
    try {
      return await work({ bare, gateway });
    } finally {
      await gateway.child.stop();
    }
  } finally {
    await bare.child.stop();
  }
}

/** Starts a gateway, runs `work`, and ends it whatever happens. */
export async function withGateway<T>(rig: Rig, work: (gateway: Server) => Promise<T>): Promise<T> {
  const gateway = await rig.gateway();
  try {
    return await work(gateway);
  } finally {
    await gateway.child.stop();
  }
}
