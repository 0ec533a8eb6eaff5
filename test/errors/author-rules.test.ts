// The author's rules: what may be matched, which rule wins, and what a rule may change.
import { describe, expect, it } from 'vitest';
import type { ErrorRule } from '../../src/errors/error-rule.js';
import type { FailedOutcome } from '../../src/errors/outcome.js';
import { classify } from '../../src/errors/classify.js';
import { coded, line, mcpSubject, of, response } from './helpers.js';

type When = ErrorRule['when'];

const reasonOf = (outcome: FailedOutcome, ...rules: ErrorRule[]): string | undefined =>
  of(outcome, { rules }).info.reason;
const permanent = (when: When, permanent: string): ErrorRule => ({ when, then: { permanent } });

describe('conditions', () => {
  // prettier-ignore
  const MATCHES: readonly (readonly [name: string, when: When, outcome: FailedOutcome])[] = [
    ['exact status', { status: 409 }, response(409)],
    ['a list of statuses', { status: [500, 502] }, response(502)],
    ['a class', { status: '5xx' }, response(599)],
    ['a class in a list', { status: [404, '5xx'] }, response(503)],
    ['status as text', { status: '404' }, response(404)],
    ['transport code', { transport: 'ECONNREFUSED' }, { kind: 'transport', phase: 'connecting', error: coded('ECONNREFUSED') }],
    ['transport code in a cause', { transport: 'ECONNREFUSED' }, { kind: 'transport', phase: 'connecting', error: new Error('x', { cause: coded('ECONNREFUSED') }) }],
    ['family connection', { transport: 'connection' }, { kind: 'transport', phase: 'sending', error: coded('ECONNRESET') }],
    ['family timeout', { transport: 'timeout' }, { kind: 'transport', phase: 'sending', error: coded('UND_ERR_HEADERS_TIMEOUT') }],
    ['family timeout of our timer', { transport: 'timeout' }, { kind: 'timeout', scope: 'attempt', phase: 'awaiting_headers', timeoutMs: 1 }],
    ['family tls', { transport: 'tls' }, { kind: 'transport', phase: 'connecting', error: coded('CERT_HAS_EXPIRED') }],
    ['a connect time-out is both', { transport: 'connection' }, { kind: 'transport', phase: 'connecting', error: coded('UND_ERR_CONNECT_TIMEOUT') }],
    ['body equals', { body: { pointer: '/error/code', equals: 'NO' } }, response(400, {}, { error: { code: 'NO' } })],
    ['body equals a number', { body: { pointer: '/code', equals: 7 } }, response(400, {}, { code: 7 })],
    ['body equals an object', { body: { pointer: '/e', equals: { a: [1] } } }, response(400, {}, { e: { a: [1] } })],
    ['body exists', { body: { pointer: '/errors/0/code' } }, response(400, {}, { errors: [{ code: 1 }] })],
    ['body matches', { body: { pointer: '/message', matches: '^no such (city|town)$' } }, response(400, {}, { message: 'no such town' })],
    ['body matches with look-ahead', { body: { pointer: '/message', matches: '^no(?= such)' } }, response(400, {}, { message: 'no such town' })],
    ['escaped pointer', { body: { pointer: '/a~1b/c~0d', equals: 1 } }, response(400, {}, { 'a/b': { 'c~d': 1 } })],
    ['header equals', { header: { name: 'X-Reason', equals: 'closed' } }, response(500, { 'x-reason': 'closed' })],
    ['header matches', { header: { name: 'x-reason', matches: 'clos' } }, response(500, { 'x-reason': ['open', 'closed'] })],
    ['header present', { header: { name: 'x-reason' } }, response(500, { 'x-reason': '' })],
    ['MCP code', { mcpCode: -32000 }, { kind: 'mcp-error', code: -32000, message: 'm' }],
    ['isError', { isError: true }, { kind: 'mcp-result', problem: 'is_error', text: 'x' }],
    ['isError text', { isError: true, text: 'Not Found' }, { kind: 'mcp-result', problem: 'is_error', text: 'row not found' }],
    ['structured content', { body: { pointer: '/code', equals: 'E1' } }, { kind: 'mcp-result', problem: 'is_error', text: '', structuredContent: { code: 'E1' } }],
    ['JSON in an isError text', { body: { pointer: '/code', equals: 'E1' } }, { kind: 'mcp-result', problem: 'is_error', text: '{"code":"E1"}' }],
    ['JSON-RPC data', { body: { pointer: '/code', equals: 'E1' } }, { kind: 'mcp-error', code: 1, message: 'm', data: { code: 'E1' } }],
    ['thrown type', { type: 'TypeError' }, { kind: 'thrown', error: new TypeError('x') }],
    ['thrown ancestor', { type: 'Error' }, { kind: 'thrown', error: new TypeError('x') }],
    ['thrown text', { text: 'SOLD out' }, { kind: 'thrown', error: new Error('it is sold OUT') }],
    ['thrown transport code', { transport: 'ECONNREFUSED' }, { kind: 'thrown', error: new TypeError('fetch failed', { cause: coded('ECONNREFUSED') }) }],
    ['thrown status', { status: 404 }, { kind: 'thrown', error: Object.assign(new Error('x'), { status: 404 }) }],
    ['a 2xx that failed its predicate', { status: 200, body: { pointer: '/status', equals: 'no' } }, response(200, {}, { status: 'no' })],
    ['a lost MCP connection', { transport: 'connection' }, { kind: 'mcp-connection', problem: 'stream_ended' }],
  ];

  it.each(MATCHES)('%s', (_name, when, outcome) => {
    expect(reasonOf(outcome, permanent(when, 'hit'))).toBe('hit');
  });

  // prettier-ignore
  const MISSES: readonly (readonly [name: string, when: When, outcome: FailedOutcome])[] = [
    ['another status', { status: 409 }, response(404)],
    ['another class', { status: '5xx' }, response(404)],
    ['another code', { transport: 'ECONNREFUSED' }, { kind: 'transport', phase: 'sending', error: coded('ECONNRESET') }],
    ['another family', { transport: 'tls' }, { kind: 'transport', phase: 'sending', error: coded('ECONNRESET') }],
    ['the deadline is the gateway\'s own', { transport: 'timeout' }, { kind: 'timeout', scope: 'deadline', phase: 'sending', timeoutMs: 1 }],
    ['the call\'s own limit too', { transport: 'timeout' }, { kind: 'timeout', scope: 'call', phase: 'sending', timeoutMs: 1 }],
    ['another value', { body: { pointer: '/code', equals: 'A' } }, response(400, {}, { code: 'B' })],
    ['another type', { body: { pointer: '/code', equals: '7' } }, response(400, {}, { code: 7 })],
    ['no such field', { body: { pointer: '/nope', equals: undefined } }, response(400, {}, { code: 'B' })],
    ['no JSON', { body: { pointer: '' } }, response(400, {}, 'text')],
    ['inherited members', { body: { pointer: '/constructor' } }, response(400, {}, {})],
    ['a pointer that is none', { body: { pointer: 'code', equals: 'A' } }, response(400, {}, { code: 'A' })],
    ['a pattern that does not compile', { body: { pointer: '/code', matches: '(' } }, response(400, {}, { code: '(' })],
    ['only half of the conditions', { status: 400, header: { name: 'x', equals: '1' } }, response(400, { x: '2' })],
    ['a whole header that only differs in case', { header: { name: 'x', equals: 'A' } }, response(400, { x: 'a' })],
    ['nothing at all', {}, response(400)],
    ['another MCP code', { mcpCode: -32000 }, { kind: 'mcp-error', code: -32001, message: 'm' }],
    ['input_required is no isError', { isError: true }, { kind: 'mcp-result', problem: 'input_required', text: '' }],
    ['another type of exception', { type: 'RangeError' }, { kind: 'thrown', error: new TypeError('x') }],
    ['an open breaker is the gateway\'s own', { status: 503 }, { kind: 'circuit-open', failureCount: 1, retryAfterMs: 1, resetTimeoutMs: 1 }],
  ];

  it.each(MISSES)('not: %s', (_name, when, outcome) => {
    expect(reasonOf(outcome, permanent(when, 'hit'))).not.toBe('hit');
  });

  it('patterns run in linear time over what an upstream sends', () => {
    const evil = response(400, {}, { message: 'a'.repeat(5000) + '!' });
    // A backtracking engine would need longer than the universe has: the run would not end.
    expect(
      reasonOf(evil, permanent({ body: { pointer: '/message', matches: '^(a|a)*$' } }, 'hit')),
    ).toBeUndefined();
  });
});

