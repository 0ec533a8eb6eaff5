// `npm run chaos`: harms the upstream in every way, in turns, at a steady rate, and shows what callers
// were told. Ends with 1 where a call was not answered exactly once, was executed again although it
// must not be, or was told something untrue.
//   --seconds S    how long each fault lasts (4)
//   --rate N       calls a second (100)
//   --only A,B     faults, by their name in the table
//   --save FILE    puts the table between the marks of a document (docs/reliability.md)
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { CHAOS, type ChaosName, type ChaosReport, runChaos } from './lib/chaos-run.js';
import { chaosTable } from './lib/chaos-table.js';
import { saveBetween } from './lib/document.js';

const CALLS_PER_BATCH = 4;

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '4' },
    rate: { type: 'string', default: '100' },
    only: { type: 'string' },
    save: { type: 'string' },
  },
});

function known(name: string): ChaosName {
  const found = CHAOS.find((fault) => fault === name);
  if (found === undefined) throw new Error(`no fault "${name}"; there are: ${CHAOS.join(', ')}`);
  return found;
}

/** What must not have happened, each in words. */
function failuresOf({ rows, unanswered, complaints, errors }: ChaosReport): string[] {
  return [
    ...unanswered.map((why) => `a call was not answered: ${why}`),
    ...rows.flatMap(({ fault, tool, untrue }) =>
      untrue.map((what) => `${fault}, ${tool}: told ${what}`),
    ),
    ...rows.flatMap(({ fault, tool, executedAgain: again }) =>
      tool === 'book' && again > 0 ? [`${fault}: ${again} bookings were made twice`] : [],
    ),
    ...rows.flatMap(({ fault, tool, recoveredAfterMs }) =>
      Number.isFinite(recoveredAfterMs) ? [] : [`${fault}, ${tool}: did not recover`],
    ),
    ...complaints,
    ...errors,
  ];
}

const only = values.only?.split(',').map(known);
const folder = await mkdtemp(join(tmpdir(), 'toolgate-chaos-'));
try {
  const report = await runChaos({
    folder,
    faultMs: Number(values.seconds) * 1000,
    batchesPerSecond: Number(values.rate) / CALLS_PER_BATCH,
    ...(only !== undefined && { only }),
  });
  const table = chaosTable(report.rows);
  console.log(table);
  if (values.save !== undefined) await saveBetween(values.save, 'chaos', table);
  const failures = failuresOf(report);
  const calls = report.rows.reduce((sum, row) => sum + row.calls, 0);
  console.log(
    failures.length === 0
      ? `${calls} calls, each answered exactly once; nothing told that is not so.`
      : [...new Set(failures)].join('\n'),
  );
  process.exitCode = failures.length === 0 ? 0 : 1;
} finally {
  await rm(folder, { recursive: true });
}
