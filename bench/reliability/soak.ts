// `npm run soak -- --seconds N`: N seconds (120) of steady load with faults on every tool. Ends with 1
// where a call was not answered exactly once, something was executed again that must not be, the
// process complained, something was left behind, or memory grew.
//   --rate N     batches a second (40)
//   --seed N     another run of chance
//   --save FILE  puts the figures between the marks of a document (docs/reliability.md)
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { saveBetween } from './lib/document.js';
import { slopePerMinute } from './lib/memory.js';
import { runSoak, type SoakReport } from './lib/soak-run.js';
import type { Tally } from './lib/tally.js';

/** The share of the samples that is warming up: code is compiled, windows and pools fill. */
const WARM_UP = 0.4;
/** Shorter runs show the slope, but are not judged by it. */
const JUDGED_FROM_SECONDS = 60;
const HEAP_BAR_MB_PER_MINUTE = 2;

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '120' },
    rate: { type: 'string', default: '40' },
    seed: { type: 'string', default: '1' },
    save: { type: 'string' },
  },
});
const seconds = Number(values.seconds);

function slopes({ samples }: SoakReport): { heap: number; rss: number } {
  const warm = samples.slice(Math.floor(samples.length * WARM_UP));
  return { heap: slopePerMinute(warm, 'heapMb'), rss: slopePerMinute(warm, 'rssMb') };
}

function figures(report: SoakReport): string {
  const { tally, samples, atRest } = report;
  const { heap, rss } = slopes(report);
  const codes = [...tally.tools].sort().map((tool) => `| ${tool} | ${sayings(tally, tool)} |`);
  const [first, last] = [samples[0], samples.at(-1)];
  return [
    '| | |',
    '| --- | --- |',
    `| calls | ${tally.calls} in ${seconds} s; not answered exactly once: ${tally.unanswered.length} |`,
    `| requests whose client left | ${report.left} |`,
    `| reloads, kills of the upstream | ${report.reloads}, ${report.kills} |`,
    `| executed again by the tool that must not be repeated | ${report.executedAgain} |`,
    `| heap after a forced collection | ${mb(first?.heapMb)} at first, ${mb(last?.heapMb)} at last; slope ${heap.toFixed(2)} MB a minute |`,
    `| RSS | ${mb(first?.rssMb)} at first, ${mb(last?.rssMb)} at last; slope ${rss.toFixed(2)} MB a minute |`,
    `| at rest | ${atRest.batchesInFlight} batches, ${atRest.sockets} sockets, ${atRest.timers} timers |`,
    `| warnings, unhandled rejections, internal errors | ${atRest.complaints.length + report.errors.length} |`,
    '',
    '| tool | what the callers were told |',
    '| --- | --- |',
    ...codes,
  ].join('\n');
}

/** Each code with its count, the most frequent first. */
function sayings(tally: Tally, tool: string): string {
  const counts = new Map<string, number>();
  for (const { code, count } of tally.of(tool)) counts.set(code, (counts.get(code) ?? 0) + count);
  return [...counts]
    .sort(([, a], [, b]) => b - a)
    .map(([code, count]) => `${code} ×${count}`)
    .join(', ');
}

function mb(value: number | undefined): string {
  return `${(value ?? 0).toFixed(1)} MB`;
}

function failuresOf(report: SoakReport): string[] {
  const { heap } = slopes(report);
  const { atRest } = report;
  return [
    ...report.tally.unanswered.map((why) => `a call was not answered: ${why}`),
    ...(report.executedAgain > 0 ? [`${report.executedAgain} bookings were made twice`] : []),
    ...(atRest.batchesInFlight > 0 ? ['a batch never ended'] : []),
    ...(seconds >= JUDGED_FROM_SECONDS && heap > HEAP_BAR_MB_PER_MINUTE
      ? [`the heap grows by ${heap.toFixed(2)} MB a minute`]
      : []),
    ...atRest.complaints,
    ...report.errors,
  ];
}

const folder = await mkdtemp(join(tmpdir(), 'toolgate-soak-'));
try {
  const report = await runSoak({
    folder,
    seconds,
    batchesPerSecond: Number(values.rate),
    seed: Number(values.seed),
    onSample: ({ at, heapMb, rssMb }) => {
      console.error(`${at.toFixed(0)} s: heap ${mb(heapMb)}, RSS ${mb(rssMb)}`);
    },
  });
  const text = figures(report);
  console.log(text);
  if (values.save !== undefined) await saveBetween(values.save, 'soak', text);
  const failures = [...new Set(failuresOf(report))];
  console.log(failures.length === 0 ? 'Nothing lost, nothing left behind.' : failures.join('\n'));
  process.exitCode = failures.length === 0 ? 0 : 1;
} finally {
  await rm(folder, { recursive: true });
}
