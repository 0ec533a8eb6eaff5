// The one test that stands before every look into a stranger's JSON.
import type { JsonObject } from '../../call.js';

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
