// Policy: the built-in values, then `defaults`, then the tool's own keys; objects merge key by key.
import type { BreakerPolicy, BulkheadPolicy, RateLimitPolicy, ToolPolicy } from '../call.js';
import { DEFAULT_POLICY as BUILT_IN, DEFAULT_RATE_LIMIT_PER_MS } from './defaults.js';
import type { PolicyEntry } from './schema/document.js';

type Switch<T> = T | false | null | undefined;

/** `over` on top of `under`. `false` (or null) switches off; an object switches on again. */
export function mergeSetting<T extends object>(under: Switch<T>, over: Switch<T>): Switch<T> {
  if (over === undefined) return under;
  if (!over || !under) return over;
  return { ...under, ...over };
}

/** A tool's policy keys on top of `defaults`. */
export function mergePolicyEntries(defaults: PolicyEntry, own: PolicyEntry): PolicyEntry {
  const merged: Record<string, unknown> = { ...defaults };
  for (const [key, value] of Object.entries(own)) {
    const under: unknown = merged[key];
    merged[key] =
      typeof under === 'object' && typeof value === 'object' ? mergeSetting(under, value) : value;
  }
  return merged;
}

/** The whole policy: what the merged keys leave out is built in. */
export function toPolicy(entry: PolicyEntry): ToolPolicy {
  const { retry_budget: budget = {}, result = {} } = entry;
  return {
    timeoutMs: entry.timeout_ms ?? BUILT_IN.timeoutMs,
    retry: toRetry(entry.retry),
    retryBudget: {
      tokens: budget.tokens ?? BUILT_IN.retryBudget.tokens,
      retryCost: budget.retry_cost ?? BUILT_IN.retryBudget.retryCost,
      successRefill: budget.success_refill ?? BUILT_IN.retryBudget.successRefill,
    },
    breaker: toBreaker(entry.breaker),
    bulkhead: toBulkhead(entry.bulkhead),
    rateLimit: toRateLimit(entry.rate_limit),
    result: {
      maxBytes: result.max_bytes ?? BUILT_IN.result.maxBytes,
      onOversize: result.on_oversize ?? BUILT_IN.result.onOversize,
      validation: result.validation ?? BUILT_IN.result.validation,
    },
    trust503: entry.trust_503 ?? BUILT_IN.trust503,
    maxToolAttempts: entry.max_tool_attempts ?? BUILT_IN.maxToolAttempts,
    onSuspicion: entry.on_suspicion ?? BUILT_IN.onSuspicion,
  };
}

function toRetry(retry: PolicyEntry['retry']): ToolPolicy['retry'] {
  if (retry === false || retry === null) return { ...BUILT_IN.retry, maxAttempts: 1 };
  return {
    maxAttempts: retry?.max_attempts ?? BUILT_IN.retry.maxAttempts,
    // A built-in value gives way to a given one that it would contradict.
    baseMs: retry?.base_ms ?? Math.min(BUILT_IN.retry.baseMs, retry?.max_ms ?? Infinity),
    maxMs: retry?.max_ms ?? Math.max(BUILT_IN.retry.maxMs, retry?.base_ms ?? 0),
    maxWaitMs: retry?.max_wait_ms ?? BUILT_IN.retry.maxWaitMs,
  };
}

function toBreaker(breaker: PolicyEntry['breaker']): BreakerPolicy | null {
  if (breaker === false || breaker === null) return null;
  return {
    windowMs: breaker?.window_ms ?? BUILT_IN.breaker.windowMs,
    minCalls: breaker?.min_calls ?? BUILT_IN.breaker.minCalls,
    failureRate: breaker?.failure_rate ?? BUILT_IN.breaker.failureRate,
    openMs: breaker?.open_ms ?? BUILT_IN.breaker.openMs,
    halfOpenProbes: breaker?.half_open_probes ?? BUILT_IN.breaker.halfOpenProbes,
    scope: breaker?.scope ?? BUILT_IN.breaker.scope,
  };
}

function toBulkhead(bulkhead: PolicyEntry['bulkhead']): BulkheadPolicy | null {
  if (bulkhead === false || bulkhead === null) return null;
  return {
    maxConcurrent: bulkhead?.max_concurrent ?? BUILT_IN.bulkhead.maxConcurrent,
    maxQueue: bulkhead?.max_queue ?? BUILT_IN.bulkhead.maxQueue,
    queueTimeoutMs: bulkhead?.queue_timeout_ms ?? BUILT_IN.bulkhead.queueTimeoutMs,
  };
}

function toRateLimit(limit: PolicyEntry['rate_limit']): RateLimitPolicy | null {
  if (!limit || limit.calls === undefined) return null;
  return {
    calls: limit.calls,
    perMs: limit.per_ms ?? DEFAULT_RATE_LIMIT_PER_MS,
    burst: limit.burst ?? limit.calls,
  };
}
