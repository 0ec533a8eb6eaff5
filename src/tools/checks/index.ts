// What a document means beyond its shape.
import type { Faults } from '../faults.js';

export interface CheckContext {
  readonly faults: Faults;
  /** Where relative paths start. */
  readonly directory: string;
}

/** Adds faults; returns warnings. */
export function checkMeaning(_document: unknown, _context: CheckContext): string[] {
  return [];
}
