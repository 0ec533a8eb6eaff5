// The comparison as a Markdown table.
import type { Measured } from './measure.js';
import type { OneShot } from './one-shot.js';

const HEAD = [
  'policy',
  'finish',
  'of the best',
  'upstream calls per success',
  'requests per success',
  'retries that succeed',
  'executed twice',
];

/** One table per scenario, in the order of the scenarios. */
export function toMarkdown(measured: readonly Measured[]): string {
  const scenarios = [...new Set(measured.map(({ scenario }) => scenario))];
  return scenarios
    .map((scenario) => {
      const rows = measured.filter((one) => one.scenario === scenario).map(toRow);
      const best = (scenario.bestMs / 1000).toFixed(1);
      return [
        `### (${scenario.id}) The upstream ${scenario.title}`,
        '',
        `Configured: ${scenario.setting}. The best possible: ${best} s.`,
        '',
        row(HEAD),
        alignment(HEAD),
        ...rows,
      ].join('\n');
    })
    .join('\n\n');
}

/** Every scenario in one row: what each policy needed, as a multiple of the best possible. */
export function toSummary(measured: readonly Measured[]): string {
  const scenarios = [...new Set(measured.map(({ scenario }) => scenario))];
  const [first] = scenarios;
  const policies = measured
    .filter((one) => one.scenario === first)
    .map(({ policy }) => policy.name);
  const head = ['the upstream', 'best', ...policies, 'advised retries that succeed'];
  const rows = scenarios.map((scenario) => {
    const runs = measured.filter((one) => one.scenario === scenario);
    const ratios = runs.map(({ ratio }) => ratio.toFixed(2));
    const follower = runs.find(({ advised }) => advised);
    const best = `${(scenario.bestMs / 1000).toFixed(1)} s`;
    return row([scenario.title, best, ...ratios, percent(follower?.retriesOk ?? null)]);
  });
  return [row(head), alignment(head), ...rows].join('\n');
}

/** Callers who ask once; what came through and what the others were told. */
export function toOneShotTable(measured: readonly OneShot[]): string {
  const head = [
    'the upstream',
    'calls/s',
    'succeed/s',
    'expected',
    'longest advice',
    'of 5 % who do come back, admitted then',
  ];
  const rows = measured.map((one) =>
    row([
      one.what,
      `${one.perSecond}`,
      one.succeeded.toFixed(1),
      one.expected.toFixed(1),
      `${(one.longestMs / 1000).toFixed(1)} s`,
      percent(one.admitted),
    ]),
  );
  return [row(head), alignment(head), ...rows].join('\n');
}

function percent(share: number | null): string {
  return share === null ? '–' : `${(share * 100).toFixed(1)} %`;
}

function alignment(head: readonly string[]): string {
  return row(head.map((_cell, at) => (at === 0 ? '---' : '--:')));
}

function toRow(one: Measured): string {
  const share = percent(one.retriesOk);
  return row([
    one.policy.name,
    `${(one.finishedMs / 1000).toFixed(1)} s`,
    one.ratio.toFixed(2),
    one.upstreamPerSuccess.toFixed(2),
    one.requestsPerSuccess.toFixed(1),
    one.advised ? `${share} (advised)` : share,
    one.executedTwice.toFixed(0),
  ]);
}

function row(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`;
}
