// An upstream that already speaks the taxonomy: believed where its words keep the contract.
import { describe, expect, it } from 'vitest';
import { classify } from '../../src/errors/classify.js';
import { infoOf, mcpSubject, of, response } from './helpers.js';

const valid = {
  code: 'TOOL_RATE_LIMITED',
  category: 'rate_limit',
  reason: 'fair_use',
  message: 'Slow down.',
  retryable: true,
  retry_after_ms: 1200,
  effect: 'completed',
  details: {
    tool_name: 'theirs',
    attempts: 3,
    transient: true,
    classified_by: 'gateway',
    limit: 5,
  },
};
const answer = (error_info: unknown, status = 500) => response(status, {}, { error_info });

describe('a valid error_info', () => {
  it('comes back untouched but for what only this gateway knows', () => {
    expect(infoOf(answer(valid))).toEqual({
      ...valid,
      details: {
        tool_name: 'tool',
        attempts: 0,
        transient: true,
        classified_by: 'upstream',
        limit: 5,
        upstream_status: 500,
      },
    });
  });

  it('whatever the status beside it says', () => {
    expect(infoOf(answer(valid, 404)).code).toBe('TOOL_RATE_LIMITED');
  });

  it('counts by its code for the breaker and the gate', () => {
    const c = of(answer(valid, 503));
    expect([c.breaker, c.cooldownMs, c.refusedBeforeExecution]).toEqual(['neutral', 1200, true]);
  });

  it('declined stays an answer', () => {
    const declined = {
      ...valid,
      code: 'TOOL_DECLINED',
      category: 'declined',
      retryable: false,
      retry_after_ms: null,
    };
    expect(of(answer(declined)).status).toBe('declined');
    expect(of(answer(declined)).breaker).toBe('success');
  });

  it('needs no details', () => {
    const bare = { ...valid, details: undefined };
    expect(infoOf(answer(bare)).details).toMatchObject({
      classified_by: 'upstream',
      transient: true,
    });
  });

  it('is scrubbed, in its details too', () => {
    const leaky = {
      ...valid,
      message: 'key hunter2hunter2',
      details: { a: ['hunter2hunter2'], hunter2hunter2: 1 },
    };
    expect(JSON.stringify(infoOf(answer(leaky), { secrets: ['hunter2hunter2'] }))).not.toContain(
      'hunter2',
    );
  });

  it('has a message where it only had blanks', () => {
    expect(infoOf(answer({ ...valid, message: ' \u202e' })).message).not.toBe('');
  });

  it('is narrowed by what we know of our own tool', () => {
    const lost = {
      ...valid,
      code: 'TOOL_TRANSPORT_ERROR',
      category: 'connection',
      effect: 'unknown',
    };
    expect(infoOf(answer(lost), { idempotent: true }).retryable).toBe(true);
    expect(infoOf(answer(lost), { idempotent: false }).retryable).toBe(false);
  });

  it('is found in structuredContent and in JSON-RPC data', () => {
    for (const outcome of [
      {
        kind: 'mcp-result',
        problem: 'is_error',
        text: 'x',
        structuredContent: { error_info: valid },
      },
      { kind: 'mcp-error', code: -32000, message: 'x', data: { error_info: valid } },
    ] as const) {
      const { info } = classify(outcome, mcpSubject(), false);
      expect(info).toMatchObject({
        code: 'TOOL_RATE_LIMITED',
        details: { classified_by: 'upstream', server_name: 'srv' },
      });
    }
  });
});

describe('one that breaks the contract is not believed', () => {
  it.each([
    ['an unknown code', { code: 'NOPE' }],
    ['an inherited name as code', { code: 'constructor' }],
    ["a category that is not the code's", { category: 'timeout' }],
    ['retryable beyond the category', { code: 'TOOL_NOT_FOUND', category: 'not_found' }],
    ['retryable that is no boolean', { retryable: 'yes' }],
    ['a wait that is no integer', { retry_after_ms: 1.5 }],
    ['a negative wait', { retry_after_ms: -1 }],
    ['a wait beyond 24 hours', { retry_after_ms: 86_400_001 }],
    ['no wait at all', { retry_after_ms: undefined }],
    ['an unknown effect', { effect: 'maybe' }],
    ['a message that is no text', { message: 5 }],
    ['a reason that is no code', { reason: 'because of this' }],
    ['details that are no object', { details: 'x' }],
  ])('%s', (_name, change) => {
    expect(infoOf(answer({ ...valid, ...change }))).toMatchObject({
      code: 'UPSTREAM_SERVER_ERROR',
      details: { classified_by: 'status' },
    });
  });

  it.each([null, 5, 'x', [], [valid], {}])('%j', (error_info) => {
    expect(infoOf(answer(error_info)).code).toBe('UPSTREAM_SERVER_ERROR');
  });
});
