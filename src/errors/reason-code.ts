// The author's own stable codes (`reason`): machine-readable, so their alphabet is small.

const REASON_CODE = /^[A-Za-z0-9_.:-]{1,64}$/;

/** Whether a value may stand as a `reason`. */
export function isReasonCode(value: unknown): value is string {
  return typeof value === 'string' && REASON_CODE.test(value);
}
