// The arguments of a call, read once: an object, or JSON text of one (encoded twice at most).
// Text that does not parse is a fault with its position, never an empty object.
import type { JsonObject } from '../call.js';
import { parseJson } from '../json/parse.js';
import type { JsonFault } from '../json/parse.js';
import { addFault, faultList } from './pointers.js';
import { isObject } from '../json/object.js';

/** Why arguments cannot be used: JSON Pointer into them -> what is wrong. */
export class RejectedArguments {
  readonly faults: Readonly<Record<string, string>>;

  constructor(faults: Readonly<Record<string, string>>) {
    this.faults = faults;
  }
}

/** The JSON type of a value, for a sentence about it. */
function jsonType(value: unknown): string {
  if (value === null || value === undefined) return 'null';
  if (Array.isArray(value)) return 'an array';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}

function rejected(problem: string): RejectedArguments {
  return new RejectedArguments({ '': problem });
}

function fromFaults(found: readonly JsonFault[]): RejectedArguments {
  const faults = faultList();
  for (const fault of found) addFault(faults, fault.pointer, fault.problem);
  return new RejectedArguments(faults);
}

function readText(text: string, mayBeEncodedAgain: boolean): JsonObject | RejectedArguments {
  const parsed = parseJson(text);
  if (!parsed.ok) {
    return rejected(
      text.trim() === ''
        ? 'must be a JSON object, is an empty text'
        : `is not valid JSON: ${parsed.message}`,
    );
  }
  if (parsed.faults.length > 0) return fromFaults(parsed.faults);
  if (isObject(parsed.value)) return parsed.value;
  if (typeof parsed.value === 'string' && mayBeEncodedAgain) return readText(parsed.value, false);
  return rejected(`must be a JSON object, is ${jsonType(parsed.value)}`);
}

/**
 * The arguments object that a caller meant: the object itself, the one that a JSON text holds, or
 * an empty one where nothing was given (null or absent).
 */
export function readArguments(value: unknown): JsonObject | RejectedArguments {
  if (isObject(value)) return value;
  if (value === undefined || value === null) return {};
  if (typeof value === 'string') return readText(value, true);
  return rejected(`must be a JSON object, is ${jsonType(value)}`);
}
