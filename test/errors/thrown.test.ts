// What the libraries of a module tool throw, and what nobody should throw.
import { describe, expect, it } from 'vitest';
import { coded, infoOf, line, of } from './helpers.js';

const thrown = (error: unknown) => ({ kind: 'thrown' as const, error });

describe('codes and statuses that libraries attach', () => {
  const aws = Object.assign(new Error('Rate exceeded'), {
    name: 'ThrottlingException',
    $metadata: { httpStatusCode: 400 },
    $response: { headers: { 'retry-after': '2' } },
  });
  // prettier-ignore
  it.each([
    ['undici fetch', new TypeError('fetch failed', { cause: coded('ECONNREFUSED') }), 'TOOL_CONNECTION_FAILED | yes | unknown | F'],
    ['axios', Object.assign(new Error('Request failed with status code 503'), { name: 'AxiosError', code: 'ERR_BAD_RESPONSE', response: { status: 503, headers: {} } }), 'UPSTREAM_UNAVAILABLE | yes | unknown | F'],
    ['axios reset', Object.assign(coded('ECONNRESET'), { name: 'AxiosError' }), 'TOOL_TRANSPORT_ERROR | yes | unknown | F'],
    ['OpenAI out of money', Object.assign(new Error('429 quota'), { status: 429, code: 'insufficient_quota', type: 'insufficient_quota' }), 'UPSTREAM_QUOTA_EXHAUSTED | no | unknown | N'],
    ['OpenAI limit', Object.assign(new Error('429'), { status: 429, headers: new Headers({ 'retry-after': '7' }) }), 'TOOL_RATE_LIMITED | yes | unknown | N'],
    ['AWS v3', aws, 'TOOL_RATE_LIMITED | yes | unknown | N'],
    ['AWS v2', Object.assign(new Error('x'), { code: 'TooManyRequestsException' }), 'TOOL_RATE_LIMITED | yes | unknown | N'],
    ['Python-like', { status_code: 404, message: 'x' }, 'UPSTREAM_REJECTED | no | unknown | S'],
    ['AbortSignal.timeout', new DOMException('The operation was aborted due to timeout', 'TimeoutError'), 'TOOL_TIMEOUT | yes | unknown | F'],
    ['a foreign abort', new DOMException('This operation was aborted', 'AbortError'), 'UNMAPPED_FAILURE | no | unknown | N'],
    ["the gateway's cancel reason", { kind: 'cancelled', reason: 'client_left' }, 'TOOL_CANCELLED | no | unknown | N'],
    ["the gateway's time-out reason", { kind: 'timeout', scope: 'attempt', timeoutMs: 5 }, 'TOOL_TIMEOUT | yes | unknown | F'],
  ])('%s', (_name, error, row) => {
    expect(line(of(thrown(error)))).toBe(row);
  });

  it('bring their waits along', () => {
    expect(infoOf(thrown(aws)).retry_after_ms).toBe(2000);
    expect(
      infoOf(
        thrown(
          Object.assign(new Error('x'), {
            status: 429,
            headers: new Headers({ 'Retry-After': '7' }),
          }),
        ),
      ).retry_after_ms,
    ).toBe(7000);
  });

  it('never make a module repeatable: what it did before it threw is not known', () => {
    for (const error of [
      coded('ECONNREFUSED'),
      Object.assign(new Error('x'), { status: 429 }),
      Object.assign(new Error('x'), { status: 421 }),
      aws,
    ]) {
      const c = of(thrown(error), { kind: 'module', idempotent: false });
      expect([c.info.retryable, c.info.effect, c.refusedBeforeExecution, c.cooldownMs]).toEqual([
        false,
        'unknown',
        false,
        null,
      ]);
    }
  });

  it('never say that nothing was sent', () => {
    for (const code of ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'UND_ERR_CONNECT_TIMEOUT']) {
      const { message, effect } = infoOf(thrown(coded(code)));
      expect([effect, message]).toEqual(['unknown', expect.not.stringContaining('not sent')]);
    }
  });

  it('a plain error with a status names no code', () => {
    expect(
      infoOf(thrown(Object.assign(new Error('x'), { status: 404 }))).details,
    ).not.toHaveProperty('upstream_code');
  });

  it('a status outside 300..599 is none', () => {
    for (const status of [0, 200, 299, 600, 1e9, Number.NaN, '404', {}]) {
      expect(infoOf(thrown(Object.assign(new Error('x'), { status }))).code).toBe(
        'UNMAPPED_FAILURE',
      );
    }
  });

  it('messages are kept, scrubbed, without a stack', () => {
    const error = new Error(
      'boom with sk-abcdefghijklmnop\n    at f (/srv/app/secret-path.js:1:2)',
    );
    const { message } = infoOf(thrown(error));
    expect(message).toBe('The tool failed in a way that nobody classified: boom with [redacted]');
  });
});
