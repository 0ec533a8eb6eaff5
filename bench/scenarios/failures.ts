// What failing calls cost: one in twenty fails, the breaker stays closed, against the same gateway
// without failures. Statistics that sort a window on each failure show here.
import { batch, type Rig } from '../lib/rig.js';
import type { Row } from '../lib/report.js';
import { interleave, mid, WARM_UP_SECONDS, withGateway, type Settings } from '../lib/scenario.js';

const SIZE = 10;
const IN_FLIGHT = 16;

export function failures(rig: Rig, { rounds, seconds }: Settings): Promise<readonly Row[]> {
  return withGateway(rig, async (gateway) => {
    const run = (tool: string, time: number) => () =>
      rig.measure(gateway, SIZE, { body: batch(tool, SIZE), inFlight: IN_FLIGHT, seconds: time });
    await run('bench.fast', WARM_UP_SECONDS)();
    await run('bench.some', WARM_UP_SECONDS)();
    const all = await interleave(rounds, {
      without: run('bench.fast', seconds),
      some: run('bench.some', seconds),
    });
    const codes = new Set(all.some.flatMap((measured) => Object.keys(measured.statuses)));
    if (codes.size !== 2 || !codes.has('ok') || !codes.has('UPSTREAM_SERVER_ERROR')) {
      throw new Error(`expected ok and UPSTREAM_SERVER_ERROR, saw ${[...codes].join(', ')}`);
    }
    const [some, without] = [all.some, all.without].map((m) => mid(m, (x) => x.callsPerSecond));
    return [
      {
        name: 'batches of 10, 5 % failing, of itself without',
        value: some! / without!,
        digits: 2,
        unit: '',
        sense: 'at-least',
        bar: 0.9,
        aim: 0.97,
        note: `${some!.toFixed(0)}/s against ${without!.toFixed(0)}/s`,
      },
    ];
  });
}