describe('the most specific rule wins', () => {
  const LADDER: readonly ErrorRule[] = [
    permanent({ status: '4xx' }, 'class'),
    permanent({ status: 400 }, 'exact'),
    permanent({ body: { pointer: '/code', equals: 'NO' } }, 'body'),
    permanent({ status: '4xx', body: { pointer: '/code', equals: 'NO' } }, 'class+body'),
    permanent({ status: 400, body: { pointer: '/code', equals: 'NO' } }, 'exact+body'),
  ];

  it.each(LADDER.map((r, i) => [r.then.permanent, i] as const))('%s', (name, i) => {
    const rules = LADDER.slice(0, i + 1);
    expect(reasonOf(response(400, {}, { code: 'NO' }), ...rules)).toBe(name);
    expect(reasonOf(response(400, {}, { code: 'NO' }), ...rules.toReversed())).toBe(name);
  });

  it('a family is caught and one member told apart', () => {
    const rules = [
      permanent({ transport: 'connection' }, 'family'),
      permanent({ transport: 'ECONNREFUSED' }, 'refused'),
    ];
    const at = (code: string): string | undefined =>
      reasonOf({ kind: 'transport', phase: 'connecting', error: coded(code) }, ...rules);
    expect([at('ECONNREFUSED'), at('ECONNRESET'), at('EHOSTUNREACH')]).toEqual([
      'refused',
      'family',
      'family',
    ]);
  });

  it('a base class is caught and a subclass told apart', () => {
    class SupplierError extends Error {}
    class SoldOut extends SupplierError {}
    class Closed extends SupplierError {}
    const rules = [
      permanent({ type: 'SupplierError' }, 'family'),
      permanent({ type: 'SoldOut' }, 'sold_out'),
    ];
    expect(reasonOf({ kind: 'thrown', error: new SoldOut('x') }, ...rules)).toBe('sold_out');
    expect(reasonOf({ kind: 'thrown', error: new Closed('x') }, ...rules)).toBe('family');
  });

  it('equals: the first in the file', () => {
    expect(
      reasonOf(
        response(409),
        permanent({ status: 409 }, 'first'),
        permanent({ status: 409 }, 'second'),
      ),
    ).toBe('first');
  });
});

