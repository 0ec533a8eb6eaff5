// Time hints: every source, their precedence, the values that are met in the wild, and the clamp.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { parseHttpDate } from '../../src/errors/http-date.js';
import type { HeaderBag } from '../../src/errors/outcome.js';
import { goDurationMs, parseResetMs } from '../../src/errors/reset-value.js';
import { readRetryHint } from '../../src/errors/retry-after.js';
import { infoOf, of, response } from './helpers.js';

const NOW = Date.UTC(2026, 0, 15, 12, 0, 0);
const SECONDS = NOW / 1000;
const imf = (ms: number): string => new Date(ms).toUTCString();

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: NOW });
});
afterEach(() => {
  vi.useRealTimers();
});

const hint = (headers: HeaderBag, json?: unknown) => readRetryHint({ status: 429, headers, json });

describe('precedence, highest first', () => {
  const retryInfo = {
    error: { details: [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '5s' }] },
  };
  const sources: readonly (readonly [source: string, headers: HeaderBag, waitMs: number])[] = [
    ['retry-after-ms', { 'retry-after-ms': '1' }, 1],
    ['x-ms-retry-after-ms', { 'x-ms-retry-after-ms': '2' }, 2],
    ['grpc-retry-pushback-ms', { 'grpc-retry-pushback-ms': '3' }, 3],
    ['retry-after', { 'retry-after': '4' }, 4000],
    ['google.rpc.RetryInfo', {}, 5000],
    ['ratelimit', { ratelimit: '"default";r=0;t=6' }, 6000],
    ['x-ratelimit-reset', { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '7' }, 7000],
  ];

  it.each(sources.map((s, i) => [s[0], i] as const))('%s', (source, index) => {
    const headers: HeaderBag = Object.assign({}, ...sources.slice(index).map((s) => s[1]));
    const json = index <= 4 ? retryInfo : undefined;
    expect(hint(headers, json)).toEqual({ source, ms: sources[index]![2] });
  });

  it("the author's own wait comes last", () => {
    const rules = [{ when: { status: 429 }, then: { transient: 'busy', retryAfterMs: 9 } }];
    expect(infoOf(response(429, { 'retry-after': '4' }), { rules }).retry_after_ms).toBe(4000);
    expect(infoOf(response(429), { rules })).toMatchObject({
      retry_after_ms: 9,
      details: { retry_after_source: 'author' },
    });
  });

  it('a source that says nothing usable gives way to the next', () => {
    expect(hint({ 'retry-after-ms': 'soon', 'retry-after': '4' })?.ms).toBe(4000);
    expect(hint({ 'retry-after': 'soon', ratelimit: '"d";r=0;t=6' })?.ms).toBe(6000);
  });
});

describe('Retry-After', () => {
  it.each([
    ['120', 120_000],
    ['0', 0],
    ['0.503', 503],
    [' 7 ', 7000],
    ['2.0', 2000],
    ['5, 10', 10_000],
    ['5,10,7', 10_000],
    [imf(NOW + 30_000), 30_000],
    ['Thursday, 15-Jan-26 12:00:30 GMT', 30_000],
    ['Thu Jan 15 12:00:30 2026', 30_000],
    ['Sun Nov  6 08:49:37 1994', 0],
    [imf(NOW - 1000), 0],
  ])('%s is %s ms', (value, ms) => {
    expect(hint({ 'retry-after': value })).toEqual({ source: 'retry-after', ms });
  });

  it.each([
    '',
    ' ',
    '-5',
    'NaN',
    'Infinity',
    '-Infinity',
    '1e3',
    '0x10',
    'soon',
    '5;',
    '5 seconds',
    '9'.repeat(400),
    '2026-01-15',
    'Thu, 32 Jan 2026 12:00:00 GMT',
    'Thu, 15 Foo 2026 12:00:00 GMT',
    'Thu, 15 Jan 2026 25:00:00 GMT',
    'é',
  ])('%j is no hint', (value) => {
    expect(hint({ 'retry-after': value })).toBeUndefined();
  });

  it('repeated: the largest', () => {
    expect(hint({ 'retry-after': ['3', '8', '5'] })?.ms).toBe(8000);
    expect(hint({ 'retry-after': [imf(NOW + 5000), imf(NOW + 9000)] })?.ms).toBe(9000);
  });

  it("a date is measured against the response's own Date, whatever our clock says", () => {
    const skewed = NOW + 300_000;
    expect(hint({ date: imf(skewed), 'retry-after': imf(skewed + 30_000) })?.ms).toBe(30_000);
  });
});

