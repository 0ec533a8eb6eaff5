// Callers who ask once and do not come back, whatever they are told: what is kept for them must cost
// the others nothing, and what they are told must not grow. A few among them do come back.
import type { ToolDefinition } from '../../src/call.js';
import { pause, seeded, type Random } from './random.js';
import { writingTool } from './scenarios.js';
import { createGateway, driven } from './simulate.js';
import { fine, hinting, type CreateUpstream } from './upstreams.js';

const LASTS_MS = 60_000;
const SEED = 1;
const COME_BACK = 0.05;

interface Load {
  readonly what: string;
  readonly tool: ToolDefinition;
  readonly create: CreateUpstream;
  readonly perSecond: number;
  /** About how many of them should succeed, a second. */
  readonly expected: number;
  /** Whether every call has a run of its own; else nothing identifies it. */
  readonly named: boolean;
}

export interface OneShot {
  readonly what: string;
  readonly perSecond: number;
  readonly succeeded: number;
  readonly expected: number;
  readonly longestMs: number;
  /** Of those few who come back, the share that gets in at the moment it was told; null: nobody came. */
  readonly admitted: number | null;
}

const RATE = { calls: 10, perMs: 1000, burst: 10 };
const SLOTS = { maxConcurrent: 4, maxQueue: 8, queueTimeoutMs: 5000 };
const ONCE = { maxAttempts: 1, baseMs: 100, maxMs: 5000, maxWaitMs: 10_000 };

function hints(status: number, perSecond: number): Omit<Load, 'named'> {
  return {
    what: `answers one in ten with ${status}, Retry-After: 1`,
    tool: writingTool({ retry: ONCE }),
    create: hinting(0.1, 1, status),
    perSecond,
    // Nine, and then a second's pause; those under way when it begins come on top.
    expected: 9 / (10 / perSecond + 1),
  };
}

function limited(perSecond: number): Omit<Load, 'named'> {
  return {
    what: '`rate_limit: {calls: 10, per_ms: 1000}`',
    tool: writingTool({ rateLimit: RATE }),
    create: fine(20),
    perSecond,
    expected: 10,
  };
}

function slotted(perSecond: number): Omit<Load, 'named'> {
  return {
    what: '4 slots of 200 ms, `max_queue: 8`',
    tool: writingTool({ bulkhead: SLOTS }),
    create: fine(200),
    perSecond,
    expected: 20,
  };
}

const LOADS: readonly Load[] = [
  hints(503, 20),
  hints(429, 20),
  hints(503, 200),
  hints(429, 200),
  limited(20),
  limited(200),
  slotted(40),
  slotted(200),
].flatMap((load) => [
  { ...load, named: false },
  { ...load, what: `${load.what}; each call a run of its own`, named: true },
]);

/** Runs every load for a minute. */
export async function measureOneShot(): Promise<OneShot[]> {
  const measured: OneShot[] = [];
  for (const load of LOADS) {
    const alone = await driven(load.what, () => run(load, 0));
    const { admitted } = await driven(load.what, () => run(load, COME_BACK));
    measured.push({ ...alone, admitted });
  }
  return measured;
}

async function run(load: Load, comeBack: number): Promise<OneShot> {
  const random = seeded(SEED);
  const { pipeline, send } = createGateway(load.tool, load.create, random);
  const tally = { succeeded: 0, longestMs: 0, came: 0, admitted: 0 };
  const one = async (id: string, returns: boolean): Promise<void> => {
    const runId = load.named ? `run-${id}` : undefined;
    const answer = await send(id, runId, undefined);
    if (answer.ok) {
      tally.succeeded += 1;
      return;
    }
    const adviceMs = answer.info.retry_after_ms ?? 0;
    tally.longestMs = Math.max(tally.longestMs, adviceMs);
    if (!returns || performance.now() + adviceMs > endsAt) return;
    await pause(adviceMs);
    tally.came += 1;
    if ((await send(id, runId, undefined)).ok) tally.admitted += 1;
  };
  const endsAt = performance.now() + LASTS_MS;
  await arrive(load.perSecond, endsAt, (id) => one(id, random() < comeBack), random);
  pipeline.close();
  return {
    what: load.what,
    perSecond: load.perSecond,
    succeeded: tally.succeeded / (LASTS_MS / 1000),
    expected: load.expected,
    longestMs: tally.longestMs,
    admitted: tally.came === 0 ? null : tally.admitted / tally.came,
  };
}

/** Calls at random moments, so many a second on average, until the time is over and all have ended. */
async function arrive(
  perSecond: number,
  endsAt: number,
  call: (id: string) => Promise<void>,
  random: Random,
): Promise<void> {
  const calls: Promise<void>[] = [];
  while (performance.now() < endsAt) {
    calls.push(call(`${calls.length}`));
    await pause((-Math.log(1 - random()) * 1000) / perSecond);
  }
  await Promise.all(calls);
}
