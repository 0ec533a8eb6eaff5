// The classifier exercise's text rules: order, words, and numbers that are no statuses.
import { describe, expect, it } from 'vitest';
import { infoOf, line, of } from './helpers.js';

const thrown = (name: string, message = '') => ({
  kind: 'thrown' as const,
  error: { name, message },
});

describe('by class name', () => {
  it.each([
    ['TimeoutError', 'TOOL_TIMEOUT | yes | unknown | F'],
    ['RateLimitError', 'TOOL_RATE_LIMITED | yes | unknown | N'],
    ['openai.RateLimitError', 'TOOL_RATE_LIMITED | yes | unknown | N'],
    ['asyncio.exceptions.TimeoutError', 'TOOL_TIMEOUT | yes | unknown | F'],
    ['ConnectionError', 'UPSTREAM_UNAVAILABLE | yes | unknown | F'],
    ['ServiceUnavailableError', 'UPSTREAM_UNAVAILABLE | yes | unknown | F'],
    ['ValidationError', 'TOOL_VALIDATION_ERROR | no | unknown | S'],
    ['ValueError', 'TOOL_VALIDATION_ERROR | no | unknown | S'],
    ['TypeError', 'TOOL_VALIDATION_ERROR | no | unknown | S'],
    ['KeyError', 'TOOL_VALIDATION_ERROR | no | unknown | S'],
    ['RangeError', 'TOOL_VALIDATION_ERROR | no | unknown | S'],
    ['SyntaxError', 'TOOL_VALIDATION_ERROR | no | unknown | S'],
    ['ToolError', 'TOOL_EXECUTION_FAILED | no | unknown | S'],
    ['RuntimeError', 'TOOL_EXECUTION_FAILED | no | unknown | S'],
    ['MemoryError', 'UNMAPPED_FAILURE | no | unknown | N'],
    ['Error', 'UNMAPPED_FAILURE | no | unknown | N'],
    ['AbortError', 'UNMAPPED_FAILURE | no | unknown | N'],
  ])('%s', (name, row) => {
    const c = of(thrown(name, 'boom'));
    expect(line(c)).toBe(row);
    if (!row.startsWith('UNMAPPED')) expect(c.info.details.classified_by).toBe('type');
  });

  it('by constructor where the name was never set', () => {
    class RateLimitError extends Error {}
    expect(infoOf({ kind: 'thrown', error: new RateLimitError('x') }).code).toBe(
      'TOOL_RATE_LIMITED',
    );
  });

  it('a class is no promise that a key makes its call repeatable', () => {
    const { info } = of(thrown('RateLimitError', 'x'), { idempotent: false }, true);
    expect(info.retryable).toBe(false);
  });

  it('not by an ancestor', () => {
    class Odd extends TypeError {}
    expect(infoOf({ kind: 'thrown', error: new Odd('x') }).code).toBe('TOOL_VALIDATION_ERROR'); // its name is TypeError
    class Odder extends Odd {
      override name = 'Odder';
    }
    expect(infoOf({ kind: 'thrown', error: new Odder('x') }).code).toBe('UNMAPPED_FAILURE');
  });
});

describe('by words', () => {
  it.each([
    ['request timed out', 'TOOL_TIMEOUT'],
    ['Read TIMEOUT', 'TOOL_TIMEOUT'],
    ['Rate limit exceeded', 'TOOL_RATE_LIMITED'],
    ['Too Many Requests', 'TOOL_RATE_LIMITED'],
    ['HTTP 429', 'TOOL_RATE_LIMITED'],
    ['429: slow down', 'TOOL_RATE_LIMITED'],
    ['(429)', 'TOOL_RATE_LIMITED'],
    ['status=429.', 'TOOL_RATE_LIMITED'],
    ['error:429', 'TOOL_RATE_LIMITED'],
    ['got 503 from upstream', 'UPSTREAM_UNAVAILABLE'],
    ['temporarily unavailable', 'UPSTREAM_UNAVAILABLE'],
    ['invalid operand', 'TOOL_VALIDATION_ERROR'],
    ['validation failed', 'TOOL_VALIDATION_ERROR'],
    ['field required', 'TOOL_VALIDATION_ERROR'],
    ['missing argument: city', 'TOOL_VALIDATION_ERROR'],
    ['upstream tool error', 'TOOL_EXECUTION_FAILED'],
    ['out of memory', 'UNMAPPED_FAILURE'],
  ])('%s', (message, code) => {
    expect(infoOf(thrown('Error', message)).code).toBe(code);
    expect(infoOf({ kind: 'thrown', error: message }).code).toBe(code);
  });

  it.each([
    'id 14293',
    'req_429abc',
    'v1.429',
    '#429',
    '1,429 rows',
    'handler.mjs:429:15',
    'x-429',
    '429-a',
    '0.503',
    '5030',
    '/429',
    '$503',
    '503.5',
    '429,000',
  ])('%s holds no status', (message) => {
    expect(infoOf(thrown('Error', message)).code).toBe('UNMAPPED_FAILURE');
  });

  it('first match wins: transient, validation, tool_error', () => {
    expect(infoOf(thrown('RuntimeError', 'request timed out')).code).toBe('TOOL_TIMEOUT');
    expect(infoOf(thrown('ValueError', 'too many requests')).code).toBe('TOOL_RATE_LIMITED');
    expect(infoOf(thrown('RuntimeError', 'invalid state')).code).toBe('TOOL_VALIDATION_ERROR');
    expect(infoOf(thrown('ConnectionError', 'timed out')).code).toBe('TOOL_TIMEOUT');
  });
});

describe('text is the least evidence', () => {
  it('makes a call retryable only for an idempotent tool, key or not', () => {
    const outcome = thrown('TimeoutError', 'x');
    expect(of(outcome, { idempotent: true }).info.retryable).toBe(true);
    expect(of(outcome, { idempotent: false }).info.retryable).toBe(false);
    expect(of(outcome, { idempotent: false }, true).info.retryable).toBe(false);
  });

  it('is not read where a status or a transport code stands', () => {
    const body = 'req_429abc crashed at handler.mjs:429:15 after 503 rows, timed out, rate limit';
    expect(infoOf({ kind: 'response', status: 500, headers: {}, body }).code).toBe(
      'UPSTREAM_SERVER_ERROR',
    );
    const reset = Object.assign(new Error('timed out, 429'), { code: 'ECONNRESET' });
    expect(infoOf({ kind: 'transport', phase: 'sending', error: reset }).code).toBe(
      'TOOL_TRANSPORT_ERROR',
    );
    expect(
      infoOf({ kind: 'thrown', error: Object.assign(new Error('timed out'), { status: 404 }) })
        .code,
    ).toBe('UPSTREAM_REJECTED');
  });
});