describe('reset values', () => {
  it.each([
    [String(SECONDS + 20), 20_000],
    [String(SECONDS - 10), 0],
    [String(NOW + 20_500), 20_500],
    ['2513', 2_513_000],
    ['1.5', 1500],
    ['0', 0],
    ['6m0s', 360_000],
    ['12ms', 12],
    ['1h2m3.5s', 3_723_500],
    ['2m59.56s', 179_560],
    ['8.64s', 8640],
    ['500us', 0.5],
    ['2026-01-15T12:00:45Z', 45_000],
    ['2026-01-15T13:00:45+01:00', 45_000],
    ['2026-01-15T12:01Z', 60_000],
    ['2024-01-01T00:00:00Z', 0],
    [imf(NOW + 3000), 3000],
  ])('%s is %s ms', (value, ms) => {
    expect(parseResetMs(value, NOW)).toBeCloseTo(ms, 6);
  });

  it.each(['', 'abc', '-5', 'NaN', '5x', '1s2', '2026-13-45T99:00:00Z', 'x'.repeat(100)])(
    '%j is none',
    (value) => {
      expect(parseResetMs(value, NOW)).toBeUndefined();
    },
  );

  it('the limits between seconds, epoch seconds and epoch milliseconds', () => {
    expect(parseResetMs('999999999', NOW)).toBe(999_999_999_000);
    expect(parseResetMs('1000000000', NOW)).toBe(0);
    expect(parseResetMs('99999999999', NOW)).toBe(99_999_999_999_000 - NOW);
    expect(parseResetMs('100000000000', NOW)).toBe(0);
  });

  it('an absolute reset is measured against Date where our clock is off', () => {
    const theirs = NOW + 600_000;
    const headers = { date: imf(theirs), 'x-ratelimit-remaining': '0' };
    expect(hint({ ...headers, 'x-ratelimit-reset': String(theirs / 1000 + 20) })?.ms).toBe(20_000);
  });
});

describe('vendor headers', () => {
  it.each([
    ['x-ratelimit-remaining', 'x-ratelimit-reset'],
    ['x-ratelimit-remaining', 'x-ratelimit-reset-after'],
    ['ratelimit-remaining', 'ratelimit-reset'],
    ['x-rate-limit-remaining', 'x-rate-limit-reset'],
    ['x-ratelimit-remaining-requests', 'x-ratelimit-reset-requests'],
    ['x-ratelimit-remaining-tokens', 'x-ratelimit-reset-tokens'],
    ['x-ratelimit-requests-remaining', 'x-ratelimit-requests-reset'],
    ['anthropic-ratelimit-requests-remaining', 'anthropic-ratelimit-requests-reset'],
    ['anthropic-ratelimit-tokens-remaining', 'anthropic-ratelimit-tokens-reset'],
    ['anthropic-ratelimit-input-tokens-remaining', 'anthropic-ratelimit-input-tokens-reset'],
    ['anthropic-ratelimit-output-tokens-remaining', 'anthropic-ratelimit-output-tokens-reset'],
  ])('%s and %s', (remaining, reset) => {
    expect(hint({ [remaining]: '0', [reset]: '11' })).toEqual({ ms: 11_000, source: reset });
    expect(hint({ [remaining]: '0.0', [reset]: '11' })?.ms).toBe(11_000);
    expect(hint({ [remaining]: '3', [reset]: '11' })).toBeUndefined();
  });

  it('a reset in whole epoch seconds is measured against Date: nobody comes back early', () => {
    const sent = Math.floor(Date.now() / 1000) * 1000 - 900;
    for (const skew of [0, 300_000]) {
      const at = Math.floor(sent / 1000) * 1000 + skew;
      const headers = { date: imf(at), 'x-ratelimit-remaining': '0' };
      expect(hint({ ...headers, 'x-ratelimit-reset': String(at / 1000 + 59) })?.ms).toBe(59_000);
    }
  });

  it('of several that are exhausted, the longest wait', () => {
    expect(
      hint({
        'anthropic-ratelimit-requests-remaining': '0',
        'anthropic-ratelimit-requests-reset': '2026-01-15T12:00:05Z',
        'anthropic-ratelimit-tokens-remaining': '0',
        'anthropic-ratelimit-tokens-reset': '2026-01-15T12:00:50Z',
      }),
    ).toEqual({ ms: 50_000, source: 'anthropic-ratelimit-tokens-reset' });
  });

  it('a lone reset counts on a 429 only', () => {
    const headers = { 'x-ratelimit-reset': '20' };
    expect(infoOf(response(429, headers)).retry_after_ms).toBe(20_000);
    expect(infoOf(response(503, headers)).retry_after_ms).toBeNull();
    expect(infoOf(response(403, headers)).code).toBe('UPSTREAM_FORBIDDEN');
  });

  it.each([
    ['"default";r=0;t=7', 7000],
    ['"burst";r=0;t=2, "daily";r=0;t=3600', 3_600_000],
    ['"burst";r=5;t=2, "daily";r=0;t=9', 9000],
    ['"a,b;r=9";r=0;t=4', 4000],
    ['limit=100, remaining=0, reset=8', 8000],
    ['"default";r=1;t=7', undefined],
    ['"default";r=0', undefined],
    ['"default";t=7', undefined],
    ['garbage', undefined],
  ])('RateLimit: %s', (value, ms) => {
    expect(hint({ ratelimit: value })?.ms).toBe(ms);
  });
});

