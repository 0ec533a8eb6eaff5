// How long an upstream asks us to wait. The sources stand in their order of precedence; the first
// that says something wins. Values: `http-date.ts`, `reset-value.ts`; bodies: `body-wait.ts`.
import { bodyWait } from './body-wait.js';
import { parseHttpDate } from './http-date.js';
import type { HeaderBag } from './outcome.js';
import { parseResetMs } from './reset-value.js';

/** A wait and who asked for it. */
export interface RetryHint {
  readonly ms: number;
  /** Header or field name, lower case; `author` or `gateway` for those. */
  readonly source: string;
}

/** What a response carries besides its status. */
export interface HintEvidence {
  readonly status: number;
  readonly headers: HeaderBag;
  /** The parsed body, undefined where it is no JSON. */
  readonly json: unknown;
}

type Source = (evidence: HintEvidence) => RetryHint | undefined;

/** Highest first (taxonomy.md "Time hints"). The author's pointer comes after all of them. */
const SOURCES: readonly Source[] = [
  milliseconds('retry-after-ms'),
  milliseconds('x-ms-retry-after-ms'),
  milliseconds('grpc-retry-pushback-ms'),
  retryAfter,
  ({ json }) => bodyWait(json),
  rateLimitHeader,
  vendorReset,
];

/** Remaining and reset, per vendor. Where several are exhausted, the longest wait counts. */
const VENDOR_RESETS: readonly (readonly [remaining: string, reset: string])[] = [
  ['x-ratelimit-remaining', 'x-ratelimit-reset-after'], // Discord
  ['x-ratelimit-remaining', 'x-ratelimit-reset'], // GitHub, Reddit, Atlassian and most others
  ['ratelimit-remaining', 'ratelimit-reset'], // IETF drafts 0-7: seconds
  ['x-rate-limit-remaining', 'x-rate-limit-reset'], // X, Okta
  ['x-ratelimit-remaining-requests', 'x-ratelimit-reset-requests'], // OpenAI, Azure, Groq
  ['x-ratelimit-remaining-tokens', 'x-ratelimit-reset-tokens'],
  ['x-ratelimit-requests-remaining', 'x-ratelimit-requests-reset'], // RapidAPI, Linear
  ['anthropic-ratelimit-requests-remaining', 'anthropic-ratelimit-requests-reset'],
  ['anthropic-ratelimit-tokens-remaining', 'anthropic-ratelimit-tokens-reset'],
  ['anthropic-ratelimit-input-tokens-remaining', 'anthropic-ratelimit-input-tokens-reset'],
  ['anthropic-ratelimit-output-tokens-remaining', 'anthropic-ratelimit-output-tokens-reset'],
];

/** Generic enough to be believed on a 429 that names a reset without what remains. */
const LONE_RESETS = new Set([
  'x-ratelimit-reset-after',
  'x-ratelimit-reset',
  'ratelimit-reset',
  'x-rate-limit-reset',
]);

const LIMIT_HEADERS = [
  'x-ratelimit-limit',
  'ratelimit-limit',
  'x-rate-limit-limit',
  'x-ratelimit-limit-requests',
  'anthropic-ratelimit-requests-limit',
] as const;

/** The wait a response asks for, unclamped; undefined where it says nothing usable. */
export function readRetryHint(evidence: HintEvidence): RetryHint | undefined {
  for (const source of SOURCES) {
    const hint = source(evidence);
    if (hint !== undefined) return hint;
  }
  return undefined;
}

/** Whether the headers show that nothing remains, or ask for a wait outright (403, taxonomy.md). */
export function showsRateLimit(headers: HeaderBag): boolean {
  return (
    saysSomething(headers['retry-after']) ||
    saysSomething(headers['retry-after-ms']) ||
    exhaustedSeconds(headers) !== undefined ||
    VENDOR_RESETS.some(([remaining]) => isExhausted(headers[remaining]))
  );
}

function saysSomething(value: string | readonly string[] | undefined): boolean {
  return (first(value)?.trim() ?? '') !== '';
}

/** `x-should-retry: false` or a negative gRPC pushback: the upstream wants no retry. */
export function saysNoRetry(headers: HeaderBag): boolean {
  return (
    first(headers['x-should-retry'])?.trim().toLowerCase() === 'false' ||
    /^-\d/.test(first(headers['grpc-retry-pushback-ms'])?.trim() ?? '')
  );
}

/** The limit that a response names, in calls. */
export function readLimit(headers: HeaderBag): number | undefined {
  for (const name of LIMIT_HEADERS) {
    const text = first(headers[name]);
    const digits = text === undefined ? undefined : /^\s*(\d{1,15})\b/.exec(text)?.[1];
    if (digits !== undefined) return Number(digits);
  }
  return undefined;
}

function milliseconds(name: string): Source {
  return ({ headers }) => {
    const ms = largestNumber(headers[name]);
    return ms === undefined ? undefined : { ms, source: name };
  };
}

