// What module tools throw, as rows: each row runs through the whole product for a tool that may be
// repeated and for one that may not. What the tool did before it threw is never known.
import { join } from 'node:path';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { type Harness, startHarness } from '../support/harness.js';
import { type Expected, expectResult, fails } from './table.js';

const MODULE = join(import.meta.dirname, '../fixtures/modules/throws.js');
const THROWN = Symbol.for('toolgate.test.thrown');

export type Line = readonly [
  name: string,
  thrown: () => unknown,
  code: string,
  transient: boolean,
  more?: Partial<Expected>,
];

class Named extends Error {
  constructor(name: string, message: string, more: object) {
    super(message);
    this.name = name;
    Object.assign(this, more);
  }
}

/** A plain error with these members. */
export const error =
  (message: string, more: object = {}) =>
  (): unknown =>
    Object.assign(new Error(message), more);

/** One of a class of this name. */
export const named =
  (name: string, message: string, more: object = {}) =>
  (): unknown =>
    new Named(name, message, more);

export const coded = (code: string, message = 'x') => error(message, { code });

/** As `fetch` wraps what happened to its connection. */
export const fetched = (code: string) => (): unknown =>
  new TypeError('fetch failed', { cause: coded(code)() });

/** Runs groups of rows as one file. */
export function runThrown(groups: Readonly<Record<string, readonly Line[]>>): void {
  const lines = Object.values(groups).flat();
  let harness: Harness;

  beforeAll(async () => {
    Object.assign(globalThis, { [THROWN]: lines.map(([, thrown]) => thrown) });
    const tool = { description: 'x', input_schema: { type: 'object' }, module: MODULE };
    harness = await startHarness({
      defaults: { retry: false, breaker: false },
      tools: [
        { ...tool, name: 'reads', idempotent: true },
        { ...tool, name: 'writes' },
      ],
    });
  });

  afterAll(async () => {
    await harness.close();
    Reflect.deleteProperty(globalThis, THROWN);
  });

  for (const [group, members] of Object.entries(groups)) {
    describe(group, () => {
      for (const line of members) {
        const [name, , code, transient, more] = line;
        const args = { index: lines.indexOf(line) };
        const details = { transient, ...more?.details };
        it.each([
          ['reads', transient],
          ['writes', false],
        ] as const)(`${name}, %s`, async (tool, retryable) => {
          const expected = { ...fails(code, retryable, 'unknown'), ...more, details };
          expectResult(await harness.callOne(tool, args), expected);
        });
      }
    });
  }
}
