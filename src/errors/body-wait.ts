// Waits that upstreams name in a JSON body, in exact fields, never in prose.
import { asArray, dig } from './json-fields.js';
import { goDurationMs, numberToWaitMs } from './reset-value.js';
import type { RetryHint } from './retry-after.js';

type Unit = 'seconds' | 'milliseconds' | 'reset';

/** Field, unit, who sends it. */
const FIELDS: readonly (readonly [path: readonly string[], unit: Unit])[] = [
  [['error', 'resets_in_seconds'], 'seconds'], // OpenAI usage limits
  [['error', 'resets_at'], 'reset'],
  [['error', 'retry_after_ms'], 'milliseconds'],
  [['retry_after_ms'], 'milliseconds'],
  [['error', 'retry_after'], 'seconds'],
  [['retry_after'], 'seconds'], // Discord, Cloudflare
  [['parameters', 'retry_after'], 'seconds'], // Telegram
  // Names that say their unit; a bare `retryAfter` does not.
  ...underBoth('retry_after_seconds', 'seconds'),
  ...underBoth('retryAfterSeconds', 'seconds'),
  ...underBoth('retryAfterMs', 'milliseconds'),
  [['errors', '0', 'extensions', 'retry_in_seconds'], 'seconds'], // monday.com
];

/** At the top of a body and in its error. */
function underBoth(name: string, unit: Unit): readonly (readonly [readonly string[], Unit])[] {
  return [
    [['error', name], unit],
    [[name], unit],
  ];
}

/** The wait that a body asks for: google.rpc.RetryInfo first. */
export function bodyWait(body: unknown): RetryHint | undefined {
  const root = Array.isArray(body) ? (body as unknown[])[0] : body;
  if (typeof root !== 'object' || root === null) return undefined;
  const retryInfo = retryInfoMs(root);
  if (retryInfo !== undefined) return { ms: retryInfo, source: 'google.rpc.RetryInfo' };
  for (const [path, unit] of FIELDS) {
    const ms = toMs(dig(root, path), unit);
    if (ms !== undefined) return { ms, source: path.at(-1) ?? '' };
  }
  return undefined;
}

function retryInfoMs(root: unknown): number | undefined {
  for (const detail of asArray(dig(root, ['error', 'details']) ?? dig(root, ['details']))) {
    const type = dig(detail, ['@type']);
    if (typeof type !== 'string' || !type.endsWith('google.rpc.RetryInfo')) continue;
    const delay = dig(detail, ['retryDelay']);
    if (typeof delay === 'string') return goDurationMs(delay.trim());
    const seconds = toMs(dig(delay, ['seconds']), 'seconds');
    const nanos = toMs(dig(delay, ['nanos']), 'milliseconds');
    if (seconds === undefined && nanos === undefined) return undefined;
    return (seconds ?? 0) + (nanos ?? 0) / 1e6;
  }
  return undefined;
}

function toMs(value: unknown, unit: Unit): number | undefined {
  const number = typeof value === 'string' && /^\d+(?:\.\d+)?$/.test(value) ? Number(value) : value;
  if (typeof number !== 'number' || !Number.isFinite(number) || number < 0) return undefined;
  if (unit === 'reset') return numberToWaitMs(number, Date.now());
  return unit === 'seconds' ? number * 1000 : number;
}
