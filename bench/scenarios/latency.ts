// What the gateway adds to a call at a fixed rate of 4 000 single calls a second: the difference of
// the percentiles of the two servers, round by round, and the median of that.
import { batch, type Rig, type Server } from '../lib/rig.js';
import type { Row } from '../lib/report.js';
import { expectOnly, interleave, withBoth, type Settings } from '../lib/scenario.js';
import { median } from '../lib/stats.js';

const CALLS_PER_SECOND = 4000;
const MIN_ROUNDS = 8;

export function latency(rig: Rig, { rounds, seconds }: Settings): Promise<readonly Row[]> {
  return withBoth(rig, async ({ bare, gateway }) => {
    const run = (server: Server) => async () => {
      const measured = await rig.measure(server, 1, {
        body: batch('bench.fast', 1),
        inFlight: 512,
        seconds,
        ratePerSecond: CALLS_PER_SECOND,
      });
      expectOnly(measured, 'ok');
      return measured;
    };
    await run(bare)();
    await run(gateway)();
    const all = await interleave(Math.max(rounds, MIN_ROUNDS), {
      bare: run(bare),
      gateway: run(gateway),
    });
    const row = (percent: 50 | 99, bar: number, aim?: number): Row => {
      const of = (key: 'bare' | 'gateway') =>
        all[key].map((m) => (percent === 50 ? m.p50Ms : m.p99Ms));
      const theirs = of('bare');
      return {
        name: `added p${percent} at 4 000 calls/s`,
        value: median(of('gateway').map((ms, round) => ms - theirs[round]!)),
        digits: 2,
        unit: ' ms',
        sense: 'at-most',
        bar,
        ...(aim === undefined ? {} : { aim }),
        note: `${median(of('gateway')).toFixed(2)} ms against ${median(theirs).toFixed(2)} ms`,
      };
    };
    return [row(50, 0.25), row(99, 2, 0.5)];
  });
}
