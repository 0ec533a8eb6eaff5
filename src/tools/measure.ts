// Cheap looks at a JSON value before anything recursive touches it.

/** Levels of nesting that arguments and results may have. */
export const MAX_VALUE_DEPTH = 64;

/** Whether a value is nested more than `levels` deep. */
export function isDeeperThan(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (levels === 0) return true;
  if (Array.isArray(value)) {
    for (const item of value) if (isDeeperThan(item, levels - 1)) return true;
    return false;
  }
  for (const key in value) {
    if (isDeeperThan((value as Record<string, unknown>)[key], levels - 1)) return true;
  }
  return false;
}

/** Whether a value has more than `limit` values in it; stops counting there. */
export function isLargerThan(value: unknown, limit: number): boolean {
  let left = limit;
  const count = (part: unknown): boolean => {
    if (--left < 0) return true;
    if (typeof part !== 'object' || part === null) return false;
    for (const item of Object.values(part)) if (count(item)) return true;
    return false;
  };
  return count(value);
}

/** Whether two items are the same JSON value, whatever the order of their keys. */
export function hasDuplicates(items: readonly unknown[]): boolean {
  const seen = new Set<unknown>();
  for (const item of items) {
    const key = typeof item === 'object' && item !== null ? `\u0000${canonical(item)}` : item;
    if (seen.has(key)) return true;
    seen.add(key);
  }
  return false;
}

function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([key, member]) => `${JSON.stringify(key)}:${canonical(member)}`).join(',')}}`;
}
