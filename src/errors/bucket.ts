// The five buckets of the classifier exercise: a view of an ErrorInfo, derived and never stored.
import type { ErrorInfo } from './error-info.js';

export type FiveBucket = 'unknown_tool' | 'transient' | 'validation' | 'tool_error' | 'unexpected';

/** The bucket of a failure. Only `transient` is ever worth a retry. */
export function fiveBucketView(info: ErrorInfo): FiveBucket {
  if (info.category === 'not_found') return 'unknown_tool';
  if (info.details.transient) return 'transient';
  if (info.category === 'validation') return 'validation';
  if (info.code === 'UNMAPPED_FAILURE') return 'unexpected';
  return info.category === 'execution' || info.category === 'declined'
    ? 'tool_error'
    : 'unexpected';
}
