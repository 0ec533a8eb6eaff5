// The four upstreams of the comparison, each with the tool as an operator would configure it, and
// the shortest time in which any policy could finish.
import type { ToolDefinition, ToolPolicy } from '../../src/call.js';
import type { Outcome, ResponseOutcome } from '../../src/errors/outcome.js';
import { pause, seeded, type Random } from './random.js';

export const AGENTS = 100;
export const CALLS_PER_AGENT = 20;
const CALLS = AGENTS * CALLS_PER_AGENT;

/** What an upstream counts. */
export interface Ledger {
  calls: number;
  /** Executions per logical call. */
  readonly executed: Map<string, number>;
}

export interface Scenario {
  readonly id: string;
  readonly title: string;
  /** How the tool is configured for it. */
  readonly setting: string;
  readonly tool: ToolDefinition;
  readonly bestMs: number;
  /** An upstream that answers one request for the logical call `what`. */
  readonly create: (
    random: Random,
    ledger: Ledger,
  ) => (what: string, key: string | undefined) => Promise<Outcome>;
}

const OK: Outcome = { kind: 'ok', result: { kind: 'json', text: '{"ok":true}' } };

const CONCURRENT = 32;

/** The gateway's defaults (docs/configuration.md). */
const DEFAULTS: ToolPolicy = {
  timeoutMs: 10_000,
  retry: { maxAttempts: 3, baseMs: 100, maxMs: 5000, maxWaitMs: 10_000 },
  retryBudget: { tokens: 500, retryCost: 14, successRefill: 1 },
  breaker: {
    windowMs: 10_000,
    minCalls: 10,
    failureRate: 0.5,
    openMs: 30_000,
    halfOpenProbes: 1,
    scope: 'tool',
  },
  bulkhead: { maxConcurrent: CONCURRENT, maxQueue: 128, queueTimeoutMs: 5000 },
  rateLimit: null,
  result: { maxBytes: 1_048_576, onOversize: 'error', validation: 'enforce' },
  trust503: false,
  maxToolAttempts: 12,
};

/** A write: repeating it blindly has its effect twice. */
function writingTool(policy: Partial<ToolPolicy>): ToolDefinition {
  return {
    name: 'bookings.create',
    description: '',
    inputSchema: {},
    idempotent: false,
    readOnly: false,
    upstream: { kind: 'module', path: '' },
    policy: { ...DEFAULTS, ...policy },
    idempotency: { header: 'Idempotency-Key', ttlMs: 86_400_000 },
    errorRules: [],
  };
}

function answer(status: number, headers: ResponseOutcome['headers'] = {}): ResponseOutcome {
  return { kind: 'response', status, headers, body: '' };
}

function transport(code: string, phase: 'connecting' | 'awaiting_headers'): Outcome {
  return { kind: 'transport', error: Object.assign(new Error(code), { code }), phase };
}

function execute(ledger: Ledger, what: string): void {
  ledger.executed.set(what, (ledger.executed.get(what) ?? 0) + 1);
}

const RATE_PER_MS = 10 / 1000;
const BURST = 10;

/** 10 calls/s and not one more; what is over gets 429 and whole seconds to wait. */
const rateLimited: Scenario['create'] = (_random, ledger) => {
  let tokens = BURST;
  let filledAt = performance.now();
  return async (what) => {
    const now = performance.now();
    tokens = Math.min(BURST, tokens + (now - filledAt) * RATE_PER_MS);
    filledAt = now;
    if (tokens < 1 - 1e-6) {
      const seconds = Math.ceil((1 - tokens) / RATE_PER_MS / 1000);
      return answer(429, { 'retry-after': String(seconds) });
    }
    tokens -= 1;
    await pause(20);
    execute(ledger, what);
    return OK;
  };
};

const SLOTS = 4;
const SLOT_MS = 200;

/** 4 slots; a fifth call is turned away at once. */
const slots: Scenario['create'] = (_random, ledger) => {
  let taken = 0;
  return async (what) => {
    if (taken >= SLOTS) return answer(503);
    taken += 1;
    await pause(SLOT_MS);
    taken -= 1;
    execute(ledger, what);
    return OK;
  };
};

const DOWN_FROM_MS = 500;
const DOWN_MS = 30_000;
const QUICK_MS = 50;

/** Refuses connections for half a minute. */
const outage: Scenario['create'] = (_random, ledger) => {
  const from = performance.now() + DOWN_FROM_MS;
  return async (what) => {
    const now = performance.now();
    if (now >= from && now < from + DOWN_MS) {
      await pause(1);
      return transport('ECONNREFUSED', 'connecting');
    }
    await pause(QUICK_MS);
    execute(ledger, what);
    return OK;
  };
};

const FAILURES = 0.2;

/**
 * One call in five fails, half of those after they were executed. The upstream knows idempotency
 * keys: a key that it has seen executed gets its answer again. The n-th try of a call fares the same
 * under every policy, so that they differ by what they do and not by luck.
 */
const flaky: Scenario['create'] = (random, ledger) => {
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
    if (fate < FAILURES / 2) return answer(500);
    if (key === undefined || !answered.has(key)) execute(ledger, what);
    if (key !== undefined) answered.add(key);
    return fate < FAILURES ? transport('ECONNRESET', 'awaiting_headers') : OK;
  };
};

function hash(text: string, seed: number): number {
  let mixed = Math.floor(seed * 2 ** 32);
  for (const character of text) {
    mixed = Math.imul(mixed ^ (character.codePointAt(0) ?? 0), 0x01000193);
  }
  return mixed >>> 0;
}

/** The four, and two in which the gateway knows or has less. */
export const SCENARIOS: readonly Scenario[] = [
  {
    id: 'a',
    title: 'admits 10 calls/s',
    setting: '`rate_limit: {calls: 10, per_ms: 1000}`',
    tool: writingTool({ rateLimit: { calls: 10, perMs: 1000, burst: BURST } }),
    bestMs: (CALLS - BURST) / RATE_PER_MS,
    create: rateLimited,
  },
  {
    id: 'b',
    title: 'has 4 slots of 200 ms',
    setting: '`bulkhead: {max_concurrent: 4, max_queue: 8}`',
    tool: writingTool({ bulkhead: { maxConcurrent: SLOTS, maxQueue: 8, queueTimeoutMs: 5000 } }),
    bestMs: (CALLS * SLOT_MS) / SLOTS,
    create: slots,
  },
  {
    id: 'c',
    title: 'is down for 30 s',
    setting: 'defaults',
    tool: writingTool({}),
    bestMs: DOWN_MS + (CALLS * QUICK_MS) / CONCURRENT,
    create: outage,
  },
  {
    id: 'd',
    title: 'fails 20 % at random',
    setting: 'defaults',
    tool: writingTool({}),
    // Every success takes 1 / 0.8 calls.
    bestMs: (CALLS * QUICK_MS) / CONCURRENT / (1 - FAILURES),
    create: flaky,
  },
  {
    id: 'a2',
    title: 'admits 10 calls/s, and nobody told the gateway',
    setting: 'defaults: only the 429s speak',
    tool: writingTool({}),
    bestMs: (CALLS - BURST) / RATE_PER_MS,
    create: rateLimited,
  },
  {
    id: 'b2',
    title: 'has 4 slots of 200 ms, no queue',
    setting: '`bulkhead: {max_concurrent: 4, max_queue: 0}`',
    tool: writingTool({ bulkhead: { maxConcurrent: SLOTS, maxQueue: 0, queueTimeoutMs: 5000 } }),
    bestMs: (CALLS * SLOT_MS) / SLOTS,
    create: slots,
  },
];
