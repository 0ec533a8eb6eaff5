// The policy keys: they stand in `defaults`, in a tool and in an MCP server alike.
import { Type } from '../../json/schema-type.js';
import { DEFAULT_POLICY as D, DEFAULT_RATE_LIMIT_PER_MS } from '../defaults.js';
import { count, flag, ms, object, oneOf, switchable } from './parts.js';

const optional = Type.Optional;

const retry = switchable(
  {
    max_attempts: optional(
      count(
        { description: 'Attempts in all, the first included.', default: D.retry.maxAttempts },
        1,
        20,
      ),
    ),
    base_ms: optional(
      ms({
        description: 'Backoff before the second attempt; doubles each time, full jitter.',
        default: D.retry.baseMs,
      }),
    ),
    max_ms: optional(
      ms({ description: 'The longest backoff of our own.', default: D.retry.maxMs }),
    ),
    max_wait_ms: optional(
      ms(
        {
          description:
            "The longest wait an upstream's Retry-After is followed for inside a call; a longer one ends the call at once.",
          default: D.retry.maxWaitMs,
        },
        0,
      ),
    ),
  },
  { description: 'Repeating of calls that are safe to repeat. `false`: one attempt.' },
);

const retryBudget = object(
  {
    tokens: optional(
      count({ description: 'Size of the bucket.', default: D.retryBudget.tokens }, 0, 1_000_000),
    ),
    retry_cost: optional(
      count(
        { description: 'Tokens that a retry takes.', default: D.retryBudget.retryCost },
        0,
        1_000_000,
      ),
    ),
    success_refill: optional(
      count(
        { description: 'Tokens that a success gives back.', default: D.retryBudget.successRefill },
        0,
        1_000_000,
      ),
    ),
  },
  {
    description:
      'How many retries all calls of the tool share, so that a dead upstream is not hammered.',
  },
);

const breaker = switchable(
  {
    window_ms: optional(
      ms({ description: 'Calls of this long ago count.', default: D.breaker.windowMs }),
    ),
    min_calls: optional(
      count(
        {
          description: 'Finished calls in the window before it may open.',
          default: D.breaker.minCalls,
        },
        1,
        100_000,
      ),
    ),
    failure_rate: optional(
      Type.Number({
        exclusiveMinimum: 0,
        maximum: 1,
        description: 'Opens when failures / finished calls reaches this share.',
        default: D.breaker.failureRate,
      }),
    ),
    open_ms: optional(
      ms({ description: 'How long it stays open before it probes.', default: D.breaker.openMs }),
    ),
    half_open_probes: optional(
      count(
        { description: 'Probes at a time while half-open.', default: D.breaker.halfOpenProbes },
        1,
        100,
      ),
    ),
    scope: optional(
      oneOf(['tool', 'server'], {
        description: 'For tools of an MCP server: one breaker each, or one for the server.',
        default: D.breaker.scope,
      }),
    ),
  },
  { description: 'Circuit breaker. Only infrastructure failures count.' },
);

const bulkhead = switchable(
  {
    max_concurrent: optional(
      count(
        { description: 'Calls at the upstream at a time.', default: D.bulkhead.maxConcurrent },
        1,
        100_000,
      ),
    ),
    max_queue: optional(
      count(
        { description: 'Calls that may wait for a place.', default: D.bulkhead.maxQueue },
        0,
        1_000_000,
      ),
    ),
    queue_timeout_ms: optional(
      ms({ description: 'The longest wait for a place.', default: D.bulkhead.queueTimeoutMs }, 0),
    ),
  },
  { description: 'How many calls of the tool run at a time.' },
);

const rateLimit = switchable(
  {
    calls: optional(count({ description: 'Calls per `per_ms`.' }, 1, 1_000_000)),
    per_ms: optional(ms({ description: 'The period.', default: DEFAULT_RATE_LIMIT_PER_MS })),
    burst: optional(
      count(
        { description: 'Calls that may come at once (absent: as many as `calls`).' },
        1,
        1_000_000,
      ),
    ),
  },
  { description: 'Calls admitted by time. Absent: no limit.' },
);

const result = object(
  {
    max_bytes: optional(
      count(
        { description: 'The largest answer, after decompression.', default: D.result.maxBytes },
        1,
        1_073_741_824,
      ),
    ),
    on_oversize: optional(
      oneOf(['error', 'truncate'], {
        description: 'A larger answer fails, or text is cut and marked.',
        default: D.result.onOversize,
      }),
    ),
    validation: optional(
      oneOf(['enforce', 'warn'], {
        description: 'An answer against `output_schema` fails, or passes with a warning.',
        default: D.result.validation,
      }),
    ),
  },
  { description: 'What may come back.' },
);

/** Spread into every object in which policy keys may stand. */
export const policyKeys = {
  timeout_ms: optional(ms({ description: 'Time of one attempt.', default: D.timeoutMs })),
  retry: optional(retry),
  retry_budget: optional(retryBudget),
  breaker: optional(breaker),
  bulkhead: optional(bulkhead),
  rate_limit: optional(rateLimit),
  result: optional(result),
  trust_503: optional(
    flag({
      description: 'A 503 with Retry-After is a refusal before execution.',
      default: D.trust503,
    }),
  ),
  max_tool_attempts: optional(
    count(
      {
        description:
          'Retries per `run_id` and tool, across batches; first attempts are not counted.',
        default: D.maxToolAttempts,
      },
      1,
      100_000,
    ),
  ),
  on_suspicion: optional(
    oneOf(['annotate', 'truncate', 'fail'], {
      description:
        'A result that reads like an instruction: shown to a model whole and flagged, cut before it, or held back as an error.',
      default: D.onSuspicion,
    }),
  ),
};

export const Defaults = object(policyKeys, {
  description: 'Policy for every tool; a key in a tool wins. Objects merge key by key.',
});
