// The upstreams of the comparison, each with the tool as an operator would configure it, and the
// shortest time in which any policy could finish. The second list shows what other figures give.
import type { ToolDefinition, ToolPolicy } from '../../src/call.js';
import {
  flaky,
  hinting,
  outage,
  QUICK_MS,
  rateLimited,
  slots,
  type CreateUpstream,
} from './upstreams.js';

export const AGENTS = 100;
export const CALLS_PER_AGENT = 20;
const CALLS = AGENTS * CALLS_PER_AGENT;

export interface Scenario {
  readonly id: string;
  readonly title: string;
  /** How the tool is configured for it. */
  readonly setting: string;
  readonly tool: ToolDefinition;
  readonly bestMs: number;
  readonly create: CreateUpstream;
}

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
export function writingTool(policy: Partial<ToolPolicy>): ToolDefinition {
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

function ofRate(id: string, perSecond: number): Scenario {
  return {
    ...unaided(id, perSecond),
    title: `admits ${perSecond} calls/s`,
    setting: `\`rate_limit: {calls: ${perSecond}, per_ms: 1000}\``,
    tool: writingTool({ rateLimit: { calls: perSecond, perMs: 1000, burst: perSecond } }),
  };
}

function unaided(id: string, perSecond: number): Scenario {
  return {
    id,
    title: `admits ${perSecond} calls/s, and nobody told the gateway`,
    setting: 'defaults: only the 429s speak',
    tool: writingTool({}),
    bestMs: ((CALLS - perSecond) / perSecond) * 1000,
    create: rateLimited(perSecond),
  };
}

function ofSlots(id: string, count: number, slotMs: number, maxQueue: number): Scenario {
  return {
    id,
    title: `has ${count} slots of ${slotMs} ms${maxQueue === 0 ? ', no queue' : ''}`,
    setting: `\`bulkhead: {max_concurrent: ${count}, max_queue: ${maxQueue}}\``,
    tool: writingTool({ bulkhead: { maxConcurrent: count, maxQueue, queueTimeoutMs: 5000 } }),
    bestMs: (CALLS * slotMs) / count,
    create: slots(count, slotMs),
  };
}

function ofOutage(id: string, seconds: number): Scenario {
  return {
    id,
    title: `is down for ${seconds} s`,
    setting: 'defaults',
    tool: writingTool({}),
    bestMs: seconds * 1000 + (CALLS * QUICK_MS) / CONCURRENT,
    create: outage(seconds * 1000),
  };
}

function ofFailures(id: string, share: number): Scenario {
  return {
    id,
    title: `fails ${share * 100} % at random`,
    setting: 'defaults',
    tool: writingTool({}),
    // Every success takes 1 / (1 - share) calls.
    bestMs: (CALLS * QUICK_MS) / CONCURRENT / (1 - share),
    create: flaky(share),
  };
}

function ofHints(id: string, oneIn: number, seconds: number): Scenario {
  return {
    id,
    title: `answers one call in ${oneIn} with 503 or 429 and Retry-After: ${seconds}`,
    setting: 'defaults',
    tool: writingTool({}),
    // Every slot once in a pause, as it is unlikely that none of them hears of the next one.
    bestMs: (CALLS / (CONCURRENT * (1 - 1 / oneIn))) * seconds * 1000,
    create: hinting(1 / oneIn, seconds),
  };
}

/** The four, one whose hints are random, and two in which the gateway knows or has less. */
export const SCENARIOS: readonly Scenario[] = [
  ofRate('a', 10),
  ofSlots('b', 4, 200, 8),
  ofOutage('c', 30),
  ofFailures('d', 0.2),
  ofHints('e', 10, 1),
  unaided('a2', 10),
  ofSlots('b2', 4, 200, 0),
];

/** The same with other figures. */
export const OTHERS: readonly Scenario[] = [
  ofRate('a', 5),
  ofSlots('b', 8, 100, 16),
  ofOutage('c', 12),
  ofFailures('d', 0.1),
  ofHints('e', 5, 2),
  unaided('a2', 5),
  ofSlots('b2', 8, 100, 0),
];
