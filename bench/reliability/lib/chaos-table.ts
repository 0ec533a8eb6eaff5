// The table of a chaos run, as Markdown.
import type { ChaosRow } from './chaos-run.js';
import type { Count } from './tally.js';

const HEAD = [
  'the upstream is',
  'tool',
  'calls',
  'what the callers were told',
  'executed again',
  'told untruly',
  'ok again after',
];

function saying({ code, retryable, effect, count }: Count): string {
  if (code === 'ok') return `ok ×${count}`;
  return `${code} ×${count} (${retryable ? 'retryable' : 'not retryable'}, ${effect})`;
}

export function chaosTable(rows: readonly ChaosRow[]): string {
  const lines = rows.map((row, index) => [
    row.fault === rows[index - 1]?.fault ? '' : row.fault,
    row.tool,
    String(row.calls),
    row.told.map(saying).join('<br>'),
    String(row.executedAgain),
    String(row.untrue.length),
    Number.isFinite(row.recoveredAfterMs)
      ? `${(row.recoveredAfterMs / 1000).toFixed(1)} s`
      : 'never',
  ]);
  return [HEAD, HEAD.map(() => '---'), ...lines]
    .map((cells) => `| ${cells.join(' | ')} |`)
    .join('\n');
}
