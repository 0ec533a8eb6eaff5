// One reported failure and ten of its kind, as a table: what happened, to which tool, what is right.
import { describe, expect, it } from 'vitest';
import { classify } from '../../src/errors/classify.js';
import type { FailedOutcome } from '../../src/errors/outcome.js';
import { mcpSubject, subject } from './helpers.js';

type Tool = 'GET' | 'POST' | 'POST+key' | 'MCP' | 'MCP idempotent';

export interface Expected {
  readonly code: string;
  readonly retryable: boolean;
  readonly effect: string;
  readonly breaker: 'failure' | 'success' | 'neutral';
  /** Default null. */
  readonly waitMs?: number | null | { readonly min: number; readonly max: number };
  readonly details?: object;
}

export type FailureCase = readonly [
  what: string,
  tool: Tool,
  outcome: FailedOutcome | (() => FailedOutcome),
  expected: Expected,
];

/** `TOOL_RATE_LIMITED retry completed neutral` in one word each. */
export function means(
  words: string,
  waitMs: Expected['waitMs'] = null,
  details: object = {},
): Expected {
  const [code = '', retry, effect = '', breaker] = words.split(' ');
  return {
    code,
    retryable: retry === 'retry',
    effect,
    breaker: breaker as Expected['breaker'],
    waitMs,
    details,
  };
}

/** Declares the tests of a case. The first line is the case as it was reported. */
export function failureCase(title: string, cases: readonly FailureCase[]): void {
  describe(title, () => {
    it.each(cases)('%s (%s)', (_what, tool, outcome, expected) => {
      const idempotent = tool === 'GET' || tool === 'MCP idempotent';
      const who = tool.startsWith('MCP') ? mcpSubject({ idempotent }) : subject({ idempotent });
      const happened = typeof outcome === 'function' ? outcome() : outcome;
      const { info, breaker } = classify(happened, who, tool === 'POST+key');
      expect({ ...info, breaker }).toMatchObject({
        code: expected.code,
        retryable: expected.retryable,
        effect: expected.effect,
        breaker: expected.breaker,
        details: expected.details ?? {},
      });
      expectWait(info.retry_after_ms, expected.waitMs ?? null);
    });

    it('has at least ten of its kind beside it', () => {
      expect(cases.length).toBeGreaterThanOrEqual(11);
    });
  });
}

function expectWait(ms: number | null, wanted: NonNullable<Expected['waitMs']> | null): void {
  if (wanted === null || typeof wanted === 'number') {
    expect(ms).toBe(wanted);
    return;
  }
  expect(ms).toBeGreaterThanOrEqual(wanted.min);
  expect(ms).toBeLessThanOrEqual(wanted.max);
}
