// The one test that stands before every look into JSON whose shape nobody promised.
import type { JsonObject } from '../call.js';

/** Whether a JSON value is an object (not null, not an array). */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
