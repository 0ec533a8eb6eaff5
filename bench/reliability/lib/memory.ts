// Whether memory grows: the median slope of all pairs of samples (Theil–Sen), which a single sample
// taken in the middle of a large answer does not bend.
import { median } from '../../lib/stats.js';

export interface Sample {
  /** Seconds since the load began. */
  readonly at: number;
  readonly heapMb: number;
  readonly rssMb: number;
}

/** Megabytes a minute; NaN for fewer than two samples. */
export function slopePerMinute(samples: readonly Sample[], of: 'heapMb' | 'rssMb'): number {
  const slopes = samples.flatMap((from, index) =>
    samples.slice(index + 1).map((to) => (to[of] - from[of]) / (to.at - from.at)),
  );
  return median(slopes) * 60;
}
