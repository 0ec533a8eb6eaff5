// A steady rate: what is due is done, however long the last one took.

const TICK_MS = 5;

/**
 * Calls `act` `ratePerSecond` times a second for `ms` milliseconds, whatever becomes of it.
 *
 * @returns once all of them have settled.
 */
export async function steadily(
  ratePerSecond: number,
  ms: number,
  act: () => Promise<void>,
): Promise<void> {
  const startAt = performance.now();
  const running: Promise<void>[] = [];
  const total = Math.round((ratePerSecond * ms) / 1000);
  while (running.length < total) {
    const due = Math.min(total, ((performance.now() - startAt) / 1000) * ratePerSecond);
    while (running.length < due) running.push(act());
    await sleep(TICK_MS);
  }
  await Promise.all(running);
}

export function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
