// What authors of module tools throw, and the declarative map over what their libraries throw. The
// tool-errors page of the seeds, sentence by sentence.
import { describe, expect, it } from 'vitest';
import { AbortCauseExample } from './abort-cause.js';
import {
  ToolArgumentValidationError,
  ToolErrorMap,
  ToolFailure,
  ToolNotFoundError,
  ToolNotPermittedError,
  ToolRefusal,
  ToolResultError,
  ToolTimedOutError,
  permanent,
  refusal,
  transient,
} from '../../src/errors/index.js';
import { coded, infoOf, line, of } from './helpers.js';

const thrown = (error: unknown) => ({ kind: 'thrown' as const, error });
const MODULE = { kind: 'module', idempotent: false } as const;

describe('the classes', () => {
  // prettier-ignore
  it.each<[Error & { code: string }, string, boolean]>([
    [new ToolFailure('supplier_down'), 'TOOL_EXECUTION_FAILED | no | unknown | S', false],
    [new ToolFailure('supplier_down', { transient: true }), 'TOOL_EXECUTION_FAILED | yes | not_sent | F', true],
    [new ToolRefusal('booking_not_cancellable'), 'TOOL_DECLINED | no | completed | S', false],
    [new ToolTimedOutError('too_slow'), 'TOOL_TIMEOUT | yes | unknown | F', false],
    [new ToolNotPermittedError('not_yours'), 'TOOL_NOT_PERMITTED | no | completed | N', false],
    [new ToolNotFoundError('not_deployed'), 'TOOL_NOT_FOUND | no | completed | N', false],
    [new ToolArgumentValidationError('bad_date'), 'TOOL_ARGUMENT_ERROR | no | not_sent | S', false],
    [new ToolResultError('bad_result'), 'TOOL_RESULT_ERROR | no | completed | S', false],
  ])('%s', (error, row, retryable) => {
    const c = of(thrown(error), MODULE);
    expect(line(c)).toBe(row);
    expect(c.info).toMatchObject({ reason: error.code, retryable, details: { classified_by: 'author' } });
    expect(c.info.message).not.toBe('');
    expect(c.status).toBe(error instanceof ToolRefusal ? 'declined' : 'error');
  });

  it('transient defaults to false, and is never made true by the rest', () => {
    expect(new ToolFailure('x').transient).toBe(false);
    expect(new ToolFailure('x', { retryAfterMs: 5 }).retryable).toBe(false);
    expect(infoOf(thrown(new ToolFailure('x', { retryAfterMs: 5 }))).retry_after_ms).toBeNull();
  });

  it('a code is required at construction', () => {
    for (const code of ['', ' ', 'a b', 'x'.repeat(65), 'ü', undefined, null, 7, {}]) {
      expect(() => new ToolFailure(code as string)).toThrow(TypeError);
      expect(() => new ToolRefusal(code as string)).toThrow(TypeError);
      expect(() => new ToolTimedOutError(code as string)).toThrow(TypeError);
    }
  });

  it('carry message, wait, fields, time', () => {
    expect(
      infoOf(
        thrown(
          new ToolFailure('x', {
            message: 'Supplier is down.',
            transient: true,
            retryAfterMs: 2000,
          }),
        ),
      ),
    ).toMatchObject({
      message: 'Supplier is down.',
      retry_after_ms: 2000,
      details: { retry_after: 2, retry_after_source: 'author' },
    });
    expect(infoOf(thrown(new ToolTimedOutError('x', { timeoutMs: 1500 }))).details['timeout']).toBe(
      1.5,
    );
    expect(
      infoOf(thrown(new ToolArgumentValidationError('x', { errors: { '/a': 'too late' } })))
        .details,
    ).toMatchObject({
      validation_type: 'arguments',
      errors: { '/a': 'too late' },
    });
    expect(infoOf(thrown(new ToolResultError('x'))).details['validation_type']).toBe('result');
  });

  it('are known by their mark, so that a second copy of the package works', () => {
    const other = Object.assign(new Error('no'), {
      [Symbol.for('toolgate.tool-error')]: 'refusal',
      code: 'sold_out',
    });
    expect(infoOf(thrown(other))).toMatchObject({
      code: 'TOOL_DECLINED',
      reason: 'sold_out',
      message: 'no',
    });
  });

  it('with a mark that means nothing are ordinary errors', () => {
    for (const mark of ['nonsense', 'constructor', '__proto__', 5, {}]) {
      const other = Object.assign(new Error('no'), {
        [Symbol.for('toolgate.tool-error')]: mark,
        code: 'x',
      });
      expect(infoOf(thrown(other)).code).toBe('UNMAPPED_FAILURE');
    }
  });

  it('are not overruled by rules', () => {
    const rules = [{ when: { type: 'ToolRefusal' }, then: { transient: 'again' } }];
    expect(infoOf(thrown(new ToolRefusal('no')), { rules }).code).toBe('TOOL_DECLINED');
  });

  it('have messages that are scrubbed; a cause stays inside', () => {
    const error = new ToolFailure('x', {
      message: 'key sk-abcdefghijklmnop failed',
      cause: new Error('hunter2hunter2'),
    });
    const text = JSON.stringify(infoOf(thrown(error)));
    expect(text).not.toContain('abcdefghijklmnop');
    expect(text).not.toContain('hunter2');
  });
});

