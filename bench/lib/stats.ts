// The little statistics the bench needs.

/** The middle of the values; NaN when there are none. */
export function median(values: readonly number[]): number {
  return percentile(
    [...values].sort((a, b) => a - b),
    50,
  );
}

/** Nearest-rank percentile of values that are already sorted, ascending. */
export function percentile(sorted: ArrayLike<number>, percent: number): number {
  const index = Math.ceil((percent / 100) * sorted.length) - 1;
  return sorted[Math.max(0, index)] ?? Number.NaN;
}
