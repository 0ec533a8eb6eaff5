// Failures that people who run agents reported in public, and their kin: limits and quotas.
import { failureCase, means } from './failure-case.js';
import { response } from './helpers.js';

const imf = (ms: number): string => new Date(ms).toUTCString();
const nowS = (): number => Math.trunc(Date.now() / 1000);
const LIMITED = 'TOOL_RATE_LIMITED retry completed neutral';
const QUOTA = 'UPSTREAM_QUOTA_EXHAUSTED no completed neutral';
const from = (source: string): object => ({ retry_after_source: source });
const about = (ms: number) => ({ min: ms - 1000, max: ms + 1000 });

// prettier-ignore
failureCase('C01: Retry-After as an HTTP-date on 429', [
  ['IMF-fixdate, 30 s after Date', 'GET', () => response(429, { date: imf(Date.now()), 'retry-after': imf(Date.now() + 30_000) }, '{}'), means(LIMITED, { min: 29_000, max: 30_000 }, from('retry-after'))],
  ['asctime, past', 'GET', response(429, { 'retry-after': 'Sun Nov  6 08:49:37 1994' }), means(LIMITED, 0, from('retry-after'))],
  ['RFC 850, past', 'GET', response(429, { 'retry-after': 'Sunday, 06-Nov-94 08:49:37 GMT' }), means(LIMITED, 0)],
  ['our clock 5 minutes ahead of theirs', 'GET', () => response(429, { date: imf(Date.now() - 300_000), 'retry-after': imf(Date.now() - 270_000) }), means(LIMITED, 30_000)],
  ['our clock 5 minutes behind theirs', 'GET', () => response(429, { date: imf(Date.now() + 300_000), 'retry-after': imf(Date.now() + 330_000) }), means(LIMITED, 30_000)],
  ['no Date: against our own clock', 'GET', () => response(429, { 'retry-after': imf(Date.now() + 30_000) }), means(LIMITED, { min: 29_000, max: 30_000 })],
  ['a Date that cannot be read', 'GET', () => response(429, { date: 'today', 'retry-after': imf(Date.now() + 30_000) }), means(LIMITED, { min: 28_000, max: 30_000 })],
  ['digits are seconds, not a year', 'GET', response(429, { 'retry-after': '120' }), means(LIMITED, 120_000)],
  ['a date that does not exist', 'GET', response(429, { 'retry-after': 'Sun, 31 Feb 2094 08:49:37 GMT' }), means(LIMITED)],
  ['a date in another zone is none', 'GET', response(429, { 'retry-after': 'Sun, 06 Nov 2094 08:49:37 PST' }), means(LIMITED)],
  ['on a POST: refused before it ran', 'POST', () => response(429, { date: imf(Date.now()), 'retry-after': imf(Date.now() + 5000) }), means(LIMITED, 5000)],
  ['on a 503', 'GET', () => response(503, { date: imf(Date.now()), 'retry-after': imf(Date.now() + 5000) }), means('UPSTREAM_UNAVAILABLE retry unknown failure', 5000)],
  ['two days ahead: clamped', 'GET', () => response(429, { 'retry-after': imf(Date.now() + 172_800_000) }), means(LIMITED, 86_400_000, { retry_after_clamped: true })],
]);