/** RFC 9110 §10.2.3, with the fractions and lists that are met in the wild. */
function retryAfter({ headers }: HintEvidence): RetryHint | undefined {
  const value = headers['retry-after'];
  if (value === undefined) return undefined;
  const seconds = largestNumber(value);
  if (seconds !== undefined) return { ms: seconds * 1000, source: 'retry-after' };
  let ms: number | undefined;
  for (const text of typeof value === 'string' ? [value] : value) {
    const at = parseHttpDate(text);
    if (at === undefined) continue;
    // Measured against the sender's own clock, so that a skew between us does not matter.
    const wait = Math.max(0, at - (sentAt(headers) ?? Date.now()));
    ms = Math.max(ms ?? 0, wait);
  }
  return ms === undefined ? undefined : { ms, source: 'retry-after' };
}

function rateLimitHeader({ headers }: HintEvidence): RetryHint | undefined {
  const seconds = exhaustedSeconds(headers);
  return seconds === undefined ? undefined : { ms: seconds * 1000, source: 'ratelimit' };
}

/** `RateLimit: "default";r=0;t=7` (draft 8 on) or `limit=10, remaining=0, reset=7` (before). */
function exhaustedSeconds(headers: HeaderBag): number | undefined {
  const value = headers['ratelimit'];
  if (value === undefined) return undefined;
  const text = (typeof value === 'string' ? value : value.join(', ')).slice(0, 1024);
  const plain = text.replace(/"(?:[^"\\]|\\.)*"/g, '');
  const policies = /\bremaining\s*=/.test(plain) ? [plain] : plain.split(',');
  let longest: number | undefined;
  for (const policy of policies) {
    const wait = /(?:^|[;,\s])(?:t|reset)\s*=\s*(\d{1,15})\b/.exec(policy)?.[1];
    if (wait === undefined || !/(?:^|[;,\s])(?:r|remaining)\s*=\s*0+\b/.test(policy)) continue;
    longest = Math.max(longest ?? 0, Number(wait));
  }
  return longest;
}

function vendorReset({ status, headers }: HintEvidence): RetryHint | undefined {
  let longest: RetryHint | undefined;
  for (const [remaining, reset] of VENDOR_RESETS) {
    const value = first(headers[reset]);
    if (value === undefined) continue;
    const left = headers[remaining];
    const lone = left === undefined && status === 429 && LONE_RESETS.has(reset);
    if (!lone && !isExhausted(left)) continue;
    for (const one of lone ? [value] : resetsOfExhausted(first(left) ?? '', value)) {
      const ms = parseResetMs(one, referenceMs(one, headers));
      if (ms !== undefined && (longest === undefined || ms > longest.ms)) {
        longest = { ms, source: reset };
      }
    }
  }
  return longest;
}

/** Of several limits in one header (`0, 14500` and `1, 86400`, Brave Search) those that are spent. */
function resetsOfExhausted(remaining: string, reset: string): readonly string[] {
  const left = remaining.split(',');
  const resets = reset.split(',');
  if (left.length === 1 || left.length !== resets.length) return [reset];
  return resets.filter((_, index) => isExhausted(left[index]));
}

/** Nothing is left of a limit, or of one of several; Docker Hub names its window (`0;w=21600`). */
function isExhausted(remaining: string | readonly string[] | undefined): boolean {
  const text = first(remaining);
  if (text === undefined || text.length > 256) return false;
  return text.split(',').some((one) => /^\s*(?:-\d+|0+)(?:\.0+)?\s*(?:;.*)?$/.test(one));
}

/** The largest of the numbers in a header; undefined unless all of it is plain numbers. */
function largestNumber(value: string | readonly string[] | undefined): number | undefined {
  if (value === undefined) return undefined;
  const text = typeof value === 'string' ? value : value.join(',');
  if (text.length > 1024) return undefined;
  let largest: number | undefined;
  for (const piece of text.split(',')) {
    if (!/^\d+(?:\.\d+)?$/.test(piece.trim())) return undefined;
    const number = Number(piece);
    if (!Number.isFinite(number)) return undefined;
    largest = Math.max(largest ?? 0, number);
  }
  return largest;
}

/** When the response was sent, by its own clock: epoch milliseconds. */
function sentAt(headers: HeaderBag): number | undefined {
  const date = first(headers['date']);
  return date === undefined ? undefined : parseHttpDate(date);
}

/**
 * The moment a reset is counted from. `Date` has whole seconds: a reset in whole seconds is measured
 * against it, so that nobody comes back a fraction early; for finer values our clock is the finer
 * one where both agree so far.
 */
function referenceMs(reset: string, headers: HeaderBag): number {
  const now = Date.now();
  const sent = sentAt(headers);
  if (sent !== undefined && /^\d{10}$/.test(reset.trim())) return sent;
  return sent === undefined || Math.abs(now - sent) < 2000 ? now : sent;
}

/** The first value of a header that may be repeated. */
export function first(value: string | readonly string[] | undefined): string | undefined {
  return typeof value === 'string' ? value : value?.[0];
}
