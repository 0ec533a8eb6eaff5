// The built-in values of the configuration: what holds where a file says nothing. The schema shows
// them, the merge starts from them.
import type { ToolPolicy } from '../call.js';
import type { ServerConfig } from '../config.js';

/** The longest time any setting may name: one day, well below what a timer can hold. */
export const MAX_TIME_MS = 86_400_000;

/** Link-local addresses, where clouds keep their metadata services. */
export const DEFAULT_EGRESS_DENY = ['169.254.0.0/16', 'fe80::/10', 'fd00:ec2::254/128'] as const;

export const DEFAULT_SERVER: ServerConfig = {
  maxBatch: 100,
  maxBodyBytes: 1_048_576,
  defaultDeadlineMs: 60_000,
  maxDeadlineMs: 300_000,
  drainTimeoutMs: 10_000,
  rateLimit: null,
  trustProxy: [],
  egress: { deny: DEFAULT_EGRESS_DENY, allow: [] },
};

/** The policy of a tool about which nothing is said. */
export const DEFAULT_POLICY = {
  timeoutMs: 10_000,
  retry: { maxAttempts: 3, baseMs: 100, maxMs: 5_000, maxWaitMs: 10_000 },
  retryBudget: { tokens: 500, retryCost: 14, successRefill: 1 },
  breaker: {
    windowMs: 10_000,
    minCalls: 10,
    failureRate: 0.5,
    openMs: 30_000,
    halfOpenProbes: 1,
    scope: 'server',
  },
  bulkhead: { maxConcurrent: 32, maxQueue: 128, queueTimeoutMs: 5_000 },
  rateLimit: null,
  result: { maxBytes: 1_048_576, onOversize: 'error', validation: 'enforce' },
  trust503: false,
  maxToolAttempts: 12,
  onSuspicion: 'annotate',
} as const satisfies ToolPolicy;

/** Window of a rate limit that names only its calls. */
export const DEFAULT_RATE_LIMIT_PER_MS = 1_000;

/** How long an idempotency record is kept: one day. */
export const DEFAULT_IDEMPOTENCY_TTL_MS = 86_400_000;

export const DEFAULT_CACHE_MAX_BYTES = 1_048_576;

export const DEFAULT_MCP_IDLE_TIMEOUT_MS = 60_000;
