// The upstreams of the comparison, by what they are limited by.
import type { Outcome, ResponseOutcome } from '../../src/errors/outcome.js';
import { pause, seeded, type Random } from './random.js';

/** What an upstream counts. */
export interface Ledger {
  calls: number;
  /** Executions per logical call. */
  readonly executed: Map<string, number>;
}

/** Answers one request for the logical call `what`. */
export type Upstream = (what: string, key: string | undefined) => Promise<Outcome>;
export type CreateUpstream = (random: Random, ledger: Ledger) => Upstream;

export const QUICK_MS = 50;
/** How long a call takes where that does not matter. */
const SHORT_MS = 20;

const OK: Outcome = { kind: 'ok', result: { kind: 'json', text: '{"ok":true}' } };

function answer(status: number, headers: ResponseOutcome['headers'] = {}): ResponseOutcome {
  return { kind: 'response', status, headers, body: '' };
}

function transport(code: string, phase: 'connecting' | 'awaiting_headers'): Outcome {
  return { kind: 'transport', error: Object.assign(new Error(code), { code }), phase };
}

function execute(ledger: Ledger, what: string): void {
  ledger.executed.set(what, (ledger.executed.get(what) ?? 0) + 1);
}

/** So many calls/s, as many at once, and not one more; what is over gets 429 and whole seconds. */
export const rateLimited =
  (perSecond: number): CreateUpstream =>
  (_random, ledger) => {
    const perMs = perSecond / 1000;
    let tokens = perSecond;
    let filledAt = performance.now();
    return async (what) => {
      const now = performance.now();
      tokens = Math.min(perSecond, tokens + (now - filledAt) * perMs);
      filledAt = now;
      if (tokens < 1 - 1e-6) {
        const seconds = Math.ceil((1 - tokens) / perSecond);
        return answer(429, { 'retry-after': String(seconds) });
      }
      tokens -= 1;
      await pause(SHORT_MS);
      execute(ledger, what);
      return OK;
    };
  };

/** So many slots; a call more is turned away at once. */
export const slots =
  (count: number, slotMs: number): CreateUpstream =>
  (_random, ledger) => {
    let taken = 0;
    return async (what) => {
      if (taken >= count) return answer(503);
      taken += 1;
      await pause(slotMs);
      taken -= 1;
      execute(ledger, what);
      return OK;
    };
  };

const DOWN_FROM_MS = 500;

/** Refuses connections for a while. */
export const outage =
  (downMs: number): CreateUpstream =>
  (_random, ledger) => {
    const from = performance.now() + DOWN_FROM_MS;
    return async (what) => {
      const now = performance.now();
      if (now >= from && now < from + downMs) {
        await pause(1);
        return transport('ECONNREFUSED', 'connecting');
      }
      await pause(QUICK_MS);
      execute(ledger, what);
      return OK;
    };
  };

/**
 * Such a share of calls fails, half of those after they were executed. The upstream knows idempotency
 * keys: a key that it has seen executed gets its answer again. The n-th try of a call fares the same
 * under every policy, so that they differ by what they do and not by luck.
 */
export const flaky =
  (share: number): CreateUpstream =>
  (random, ledger) => {
    const answered = new Set<string>();
    const luck = new Map<string, Random>();
    const seed = random();
    return async (what, key) => {
      let roll = luck.get(what);
      if (roll === undefined) {
        roll = seeded(hash(what, seed));
        luck.set(what, roll);
      }
      const fate = roll();
      await pause(QUICK_MS);
      if (fate < share / 2) return answer(500);
      if (key === undefined || !answered.has(key)) execute(ledger, what);
      if (key !== undefined) answered.add(key);
      return fate < share ? transport('ECONNRESET', 'awaiting_headers') : OK;
    };
  };

/** Such a share of calls is refused, at random, with 503 or 429 and so many seconds to wait. */
export const hinting =
  (share: number, seconds: number, status?: number): CreateUpstream =>
  (random, ledger) =>
  async (what) => {
    const fate = random();
    await pause(SHORT_MS);
    if (fate < share) {
      return answer(status ?? (fate < share / 2 ? 503 : 429), { 'retry-after': String(seconds) });
    }
    execute(ledger, what);
    return OK;
  };

/** Answers every call. */
export const fine =
  (ms: number): CreateUpstream =>
  (_random, ledger) =>
  async (what) => {
    await pause(ms);
    execute(ledger, what);
    return OK;
  };

function hash(text: string, seed: number): number {
  let mixed = Math.floor(seed * 2 ** 32);
  for (const character of text) {
    mixed = Math.imul(mixed ^ (character.codePointAt(0) ?? 0), 0x01000193);
  }
  return mixed >>> 0;
}
