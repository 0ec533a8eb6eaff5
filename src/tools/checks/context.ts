// What the checks share: where faults and warnings go, and loose looks at a document that may not have
// the shape it should (its faults of shape are reported already, the rest is checked all the same).
import type { JsonObject } from '../../call.js';
import { formatPath, type ConfigPath, type Faults, type Spot } from '../faults.js';
import { isObject } from '../../json/object.js';

export class CheckContext {
  /** Absolute; where relative paths of the configuration start. */
  readonly directory: string;
  readonly warnings: string[] = [];
  readonly #faults: Faults;

  constructor(faults: Faults, directory: string) {
    this.#faults = faults;
    this.directory = directory;
  }

  fault(path: ConfigPath, message: string, expected: string, spot: Spot = 'value'): void {
    this.#faults.add(path, message, expected, spot);
  }

  warn(path: ConfigPath, message: string): void {
    this.warnings.push(`${formatPath(path)}: ${message}`);
  }
}

/** The members, or none. */
export function members(value: unknown): JsonObject {
  return isObject(value) ? value : {};
}

/** The items, or none. */
export function items(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? (value as unknown[]) : [];
}

export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

export function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined;
}

/** A fault for every text that stands in a list before. */
export function checkUnique(
  context: CheckContext,
  entries: readonly (readonly [ConfigPath, string | undefined])[],
  what: string,
): void {
  const first = new Map<string, ConfigPath>();
  for (const [path, text] of entries) {
    if (text === undefined) continue;
    const before = first.get(text);
    if (before === undefined) first.set(text, path);
    else
      context.fault(
        path,
        `is the same ${what} as ${formatPath(before)}`,
        `a ${what} that no other has`,
      );
  }
}

/** Which of the keys are given; a fault unless it is exactly one. */
export function checkExactlyOne(
  context: CheckContext,
  path: ConfigPath,
  value: unknown,
  keys: readonly string[],
): void {
  const given = keys.filter((key) => Object.hasOwn(members(value), key));
  const expected = `exactly one of ${keys.join(', ')}`;
  if (given.length === 0) context.fault(path, `has none of ${keys.join(', ')}`, expected);
  for (const extra of given.slice(1)) {
    context.fault([...path, extra], `cannot stand beside ${given[0] ?? ''}`, expected, 'key');
  }
}