// prettier-ignore
failureCase('C03: a huge Retry-After is told as it is', [
  ['an hour', 'GET', response(429, { 'retry-after': '3600' }), means(LIMITED, 3_600_000)],
  ['99999999999', 'GET', response(429, { 'retry-after': '99999999999' }), means(LIMITED, 86_400_000, { retry_after_clamped: true })],
  ['a day exactly', 'GET', response(429, { 'retry-after': '86400' }), means(LIMITED, 86_400_000)],
  ['beyond setTimeout', 'GET', response(429, { 'retry-after': '2147484' }), means(LIMITED, 86_400_000, { retry_after_clamped: true })],
  ['digits without end are no number', 'GET', response(429, { 'retry-after': '9'.repeat(400) }), means(LIMITED)],
  ['in milliseconds', 'GET', response(429, { 'retry-after-ms': '99999999999999' }), means(LIMITED, 86_400_000)],
  ['reset in the year 2286', 'GET', response(429, { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '9999999999' }), means(LIMITED, 86_400_000)],
  ['on a 503', 'GET', response(503, { 'retry-after': '3600' }), means('UPSTREAM_UNAVAILABLE retry unknown failure', 3_600_000)],
  ['on a 503 to a POST: told, not promised', 'POST', response(503, { 'retry-after': '3600' }), means('UPSTREAM_UNAVAILABLE no unknown failure', 3_600_000)],
  ['negative', 'GET', response(429, { 'retry-after': '-3600' }), means(LIMITED)],
  ['infinite', 'GET', response(429, { 'retry-after': 'Infinity' }), means(LIMITED)],
  ['the larger of two', 'GET', response(429, { 'retry-after': ['60', '3600'] }), means(LIMITED, 3_600_000)],
]);

