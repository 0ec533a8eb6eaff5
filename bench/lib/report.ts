// The table of bars: what was measured, what it must be, what it should be.

export interface Row {
  readonly name: string;
  readonly value: number;
  /** Decimals shown. */
  readonly digits: number;
  readonly unit: string;
  /** `at-least`: higher is better. */
  readonly sense: 'at-least' | 'at-most';
  readonly bar: number;
  readonly aim?: number;
  /** The absolute figures behind the value. */
  readonly note: string;
}

function reaches(row: Row, limit: number): boolean {
  return row.sense === 'at-least' ? row.value >= limit : row.value <= limit;
}

/** Whether the row is at its bar. NaN never is. */
export function passes(row: Row): boolean {
  return reaches(row, row.bar);
}

function verdict(row: Row): string {
  if (!passes(row)) return 'MISSED';
  return row.aim !== undefined && reaches(row, row.aim) ? 'aim' : 'bar';
}

/** Renders the rows as an aligned Markdown table. */
export function table(rows: readonly Row[]): string {
  const limit = (row: Row, value: number | undefined): string =>
    value === undefined ? '' : `${row.sense === 'at-least' ? '≥' : '≤'} ${value}${row.unit}`;
  const cells = [
    ['measure', 'result', 'bar', 'aim', 'reached', 'figures'],
    ...rows.map((row) => [
      row.name,
      row.value.toFixed(row.digits) + row.unit,
      limit(row, row.bar),
      limit(row, row.aim),
      verdict(row),
      row.note,
    ]),
  ];
  const widths = cells[0]!.map((_, column) => Math.max(...cells.map((row) => row[column]!.length)));
  const lines = cells.map(
    (row) => `| ${row.map((cell, column) => cell.padEnd(widths[column]!)).join(' | ')} |`,
  );
  lines.splice(1, 0, `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`);
  return lines.join('\n');
}
