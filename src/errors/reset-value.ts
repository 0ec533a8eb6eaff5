// Values of vendors' reset headers: seconds from now, epoch seconds or milliseconds, Go durations
// (OpenAI), RFC 3339 (Anthropic). They carry no unit, so their size tells them apart.
import { parseHttpDate } from './http-date.js';

/** From here on a number is epoch milliseconds; from the next on, epoch seconds. */
const EPOCH_MS_FROM = 1e11;
const EPOCH_SECONDS_FROM = 1e9;

const GO_UNIT_MS: Readonly<Record<string, number>> = {
  h: 3_600_000,
  m: 60_000,
  s: 1000,
  ms: 1,
  us: 1e-3,
  µs: 1e-3,
  μs: 1e-3,
  ns: 1e-6,
};

const GO_DURATION = /^(?:\d+(?:\.\d+)?(?:ms|us|µs|μs|ns|h|m|s))+$/;
const GO_PART = /(\d+(?:\.\d+)?)(ms|us|µs|μs|ns|h|m|s)/g;

const RFC_3339 = /^\d{4}-\d{2}-\d{2}[t ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:z|[+-]\d{2}:?\d{2})$/i;

/**
 * Milliseconds to wait from `nowMs` (epoch); the past is 0; undefined where the value says nothing.
 */
export function parseResetMs(value: string, nowMs: number): number | undefined {
  const text = value.trim();
  if (text === '' || text.length > 64) return undefined;
  if (/^\d+(?:\.\d+)?$/.test(text)) return numberToWaitMs(Number(text), nowMs);
  if (GO_DURATION.test(text)) return goDurationMs(text);
  const at = RFC_3339.test(text) ? Date.parse(text) : parseHttpDate(text);
  return at === undefined || Number.isNaN(at) ? undefined : Math.max(0, at - nowMs);
}

/** A number without a unit as a wait. */
export function numberToWaitMs(value: number, nowMs: number): number | undefined {
  if (!Number.isFinite(value) || value < 0) return undefined;
  if (value >= EPOCH_MS_FROM) return Math.max(0, value - nowMs);
  if (value >= EPOCH_SECONDS_FROM) return Math.max(0, value * 1000 - nowMs);
  return value * 1000;
}

/** `6m0s`, `12ms`, `1h2m3.5s`; also the `34.07s` of google.protobuf.Duration. */
export function goDurationMs(text: string): number | undefined {
  if (text.length > 64 || !GO_DURATION.test(text)) return undefined;
  let ms = 0;
  for (const [, amount, unit] of text.matchAll(GO_PART)) {
    ms += Number(amount) * (GO_UNIT_MS[unit ?? ''] ?? 0);
  }
  return ms;
}
