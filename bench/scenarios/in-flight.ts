// A thousand calls in flight to an upstream that takes 200 ms: how much memory the gateway takes for
// them, and whether its event loop stays free while calls come and go evenly. Fresh processes, since
// memory once taken stays.
import { batch, type Rig, type Server } from '../lib/rig.js';
import type { Row } from '../lib/report.js';
import { expectOnly, withBoth, type Settings } from '../lib/scenario.js';

const IN_FLIGHT = 1000;
/** As long as a call takes: at every moment as many calls begin as end, not all of them at one. */
const RAMP_MS = 200;
const SAMPLE_EVERY_MS = 100;

interface Held {
  readonly growthMb: number;
  readonly loopP99Ms: number;
  readonly callsPerSecond: number;
}

async function hold(rig: Rig, server: Server, seconds: number): Promise<Held> {
  // A few calls first, so that code loaded on first use is not counted as growth.
  const warmUp = { body: batch('bench.slow', 1), inFlight: 10, seconds: 0.5 };
  await rig.measure(server, 1, warmUp);
  const { rssMb } = await server.child.sample();
  let peakMb = rssMb;
  const watch = setInterval(() => {
    server.child.sample().then(
      (sample) => (peakMb = Math.max(peakMb, sample.rssMb)),
      () => undefined,
    );
  }, SAMPLE_EVERY_MS);
  try {
    const order = {
      body: batch('bench.slow', 1),
      inFlight: IN_FLIGHT,
      rampMs: RAMP_MS,
      seconds,
    };
    // Once for the memory of a cold start, code and connections included; the loop is watched after.
    await rig.measure(server, 1, order);
    await server.child.ask('watch-loop');
    const measured = await rig.measure(server, 1, order);
    expectOnly(measured, 'ok');
    return {
      growthMb: Math.max(peakMb, measured.after.rssMb) - rssMb,
      loopP99Ms: measured.after.loopP99Ms,
      callsPerSecond: measured.callsPerSecond,
    };
  } finally {
    clearInterval(watch);
  }
}

export function inFlight(rig: Rig, { seconds }: Settings): Promise<readonly Row[]> {
  return withBoth(rig, async ({ bare, gateway }) => {
    const theirs = await hold(rig, bare, seconds * 2);
    const ours = await hold(rig, gateway, seconds * 2);
    const shared = { digits: 0, sense: 'at-most' } as const;
    return [
      {
        ...shared,
        name: '1 000 calls in flight, RSS growth',
        value: ours.growthMb,
        unit: ' MB',
        bar: 110,
        aim: 76,
        note: `bare ${theirs.growthMb.toFixed(0)} MB; ${ours.callsPerSecond.toFixed(0)}/s against ${theirs.callsPerSecond.toFixed(0)}/s`,
      },
      {
        ...shared,
        name: '1 000 calls in flight, event loop p99 delay',
        value: ours.loopP99Ms,
        unit: ' ms',
        bar: 20,
        note: `bare ${theirs.loopP99Ms.toFixed(0)} ms`,
      },
    ];
  });
}
