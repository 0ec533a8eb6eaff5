// `npm run bench:advice`: simulates, prints the tables, and writes them and the chart to docs/.
// Deterministic: the same figures on every machine; `--check` fails where docs/ says otherwise.
import { readFile, writeFile } from 'node:fs/promises';
import { toSvg } from './chart.js';
import { measureAll, OTHER_SEEDS, SEEDS, type Measured } from './measure.js';
import { measureOneShot } from './one-shot.js';
import { toMarkdown, toOneShotTable, toSummary } from './report.js';
import { OTHERS, SCENARIOS } from './scenarios.js';

const PAGE = new URL('../../docs/advice.md', import.meta.url);
const CHART = new URL('../../docs/images/advice.svg', import.meta.url);
const BEGIN = '<!-- measured: written by npm run bench:advice -->';
const END = '<!-- /measured -->';

/** The least share of retries at the advised moment that succeed. */
const LEAST = { configured: 0.95, unaided: 0.9 };

/** What docs/advice.md promises those who follow error_info. */
function missed(measured: readonly Measured[]): string[] {
  return measured.flatMap((one) => {
    if (one.policy.name !== 'follow error_info') return [];
    const { id } = one.scenario;
    const kind = id === 'a2' ? 'unaided' : 'configured';
    const others = measured.filter((other) => other.scenario === one.scenario && other !== one);
    const checks: readonly (readonly [boolean, string])[] = [
      [!['a', 'b'].includes(id) || one.ratio <= 1.15, 'finishes within 1.15 of the best'],
      // Where pauses are asked for at random, no moment is better than another.
      [
        !one.advised || id === 'e' || (one.retriesOk ?? 1) >= LEAST[kind],
        'advised retries succeed',
      ],
      [id === 'd' || one.upstreamPerSuccess <= 1.2, 'at most 1.2 calls per success'],
      [one.executedTwice === 0, 'no side effect twice'],
      [others.every((other) => one.finishedMs <= other.finishedMs), 'faster than the others'],
    ];
    return checks.filter(([holds]) => !holds).map(([, what]) => `(${id}) not met: ${what}`);
  });
}

const measured = await measureAll(SCENARIOS, SEEDS);
const tables = [
  toMarkdown(measured),
  '### Other seeds, other figures',
  'Finish, as a multiple of the best possible. The same upstreams with seeds that no constant was chosen with:',
  toSummary(await measureAll(SCENARIOS, OTHER_SEEDS)),
  'Other upstreams, the same seeds:',
  toSummary(await measureAll(OTHERS, OTHER_SEEDS)),
  '### Callers who ask once and never again',
  toOneShotTable(await measureOneShot()),
].join('\n\n');
const chart = toSvg(measured);
const page = await readFile(PAGE, 'utf8');
const head = page.slice(0, page.indexOf(BEGIN) + BEGIN.length);
const next = `${head}\n\n${tables}\n\n${page.slice(page.indexOf(END))}`;
console.log(`${tables}\n`);

const failures = missed(measured);
if (process.argv.includes('--check')) {
  if (next !== page || chart !== (await readFile(CHART, 'utf8'))) {
    failures.push('docs/advice.md or its chart is out of date: run npm run bench:advice');
  }
} else {
  await writeFile(PAGE, next);
  await writeFile(CHART, chart);
}
for (const failure of failures) console.error(failure);
if (failures.length > 0) process.exitCode = 1;
