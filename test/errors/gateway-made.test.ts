// The table of taxonomy.md "Made by the gateway": code, retryable, effect, wait, details.
import { describe, expect, it } from 'vitest';
import type { FailedOutcome, Phase, TimeoutScope } from '../../src/errors/outcome.js';
import { infoOf, line, of, subject } from './helpers.js';
import { classify } from '../../src/errors/classify.js';

// prettier-ignore
const PAGE: readonly (readonly [outcome: FailedOutcome, row: string, retryable: boolean, waitMs: number | null, details: object])[] = [
  [{ kind: 'unknown-tool', availableTools: ['search', 'calculator'], suggestions: ['search'] },
    'TOOL_NOT_FOUND | no | not_sent | N', false, null, { available_tools: ['search', 'calculator'], suggestions: ['search'] }],
  [{ kind: 'not-permitted' }, 'TOOL_NOT_PERMITTED | no | not_sent | N', false, null, {}],
  [{ kind: 'invalid-arguments', errors: { '/a': 'must be a number' } },
    'TOOL_ARGUMENT_ERROR | no | not_sent | N', false, null, { validation_type: 'arguments', errors: { '/a': 'must be a number' } }],
  [{ kind: 'invalid-call', errors: { '/timeout_ms': 'must be a positive integer' } },
    'TOOL_ARGUMENT_ERROR | no | not_sent | N', false, null, { validation_type: 'call', errors: { '/timeout_ms': 'must be a positive integer' } }],
  [{ kind: 'rate-limited', scope: 'tool', retryAfterMs: 45_200, limit: 100 },
    'TOOL_RATE_LIMITED | yes | not_sent | N', true, 45_200, { retry_after: 45.2, limit: 100, scope: 'tool' }],
  [{ kind: 'rate-limited', scope: 'client', retryAfterMs: 10, limit: 5 },
    'TOOL_RATE_LIMITED | yes | not_sent | N', true, 10, { limit: 5, scope: 'client' }],
  [{ kind: 'rate-limited', scope: 'cooldown', retryAfterMs: 999.2, limit: null },
    'TOOL_RATE_LIMITED | yes | not_sent | N', true, 1000, { retry_after: 1, scope: 'cooldown' }],
  [{ kind: 'circuit-open', failureCount: 5, retryAfterMs: 400, resetTimeoutMs: 60_000 },
    'TOOL_CIRCUIT_OPEN | yes | not_sent | N', true, 400, { failure_count: 5, reset_timeout: 60, effect: 'not_sent' }],
  [{ kind: 'circuit-open', failureCount: 5, retryAfterMs: 0, resetTimeoutMs: 1000 },
    'TOOL_CIRCUIT_OPEN | yes | not_sent | N', true, 1, { reset_timeout: 1 }],
  [{ kind: 'bulkhead-full', limit: 10, queued: 4, retryAfterMs: 120, cause: 'queue_full' },
    'BULKHEAD_FULL | yes | not_sent | N', true, 120, { limit: 10, queued: 4 }],
  [{ kind: 'bulkhead-full', limit: 10, queued: 4, retryAfterMs: 120, cause: 'queue_timeout' },
    'BULKHEAD_FULL | yes | not_sent | N', true, 120, { limit: 10, queued: 4 }],
  [{ kind: 'idempotency-conflict' }, 'IDEMPOTENCY_CONFLICT | no | not_sent | N', false, null, {}],
  [{ kind: 'dependency-failed', dependency: { id: 'c0', code: 'TOOL_TIMEOUT' } },
    'DEPENDENCY_FAILED | no | not_sent | N', false, null, { dependency: { id: 'c0', code: 'TOOL_TIMEOUT' } }],
  [{ kind: 'misconfigured', explanation: 'The module could not be loaded.' }, 'CONFIGURATION_ERROR | no | not_sent | N', false, null, {}],
  [{ kind: 'internal', requestId: 'req-1' }, 'INTERNAL_ERROR | no | unknown | N', false, null, { request_id: 'req-1' }],
  [{ kind: 'result-too-large', limitBytes: 10, sizeBytes: 20 }, 'TOOL_RESULT_TOO_LARGE | no | completed | S', false, null, { limit_bytes: 10, size_bytes: 20 }],
  [{ kind: 'result-invalid', problem: 'schema', explanation: 'x.', errors: { '/id': 'must be number' }, content: { a: 1 } },
    'TOOL_RESULT_ERROR | no | completed | S', false, null, { validation_type: 'result', errors: { '/id': 'must be number' }, content: { a: 1 } }],
  [{ kind: 'result-invalid', problem: 'shape', explanation: 'x.', effectUnknown: true },
    'TOOL_RESULT_ERROR | no | unknown | F', false, null, { validation_type: 'result' }],
];

