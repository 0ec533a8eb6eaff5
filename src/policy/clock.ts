// What the layers share about time: limits of timers, and a sleep that a cancellation ends.
import type { Cancellation } from '../cancellation.js';
import type { CancelReason } from '../errors/outcome.js';

/**
 * Milliseconds that are forgiven when a caller comes back at the moment it was told: times on the
 * wire are whole milliseconds, and a Node timer may fire up to one early.
 */
export const CLOCK_SLACK_MS = 1;

/** `setTimeout` fires at once above this (2^31 - 1 milliseconds). */
const MAX_TIMER_MS = 2_147_483_647;

/** A delay that `setTimeout` takes: whole, not negative, not above its limit. */
export function timerMs(ms: number): number {
  return Math.min(Math.max(Math.ceil(ms), 0), MAX_TIMER_MS);
}

/** A wait as callers are told it: whole milliseconds, at least 1. */
export function adviceMs(ms: number): number {
  return Math.max(1, Math.ceil(ms));
}

/**
 * Waits `ms` milliseconds. Resolves with undefined, or earlier with the reason of a cancellation.
 * Timer and listener are released either way.
 */
export function sleep(ms: number, cancellation: Cancellation): Promise<CancelReason | undefined> {
  if (cancellation.reason !== undefined) return Promise.resolve(cancellation.reason);
  return new Promise((resolve) => {
    const cancelled = (reason: CancelReason): void => {
      clearTimeout(timer);
      resolve(reason);
    };
    const timer = setTimeout(() => {
      cancellation.unsubscribe(cancelled);
      resolve(undefined);
    }, timerMs(ms));
    cancellation.subscribe(cancelled);
  });
}
