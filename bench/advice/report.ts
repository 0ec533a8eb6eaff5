// The comparison as a Markdown table.
import type { Measured } from './measure.js';

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
        row(HEAD.map((_cell, at) => (at === 0 ? '---' : '--:'))),
        ...rows,
      ].join('\n');
    })
    .join('\n\n');
}

function toRow(one: Measured): string {
  const share = one.retriesOk === null ? '–' : `${(one.retriesOk * 100).toFixed(1)} %`;
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