// prettier-ignore
failureCase('C04: reset headers in every unit', [
  ['epoch seconds, past', 'GET', () => response(429, { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': String(nowS() - 10) }), means(LIMITED, 0, from('x-ratelimit-reset'))],
  ['epoch seconds', 'GET', () => response(429, { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': String(nowS() + 20) }), means(LIMITED, about(20_000))],
  ['seconds', 'GET', response(429, { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '2513' }), means(LIMITED, 2_513_000)],
  ['seconds, and no remaining beside it', 'GET', response(429, { 'x-ratelimit-reset': '2513' }), means(LIMITED, 2_513_000)],
  ['RateLimit draft', 'GET', response(429, { ratelimit: '"default";r=0;t=7' }), means(LIMITED, 7000, from('ratelimit'))],
  ['retry-after-ms before retry-after', 'GET', response(429, { 'retry-after-ms': '1250', 'retry-after': '9' }), means(LIMITED, 1250, from('retry-after-ms'))],
  ['epoch milliseconds', 'GET', () => response(429, { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': String(Date.now() + 20_000) }), means(LIMITED, about(20_000))],
  ['RFC 3339', 'GET', () => response(429, { 'anthropic-ratelimit-tokens-remaining': '0', 'anthropic-ratelimit-tokens-reset': new Date(Date.now() + 20_000).toISOString() }), means(LIMITED, about(20_000), from('anthropic-ratelimit-tokens-reset'))],
  ['a Go duration', 'GET', response(429, { 'x-ratelimit-remaining-requests': '0', 'x-ratelimit-reset-requests': '1m30s' }), means(LIMITED, 90_000, from('x-ratelimit-reset-requests'))],
  ['a Go duration in milliseconds', 'GET', response(429, { 'x-ratelimit-remaining-tokens': '0', 'x-ratelimit-reset-tokens': '12ms' }), means(LIMITED, 12)],
  ['the older RateLimit fields', 'GET', response(429, { 'ratelimit-limit': '10', 'ratelimit-remaining': '0', 'ratelimit-reset': '8' }), means(LIMITED, 8000, { limit: 10 })],
  ['something still remains: no hint', 'GET', response(429, { 'x-ratelimit-remaining': '3', 'x-ratelimit-reset': '20' }), means(LIMITED)],
  ['Retry-After before all resets', 'GET', response(429, { 'retry-after': '2', 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '20' }), means(LIMITED, 2000)],
  ['garbage', 'GET', response(429, { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': 'soon' }), means(LIMITED)],
]);

// prettier-ignore
failureCase('C05: 429 that means the account is out of money', [
  ['OpenAI', 'GET', response(429, { 'content-type': 'application/json' }, { error: { type: 'insufficient_quota', code: 'insufficient_quota', message: 'plan limit' } }), means(QUOTA, null, { upstream_status: 429, upstream_code: 'insufficient_quota' })],
  ['a usage limit with its reset is no quota', 'GET', response(429, {}, { error: { type: 'usage_limit_reached', resets_in_seconds: 7139 } }), means(LIMITED, 7_139_000)],
  ['an explicit no still tells the caller the truth', 'GET', response(429, { 'x-should-retry': 'false' }), means(LIMITED)],
  ['type alone', 'GET', response(429, {}, { error: { type: 'insufficient_quota', code: null } }), means(QUOTA)],
  ['in capitals', 'GET', response(429, {}, { error: { code: 'INSUFFICIENT_QUOTA' } }), means(QUOTA)],
  ['at the top', 'GET', response(429, {}, { code: 'insufficient_quota', message: 'm' }), means(QUOTA)],
  ['Google ErrorInfo', 'GET', response(429, {}, { error: { code: 429, status: 'RESOURCE_EXHAUSTED', details: [{ '@type': 'x/google.rpc.ErrorInfo', reason: 'QUOTA_EXHAUSTED' }] } }), means(QUOTA, null, { upstream_code: 'RESOURCE_EXHAUSTED' })],
  ['Google with RetryInfo is a limit', 'GET', response(429, {}, { error: { status: 'RESOURCE_EXHAUSTED', details: [{ '@type': 'x/google.rpc.RetryInfo', retryDelay: '34s' }] } }), means(LIMITED, 34_000)],
  ['Retry-After beside it changes nothing', 'GET', response(429, { 'retry-after': '1' }, { error: { code: 'insufficient_quota' } }), means(QUOTA)],
  ['in prose only: a limit', 'GET', response(429, {}, { error: { message: 'insufficient_quota: you are out of money' } }), means(LIMITED)],
  ['a billing limit with 400', 'POST', response(400, {}, { error: { code: 'billing_hard_limit_reached' } }), means(QUOTA)],
  ['402 with a billing code', 'GET', response(402, {}, { error: { code: 'insufficient_credits' } }), means('UPSTREAM_QUOTA_EXHAUSTED no completed success')],
  ['402 without', 'GET', response(402, {}, { error: { code: 'card_declined' } }), means('UPSTREAM_REJECTED no completed success')],
  ['403 with a quota code', 'GET', response(403, { 'x-ratelimit-remaining': '0' }, { error: { code: 'insufficient_user_quota' } }), means(QUOTA)],
]);

// prettier-ignore
failureCase('C06: 403 used for rate limiting', [
  ['GitHub', 'GET', () => response(403, { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': String(nowS() + 59) }, { message: 'secondary limit' }), means(LIMITED, { min: 58_000, max: 60_000 }, { upstream_status: 403 })],
  ['Retry-After', 'GET', response(403, { 'retry-after': '60' }), means(LIMITED, 60_000)],
  ['calls remain', 'GET', response(403, { 'x-ratelimit-remaining': '12' }), means('UPSTREAM_FORBIDDEN no completed neutral')],
  ['nothing said', 'GET', response(403), means('UPSTREAM_FORBIDDEN no completed neutral')],
  ['calls remain, but wait', 'GET', response(403, { 'x-ratelimit-remaining': '12', 'retry-after': '5' }), means(LIMITED, 5000)],
  ['Retry-After as a date', 'GET', () => response(403, { date: imf(Date.now()), 'retry-after': imf(Date.now() + 9000) }), means(LIMITED, 9000)],
  ['a Retry-After that says nothing', 'GET', response(403, { 'retry-after': 'later' }), means(LIMITED)],
  ['RateLimit draft', 'GET', response(403, { ratelimit: '"default";r=0;t=3' }), means(LIMITED, 3000)],
  ['ratelimit-remaining', 'GET', response(403, { 'ratelimit-remaining': '0', 'ratelimit-reset': '4' }), means(LIMITED, 4000)],
  ["Google's older code", 'GET', response(403, {}, { error: { errors: [{ reason: 'rateLimitExceeded' }] } }), means(LIMITED)],
  ['in prose only', 'GET', response(403, {}, { message: 'You have exceeded a rate limit. Retry after 60' }), means('UPSTREAM_FORBIDDEN no completed neutral')],
  ['remaining 00 and 0.0 are nothing', 'GET', response(403, { 'x-ratelimit-remaining': '0.0' }), means(LIMITED)],
  ['to a POST: refused before it ran', 'POST', response(403, { 'retry-after': '60' }), means(LIMITED, 60_000)],
]);
