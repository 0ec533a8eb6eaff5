// Three ways to treat a failed call. What an agent sees is what a client of the gateway sees: a
// status and, where it is not ok, an error_info.
import type { ErrorInfo } from '../../src/errors/error-info.js';
import { pause, type Random } from './random.js';

export type Answer = { readonly ok: true } | { readonly ok: false; readonly info: ErrorInfo };

export interface Tally {
  requests: number;
  retries: number;
  retriesOk: number;
  /** Retries made at the moment that the gateway advised. */
  advised: number;
  advisedOk: number;
  succeeded: number;
  gaveUp: number;
}

/** How long to wait before the same call again, and on whose advice; null: not again. */
export interface Policy {
  readonly name: string;
  /** Whether its calls carry an idempotency key. */
  readonly sendsKeys: boolean;
  readonly next: (info: ErrorInfo, failures: number, random: Random) => Wait | null;
}

interface Wait {
  readonly ms: number;
  readonly advised: boolean;
}

function fullJitter(failures: number, random: Random, baseMs: number, maxMs: number): number {
  return random() * Math.min(maxMs, baseMs * 2 ** (failures - 1));
}

/** Does what error_info says, and nothing else. */
const follow: Policy['next'] = (info, failures, random) => {
  if (!info.retryable) return null;
  return info.retry_after_ms === null
    ? { ms: fullJitter(failures, random, 100, 5000), advised: false }
    : { ms: info.retry_after_ms, advised: true };
};

const backoff: Policy['next'] = (_info, failures, random) => ({
  ms: fullJitter(failures, random, 200, 20_000),
  advised: false,
});

const fixed: Policy['next'] = () => ({ ms: 1000, advised: false });

export const POLICIES: readonly Policy[] = [
  { name: 'follow error_info', sendsKeys: true, next: follow },
  { name: 'backoff, full jitter', sendsKeys: false, next: backoff },
  { name: 'fixed 1 s', sendsKeys: false, next: fixed },
];

export type Send = (callId: string, key: string | undefined) => Promise<Answer>;

/** One agent: its calls one after the other, each until it succeeds or its policy gives up. */
export async function runAgent(
  calls: readonly string[],
  policy: Policy,
  send: Send,
  tally: Tally,
  random: Random,
): Promise<void> {
  for (const call of calls) {
    const key = policy.sendsKeys ? `key-${call}` : undefined;
    let wait: Wait | undefined;
    // Ends: every policy either waits, and the simulation's clock is bounded, or gives up.
    for (let failures = 0; ;) {
      const answer = await send(call, key);
      tally.requests += 1;
      if (wait !== undefined) note(tally, wait, answer.ok);
      if (answer.ok) {
        tally.succeeded += 1;
        break;
      }
      failures += 1;
      const next = policy.next(answer.info, failures, random);
      if (next === null) {
        tally.gaveUp += 1;
        break;
      }
      wait = next;
      await pause(wait.ms);
    }
  }
}

function note(tally: Tally, { advised }: Wait, ok: boolean): void {
  tally.retries += 1;
  if (ok) tally.retriesOk += 1;
  if (!advised) return;
  tally.advised += 1;
  if (ok) tally.advisedOk += 1;
}