describe("the gateway's own decisions", () => {
  it.each(PAGE)('$kind', (outcome, row, retryable, waitMs, details) => {
    // Even for a tool that is not idempotent: nothing was sent.
    const c = of(outcome, { idempotent: false });
    expect(line(c)).toBe(row);
    expect([c.info.retryable, c.info.retry_after_ms]).toEqual([retryable, waitMs]);
    expect(c.info.details).toMatchObject({
      ...details,
      tool_name: 'tool',
      classified_by: 'gateway',
      attempts: 0,
    });
    expect(c.info.details).not.toHaveProperty('retry_after_source');
  });

  it('covers every code that only the gateway makes', () => {
    const codes = new Set(PAGE.map(([outcome]) => infoOf(outcome).code));
    expect(codes.size).toBe(12);
  });

  it('says who opened a breaker', () => {
    const open = {
      kind: 'circuit-open',
      failureCount: 5,
      retryAfterMs: 1,
      resetTimeoutMs: 1,
    } as const;
    expect(infoOf(open).message).toMatch(/failed 5 times/);
    expect(infoOf({ ...open, failureCount: 0, byOperator: true }).message).toBe(
      'An operator stopped calls to the tool for now.',
    );
  });

  it('says nothing of an internal fault but the request id', () => {
    expect(infoOf({ kind: 'internal', requestId: 'req-1' }).message).toBe(
      'The gateway itself failed. Request id: req-1.',
    );
  });
});

describe('time-outs and cancellations, by phase', () => {
  const SCOPES: readonly TimeoutScope[] = ['attempt', 'call', 'deadline', 'idle'];
  const PHASES: readonly (readonly [phase: Phase, effect: string, breaker: string])[] = [
    ['queued', 'not_sent', 'neutral'],
    ['connecting', 'not_sent', 'failure'],
    ['sending', 'unknown', 'failure'],
    ['awaiting_headers', 'unknown', 'failure'],
    ['reading_body', 'unknown', 'failure'],
  ];
  const cases = SCOPES.flatMap((scope) => PHASES.map((p) => [scope, ...p] as const));

  it.each(cases)('%s while %s: %s, %s', (scope, phase, effect, breaker) => {
    const c = of({ kind: 'timeout', scope, phase, timeoutMs: 300 }, { idempotent: false });
    expect(c.info).toMatchObject({
      code: 'TOOL_TIMEOUT',
      category: 'timeout',
      effect,
      retryable: effect === 'not_sent',
      retry_after_ms: null,
      details: { timeout: 0.3, scope, phase, transient: true },
    });
    expect(c.breaker).toBe(breaker);
    expect(of({ kind: 'timeout', scope, phase, timeoutMs: 300 }).info.retryable).toBe(true);
  });

  it.each(PHASES)('cancelled while %s: %s', (phase, effect) => {
    for (const reason of ['client_left', 'cancelled_by_request', 'shutdown'] as const) {
      const c = of({ kind: 'cancelled', reason, phase });
      expect(line(c)).toBe(`TOOL_CANCELLED | no | ${effect} | N`);
      expect(c.info.retryable).toBe(false);
      expect(c.info.details).toMatchObject({ phase, cancel_reason: reason });
    }
  });
});

describe('names that a model made up', () => {
  it('are shown short and clean, with a suggestion', () => {
    const name = `weather\u202e${'x'.repeat(5000)}`;
    const outcome = { kind: 'unknown-tool', availableTools: [], suggestions: ['weather'] } as const;
    const { info } = classify(outcome, subject({ toolName: name, kind: 'none' }), false);
    expect(info.message).toContain('Did you mean "weather"?');
    expect(info.message.length).toBeLessThan(200);
    expect(info.message).not.toContain('\u202e');
    expect(info.details.tool_name.length).toBeLessThanOrEqual(64);
  });

  it('lists at most 20 tools', () => {
    const availableTools = Array.from({ length: 100 }, (_, i) => `t${i}`);
    const { details } = infoOf({ kind: 'unknown-tool', availableTools, suggestions: [] });
    expect(details['available_tools']).toHaveLength(20);
  });
});

describe('a stored verdict', () => {
  it('comes back as it was, in a copy, and counts nowhere', () => {
    const info = infoOf({ kind: 'internal', requestId: 'r' });
    const c = of({ kind: 'stored', info, status: 'error' });
    expect(c.info).toEqual(info);
    expect(c.info.details).not.toBe(info.details);
    expect(c.breaker).toBe('neutral');
  });
});