describe('what a rule says', () => {
  const apply = (
    then: ErrorRule['then'],
    outcome: FailedOutcome = response(409, {}, { message: 'upstream words' }),
    options: { idempotent?: boolean; when?: When } = {},
  ) =>
    of(outcome, {
      rules: [{ when: options.when ?? { status: [200, 400, 409, 429, 500, 503] }, then }],
      idempotent: options.idempotent ?? true,
    });

  it('declined: an answer, delivered as data, a success for the breaker', () => {
    const c = apply({
      declined: 'booking_not_cancellable',
      message: 'This fare is non-refundable.',
    });
    expect(c.status).toBe('declined');
    expect(c.breaker).toBe('success');
    expect(c.info).toMatchObject({
      code: 'TOOL_DECLINED',
      category: 'declined',
      reason: 'booking_not_cancellable',
      message: 'This fare is non-refundable.',
      retryable: false,
      effect: 'completed',
      details: { classified_by: 'author', upstream_status: 409 },
    });
  });

  it('declined on a 500 is no failure of the upstream', () => {
    expect(line(apply({ declined: 'no' }, response(500)))).toBe(
      'TOOL_DECLINED | no | completed | S',
    );
  });

  it("declined without words of the author keeps the upstream's", () => {
    expect(apply({ declined: 'no' }).info.message).toContain('upstream words');
  });

  it('transient: keeps the code of the evidence where that may be retried', () => {
    const c = apply({ transient: 'upstream_unavailable', retryAfterMs: 2000 }, response(503));
    expect(c.info).toMatchObject({
      code: 'UPSTREAM_UNAVAILABLE',
      reason: 'upstream_unavailable',
      retryable: true,
      retry_after_ms: 2000,
    });
  });

  it('transient on a status whose category rules retries out: an execution failure', () => {
    const c = apply({ transient: 'not_yet' }, response(400));
    expect(c.info).toMatchObject({
      code: 'TOOL_EXECUTION_FAILED',
      category: 'execution',
      retryable: true,
    });
    expect(c.breaker).toBe('success');
  });

  it('transient does not make an unsafe repetition safe', () => {
    const c = apply({ transient: 'x' }, response(503), { idempotent: false });
    expect(c.info).toMatchObject({ retryable: false, details: { transient: true } });
  });

  it('permanent: never retried, with no wait', () => {
    const c = apply({ permanent: 'retired' }, response(503, { 'retry-after': '3' }));
    expect(c.info).toMatchObject({
      code: 'UPSTREAM_UNAVAILABLE',
      retryable: false,
      retry_after_ms: null,
      details: { transient: false },
    });
    expect([c.breaker, c.cooldownMs]).toEqual(['failure', null]);
  });

  it('permanent read from a field of the body: the application spoke, the upstream is well', () => {
    const c = apply({ permanent: 'no_such_city' }, response(500, {}, { code: 'NO' }), {
      when: { status: 500, body: { pointer: '/code', equals: 'NO' } },
    });
    expect(line(c)).toBe('UPSTREAM_SERVER_ERROR | no | completed | S');
  });

  it('code: a code of the catalogue with all that belongs to it', () => {
    expect(
      line(apply({ code: 'UPSTREAM_QUOTA_EXHAUSTED' }, response(429, { 'retry-after': '3' }))),
    ).toBe('UPSTREAM_QUOTA_EXHAUSTED | no | completed | N');
    expect(line(apply({ code: 'UPSTREAM_INVALID_REQUEST' }, response(500)))).toBe(
      'UPSTREAM_INVALID_REQUEST | no | unknown | S',
    );
  });

  it('code TOOL_RATE_LIMITED: a refusal before execution that closes the gate', () => {
    const c = apply({ code: 'TOOL_RATE_LIMITED' }, response(500, { 'retry-after': '3' }), {
      idempotent: false,
    });
    expect(line(c)).toBe('TOOL_RATE_LIMITED | yes | completed | N');
    expect([c.info.retryable, c.refusedBeforeExecution, c.cooldownMs]).toEqual([true, true, 3000]);
  });

  it('code TOOL_RATE_LIMITED on a broken connection stays an unknown effect', () => {
    const reset: FailedOutcome = {
      kind: 'transport',
      phase: 'sending',
      error: coded('ECONNRESET'),
    };
    const c = apply({ code: 'TOOL_RATE_LIMITED' }, reset, {
      idempotent: false,
      when: { transport: 'ECONNRESET' },
    });
    expect(c.info).toMatchObject({ effect: 'unknown', retryable: false });
  });

  it('a 429 that keeps its meaning stays neutral for the breaker', () => {
    expect(apply({ transient: 'busy' }, response(429)).breaker).toBe('neutral');
    expect(apply({ permanent: 'gone' }, response(429)).breaker).toBe('neutral');
  });

  it.each([
    ['/wait', { wait: 7 }, 7000],
    ['/wait', { wait: '7' }, 7000],
    ['/wait_ms', { wait_ms: 7 }, 7],
    ['/limits/retryAfterMs', { limits: { retryAfterMs: 7 } }, 7],
    ['/wait', { wait: 'soon' }, 50],
    ['/wait', {}, 50],
  ])('retry_after_pointer %s in %j', (retryAfterPointer, body, waitMs) => {
    const c = apply(
      { transient: 'x', retryAfterPointer, retryAfterMs: 50 },
      response(503, {}, body),
    );
    expect(c.info.retry_after_ms).toBe(waitMs);
  });

  it("the author's words are scrubbed and capped as well", () => {
    const rules = [
      {
        when: { status: 409 },
        then: { declined: 'no', message: `key hunter2hunter2 ${'x'.repeat(900)}` },
      },
    ];
    const { message } = of(response(409), { rules, secrets: ['hunter2hunter2'] }).info;
    expect(message).not.toContain('hunter2');
    expect(message.length).toBeLessThanOrEqual(500);
  });
});

describe('who speaks before the author', () => {
  const rules = [permanent({ status: [400, 503] }, 'mine'), permanent({ isError: true }, 'mine')];

  it('the gateway', () => {
    expect(of({ kind: 'not-permitted' }, { rules }).info.details.classified_by).toBe('gateway');
  });

  it('an upstream that speaks this taxonomy', () => {
    const error_info = {
      code: 'TOOL_DECLINED',
      category: 'declined',
      message: 'no',
      retryable: false,
      retry_after_ms: null,
      effect: 'completed',
    };
    expect(of(response(400, {}, { error_info }), { rules }).info.details.classified_by).toBe(
      'upstream',
    );
    const c = classify(
      { kind: 'mcp-result', problem: 'is_error', text: 'no', structuredContent: { error_info } },
      mcpSubject({ rules }),
      false,
    );
    expect(c.info.details.classified_by).toBe('upstream');
  });

  it('but not the tables', () => {
    expect(of(response(503), { rules }).info).toMatchObject({
      reason: 'mine',
      details: { classified_by: 'author' },
    });
  });
});