describe('ToolErrorMap', () => {
  class HttpError extends Error {
    readonly status: number;
    constructor(status: number) {
      super(`answered ${status}`);
      this.status = status;
    }
  }
  class ConnectError extends HttpError {}
  class Refused extends ConnectError {}

  const UPSTREAM = new ToolErrorMap({
    classes: [
      [HttpError, permanent('upstream_rejected')],
      [ConnectError, transient('upstream_unavailable', { retryAfterMs: 2000 })],
    ],
    codes: { ECONNREFUSED: transient('supplier_down') },
    statuses: { 409: refusal('booking_not_cancellable', 'This fare is non-refundable.') },
  });

  it('the most specific class wins: a family caught, a member told apart', () => {
    expect(UPSTREAM.classify(new ConnectError(500))).toMatchObject({
      code: 'upstream_unavailable',
      transient: true,
      retryAfterMs: 2000,
    });
    expect(UPSTREAM.classify(new Refused(500))).toMatchObject({ code: 'upstream_unavailable' });
    expect(UPSTREAM.classify(new HttpError(500))).toMatchObject({
      code: 'upstream_rejected',
      transient: false,
    });
  });

  it('statuses are read where no class matches', () => {
    const conflict = UPSTREAM.classify(Object.assign(new Error('x'), { status: 409 }));
    expect(conflict).toBeInstanceOf(ToolRefusal);
    expect(conflict).toMatchObject({
      code: 'booking_not_cancellable',
      message: 'This fare is non-refundable.',
    });
    expect(UPSTREAM.classify(new HttpError(409))).toMatchObject({ code: 'upstream_rejected' });
    expect(UPSTREAM.classify({ statusCode: 409 })).toBeInstanceOf(ToolRefusal);
    expect(UPSTREAM.classify({ response: { status: 409 } })).toBeInstanceOf(ToolRefusal);
  });

  it('system codes are found in causes', () => {
    expect(
      UPSTREAM.classify(new TypeError('fetch failed', { cause: coded('ECONNREFUSED') })),
    ).toMatchObject({ code: 'supplier_down' });
  });

  it('never guesses: what nobody mapped is permanent', () => {
    for (const value of [
      new Error('timed out, 503, rate limit'),
      'text',
      null,
      undefined,
      7,
      {},
      Object.create(null),
    ]) {
      const error = UPSTREAM.classify(value);
      expect(error).toMatchObject({ code: 'unmapped_failure', transient: false });
      expect(infoOf(thrown(error))).toMatchObject({ retryable: false, reason: 'unmapped_failure' });
    }
  });

  it('never swallows a cancellation: the value itself is thrown again', () => {
    const aborted = new DOMException('This operation was aborted', 'AbortError');
    expect(() => UPSTREAM.classify(aborted)).toThrow(aborted);
    expect(() => UPSTREAM.classify(Object.assign(new Error('x'), { name: 'AbortError' }))).toThrow(
      'x',
    );
    let rethrown: unknown;
    try {
      UPSTREAM.classify(AbortCauseExample);
    } catch (error) {
      rethrown = error;
    }
    expect(rethrown).toBe(AbortCauseExample);
  });

  it('does not take a time-out for a cancellation', () => {
    expect(UPSTREAM.classify(new DOMException('timed out', 'TimeoutError'))).toMatchObject({
      code: 'unmapped_failure',
    });
  });

  it('never overrules the author: a tool error comes back untouched', () => {
    const error = new ToolFailure('mine', { transient: true });
    expect(UPSTREAM.classify(error)).toBe(error);
    const foreign = Object.assign(new HttpError(409), {
      [Symbol.for('toolgate.tool-error')]: 'failure',
      code: 'theirs',
    });
    expect(UPSTREAM.classify(foreign)).toBe(foreign);
  });

  it('scrubs the message as it translates, and keeps no cause', () => {
    const error = UPSTREAM.classify(
      Object.assign(new ConnectError(500), { message: 'Bearer abc123def456 at https://u:pw@h/' }),
    );
    expect(error.message).toBe('Bearer [redacted] at https://[redacted]@h/');
    expect(error.cause).toBeUndefined();
  });

  it('a faulty code fails where the map is written', () => {
    expect(() => new ToolErrorMap({ statuses: { 409: refusal('not a code') } })).toThrow(TypeError);
    expect(() => new ToolErrorMap({ classes: [[Error, transient('')]] })).toThrow(TypeError);
  });

  it('an empty map is no guess either', () => {
    expect(new ToolErrorMap({}).classify(new Error('x'))).toMatchObject({
      code: 'unmapped_failure',
    });
  });
});