describe('waits in bodies', () => {
  const detail = (retryDelay: unknown) => ({
    error: { details: [{ '@type': 'x/google.rpc.RetryInfo', retryDelay }] },
  });
  it.each([
    [detail('34.5s'), 34_500],
    [detail({ seconds: '3', nanos: 500_000_000 }), 3500],
    [[detail('2s')], 2000],
    [{ details: [{ '@type': 'x/google.rpc.RetryInfo', retryDelay: '1s' }] }, 1000],
    [{ error: { resets_in_seconds: 7139 } }, 7_139_000],
    [{ error: { resets_at: SECONDS + 5 } }, 5000],
    [{ retry_after: 1.5 }, 1500],
    [{ retry_after: '2' }, 2000],
    [{ retry_after_ms: 250 }, 250],
    [{ error: { retry_after: 3 } }, 3000],
    [{ parameters: { retry_after: 4 } }, 4000],
  ])('%j', (json, ms) => {
    expect(hint({}, json)?.ms).toBe(ms);
  });

  it.each([
    [detail('soon')],
    [detail(5)],
    [detail(null)],
    [{ retry_after: 'soon' }],
    [{ retry_after: -1 }],
    [{ retry_after: {} }],
    [{ message: 'retry after 5 seconds' }],
    ['retry in 5 s'],
    [null],
  ])('%j says nothing', (json) => {
    expect(hint({}, json)).toBeUndefined();
  });
});

describe('what is reported', () => {
  it('the true wait, clamped at 24 hours', () => {
    expect(infoOf(response(429, { 'retry-after': '86400' })).details).not.toHaveProperty(
      'retry_after_clamped',
    );
    expect(infoOf(response(429, { 'retry-after': '99999999999' }))).toMatchObject({
      retry_after_ms: 86_400_000,
      details: { retry_after_clamped: true, retry_after: 86_400 },
    });
  });

  it('whole milliseconds, rounded up', () => {
    expect(infoOf(response(429, { 'retry-after': '0.0001' })).retry_after_ms).toBe(1);
  });

  it('a negative gRPC pushback means stop, and is no wait', () => {
    const c = of(response(503, { 'grpc-retry-pushback-ms': '-1' }));
    expect([c.upstreamSaidNo, c.info.retry_after_ms]).toEqual([true, null]);
  });

  it('a wait of 0 is a wait, and closes no gate', () => {
    const c = of(response(429, { 'retry-after': '0' }));
    expect([c.info.retry_after_ms, c.cooldownMs]).toEqual([0, null]);
  });
});

describe('HTTP-date', () => {
  it('reads two-digit years by the 50-year rule', () => {
    expect(parseHttpDate('Sunday, 06-Nov-94 08:49:37 GMT')).toBe(Date.UTC(1994, 10, 6, 8, 49, 37));
    expect(parseHttpDate('Friday, 01-Jan-27 00:00:00 GMT')).toBe(Date.UTC(2027, 0, 1));
  });

  it.each([
    '120',
    '2026-01-15T12:00:00Z',
    'Sun, 31 Feb 2026 00:00:00 GMT',
    'Sun, 06 Nov 1994 08:49:37 PST',
    'x'.repeat(10_000),
  ])('%j is none', (text) => {
    expect(parseHttpDate(text)).toBeUndefined();
  });
});

describe('Go durations', () => {
  it.each(['1s', '1m', '1h', '1.5h', '100ms', '1h1m1s'])('%s', (text) => {
    expect(goDurationMs(text)).toBeGreaterThan(0);
  });
  it.each(['', 's', '1', '1 s', '-1s', '1d', '1s '])('%j is none', (text) => {
    expect(goDurationMs(text)).toBeUndefined();
  });
});
