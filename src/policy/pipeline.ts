// The layers of one tool, built once when the configuration loads. A call meets them from the
// outside in; a layer that is not configured is not there:
//
//   result cache -> idempotency -> retry -> admission (cooldown gate -> rate limit -> bulkhead
//     -> cooldown gate again, behind the queue -> breaker) -> deadline -> upstream
//
// So a stored answer costs no token, a backoff holds no slot, a wait for a slot holds no probe, and
// a refusal of any of them is no failure of the upstream.
import type {
  CallContext,
  Invoke,
  JsonObject,
  Layer,
  ToolDefinition,
  ToolObserver,
  UpstreamInvoke,
} from '../call.js';
import type { ClassifySubject } from '../errors/classify.js';
import type { Outcome } from '../errors/outcome.js';
import type { StatePorts } from '../state/ports.js';
import { admissionLayer } from './admission.js';
import { Breaker, type BreakerState, type Spread } from './breaker.js';
import { Bulkhead } from './bulkhead.js';
import { CooldownGate } from './cooldown.js';
import { deadlineLayer, type AttemptMeter } from './deadline.js';
import { idempotencyLayer } from './idempotency.js';
import { compileReadBack } from './read-back.js';
import { resultCacheLayer } from './result-cache.js';
import { RetryBudget } from './retry-budget.js';
import { retryLayer } from './retry.js';
import { ServiceTime } from './service-time.js';
import { RateLimiter } from './token-bucket.js';

/** Callers that are sent at a tool without a bulkhead within one service time. */
const UNBOUNDED = 10;

export interface PipelineDeps {
  readonly subject: ClassifySubject;
  readonly observer: ToolObserver;
  readonly state: StatePorts;
  /** Shared by the tools of one MCP server; whoever made it disposes of it. */
  readonly breaker?: Breaker;
  /** Runs the read-only tool of `verify` with these (already mapped) arguments. */
  readonly readBack?: (args: JsonObject, ctx: CallContext) => Promise<Outcome>;
  /** 0 <= n < 1; default Math.random. */
  readonly random?: () => number;
  /** Hears faults that the caller is not told: what an upstream threw, a store that fails. */
  readonly onInternalError?: (error: unknown, requestId: string) => void;
}

export interface PipelineSnapshot {
  readonly breaker: {
    readonly state: BreakerState;
    readonly failureCount: number;
    /** Until a probe is admitted; null while closed. */
    readonly retryAfterMs: number | null;
  } | null;
  /** Slots taken; without a bulkhead, attempts under way. */
  readonly inFlight: number;
  readonly queued: number;
  /** Until the cooldown gate opens; 0 when it is open. */
  readonly cooldownMs: number;
  /** Tokens left, and tokens promised to refused callers. */
  readonly rateLimit: { readonly tokens: number; readonly promised: number } | null;
  readonly retryBudget: { readonly tokens: number; readonly of: number };
}

export interface Pipeline {
  /** Runs a call to its outcome. Throws or rejects on a fault of ours only. */
  readonly invoke: Invoke;
  snapshot(): PipelineSnapshot;
  /** No effect on a tool without a breaker. */
  forceBreaker(state: 'open' | 'closed'): void;
  /** Ends timers. Calls in flight finish. */
  close(): void;
}

/** Assembles the layers that the tool's policy asks for around its upstream. */
export function buildPipeline(
  tool: ToolDefinition,
  upstream: UpstreamInvoke,
  deps: PipelineDeps,
): Pipeline {
  const { policy } = tool;
  const { subject, observer, state, onInternalError } = deps;
  const service = new ServiceTime(policy.timeoutMs);
  const healthy = new ServiceTime(policy.timeoutMs);
  const meter: AttemptMeter = { active: 0, service, healthy };
  const budget = new RetryBudget(policy.retryBudget);
  const limiter = policy.rateLimit && new RateLimiter(policy.rateLimit);
  const bulkhead = policy.bulkhead && new Bulkhead(policy.bulkhead, service, observer);
  const own = deps.breaker === undefined && policy.breaker ? new Breaker(policy.breaker) : null;
  const breaker = deps.breaker ?? own;
  const spread = (): Spread => ({
    probeMs: 2 * healthy.ms,
    spacingMs: limiter?.intervalMs ?? healthy.ms / (policy.bulkhead?.maxConcurrent ?? UNBOUNDED),
  });
  const gate = new CooldownGate(limiter?.intervalMs);
  const readBack =
    deps.readBack && tool.verify ? compileReadBack(tool.verify, deps.readBack) : undefined;
  const random = deps.random ?? Math.random;

  const layers: readonly (Layer | null | undefined)[] = [
    tool.cache && tool.readOnly
      ? resultCacheLayer(tool, tool.cache, { store: state.cache, onInternalError })
      : null,
    idempotencyLayer(tool, { subject, store: state.idempotency, readBack, onInternalError }),
    retryLayer(tool, {
      subject,
      observer,
      budget,
      runBudgets: state.runBudgets,
      gate,
      random,
      onInternalError,
    }),
    admissionLayer({ gate, limiter, bulkhead, breaker, spread, service, subject, observer }),
  ];
  const attempt = deadlineLayer(
    upstream,
    { timeoutMs: policy.timeoutMs, subject, observer, onInternalError },
    meter,
  );
  const invoke = layers.reduceRight<Invoke>((next, layer) => layer?.(next) ?? next, attempt);

  const onBreakerChange = (to: BreakerState): void => {
    observer.breakerChanged(to);
  };
  breaker?.on(onBreakerChange);
  return {
    invoke,
    snapshot: () => ({
      breaker: breaker && {
        state: breaker.state,
        failureCount: breaker.failureCount,
        retryAfterMs: breaker.retryAfterMs,
      },
      inFlight: bulkhead?.inFlight ?? meter.active,
      queued: bulkhead?.queued ?? 0,
      cooldownMs: Math.ceil(gate.remainingMs()),
      rateLimit: limiter && limiter.state(),
      retryBudget: { tokens: budget.tokens, of: policy.retryBudget.tokens },
    }),
    forceBreaker: (to) => breaker?.force(to),
    close: () => {
      breaker?.off(onBreakerChange);
      own?.dispose();
    },
  };
}
