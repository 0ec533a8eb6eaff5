// `npm run bench`: measures the gateway against the bare fan-out and holds it to the bars of
// docs/performance.md. Ends with 1 when a bar is missed.
//   --rounds N    interleaved rounds of each comparison (5)
//   --seconds S   length of one measurement (2)
//   --save FILE   also put the table into FILE, between its marks
//   --only A,B    scenarios: throughput failures latency rejection large in-flight start
import { parseArgs } from 'node:util';
import { pinned } from './lib/child.js';
import { passes, table, type Row } from './lib/report.js';
import { Rig } from './lib/rig.js';
import { saveBetweenMarks } from './lib/save.js';
import type { Scenario } from './lib/scenario.js';
import { failures } from './scenarios/failures.js';
import { inFlight } from './scenarios/in-flight.js';
import { latency } from './scenarios/latency.js';
import { rejection } from './scenarios/rejection.js';
import { start } from './scenarios/start.js';
import { large, throughput } from './scenarios/throughput.js';

const SCENARIOS: Readonly<Record<string, Scenario>> = {
  throughput,
  failures,
  latency,
  rejection,
  large,
  'in-flight': inFlight,
  start,
};

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '2' },
    save: { type: 'string' },
    only: { type: 'string', default: Object.keys(SCENARIOS).join(',') },
  },
});
const settings = { rounds: Number(values.rounds), seconds: Number(values.seconds) };

const conditions =
  `Node ${process.version}, ${settings.rounds} rounds of ${settings.seconds} s, interleaved, medians; ` +
  (pinned ? 'server on one core, load and upstream on another' : 'processes not pinned to cores');
console.log(conditions);

const rig = await Rig.start();
const rows: Row[] = [];
try {
  for (const name of values.only.split(',')) {
    const scenario = SCENARIOS[name];
    if (scenario === undefined) throw new Error(`no scenario ${name}`);
    console.error(`measuring ${name} …`);
    rows.push(...(await scenario(rig, settings)));
  }
} finally {
  await rig.stop();
}

console.log(table(rows));
const missed = rows.filter((row) => !passes(row)).length;
console.log(
  missed === 0 ? 'Every bar is reached.' : `${missed} of ${rows.length} bars are missed.`,
);
if (values.save !== undefined) {
  await saveBetweenMarks(values.save, `${conditions}\n\n${table(rows)}`);
}
process.exitCode = missed === 0 ? 0 : 1;
