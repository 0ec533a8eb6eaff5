// Calls a second in a closed loop, as a ratio against the bare fan-out: small results in batches of
// 1, 10 and 50, and 100 kB results in batches of 10.
import { batch, type Measured, type Rig, type Server } from '../lib/rig.js';
import type { Row } from '../lib/report.js';
import {
  expectOnly,
  interleave,
  mid,
  WARM_UP_SECONDS,
  withBoth,
  type Settings,
} from '../lib/scenario.js';

interface Load {
  readonly name: string;
  readonly tool: string;
  readonly size: number;
  readonly inFlight: number;
  readonly bar: number;
  readonly aim: number;
}

const SMALL: readonly Load[] = [
  { name: 'calls/s, batches of 1', tool: 'bench.fast', size: 1, inFlight: 64, bar: 0.9, aim: 1.05 },
  {
    name: 'calls/s, batches of 10',
    tool: 'bench.fast',
    size: 10,
    inFlight: 16,
    bar: 0.95,
    aim: 1.15,
  },
  { name: 'calls/s, batches of 50', tool: 'bench.fast', size: 50, inFlight: 8, bar: 1, aim: 1.2 },
];

/** Above this share load and upstream, below it others on the machine, blur the comparison. */
const BUSY = 0.9;

const percent = (share: number): string => `${(share * 100).toFixed(0)} %`;

const LARGE: Load = {
  name: 'calls/s, batches of 10, 100 kB results',
  tool: 'bench.big',
  size: 10,
  inFlight: 4,
  bar: 1.5,
  aim: 3,
};

async function compare(
  rig: Rig,
  servers: { bare: Server; gateway: Server },
  load: Load,
  { rounds, seconds }: Settings,
): Promise<Row> {
  const body = batch(load.tool, load.size);
  const run = (server: Server, time: number) => async () => {
    const measured = await rig.measure(server, load.size, {
      body,
      inFlight: load.inFlight,
      seconds: time,
    });
    expectOnly(measured, 'ok');
    return measured;
  };
  await run(servers.bare, WARM_UP_SECONDS)();
  await run(servers.gateway, WARM_UP_SECONDS)();
  const { value, share } = await rig.loadShare(() =>
    interleave(rounds, {
      bare: run(servers.bare, seconds),
      gateway: run(servers.gateway, seconds),
    }),
  );
  const of = (key: 'bare' | 'gateway', figure: (m: Measured) => number) => mid(value[key], figure);
  const rate = (key: 'bare' | 'gateway') => of(key, (m) => m.callsPerSecond);
  const cpu = (key: 'bare' | 'gateway') => of(key, (m) => m.cpuUsPerCall);
  const core = Math.min(
    of('bare', (m) => m.coreShare),
    of('gateway', (m) => m.coreShare),
  );
  const note =
    `${rate('gateway').toFixed(0)}/s against ${rate('bare').toFixed(0)}/s; ` +
    `CPU a call ${cpu('gateway').toFixed(1)} µs against ${cpu('bare').toFixed(1)} µs ` +
    `(${(cpu('bare') / cpu('gateway')).toFixed(2)})` +
    (share > BUSY ? `; load and upstream took ${percent(share)} of their core` : '') +
    (core < BUSY ? `; a server had only ${percent(core)} of its core` : '');
  return {
    name: load.name,
    value: rate('gateway') / rate('bare'),
    digits: 2,
    unit: '',
    sense: 'at-least',
    bar: load.bar,
    aim: load.aim,
    note,
  };
}

/** Batches of 1, 10 and 50 with results of 200 bytes. */
export function throughput(rig: Rig, settings: Settings): Promise<readonly Row[]> {
  return withBoth(rig, async (servers) => {
    const rows: Row[] = [];
    for (const load of SMALL) rows.push(await compare(rig, servers, load, settings));
    return rows;
  });
}

/** Batches of 10 with results of 100 kB. */
export function large(rig: Rig, settings: Settings): Promise<readonly Row[]> {
  return withBoth(rig, async (servers) => [await compare(rig, servers, LARGE, settings)]);
}
