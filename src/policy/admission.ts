// What an attempt must pass, as one layer: cooldown gate -> rate limit -> bulkhead -> cooldown gate
// (again, behind the queue) -> breaker. Whoever must wait for a token holds no slot, whoever waits
// for a slot holds no probe, and what one of them gave is given back when the attempt has ended.
// One promise for them all: one for each would cost more than what they decide.
import type { CallContext, Invoke, Layer, ResolvedCall, ToolObserver } from '../call.js';
import { breakerVerdict, classifyOnce, type ClassifySubject } from '../errors/classify.js';
import type { Outcome } from '../errors/outcome.js';
import type { Breaker, Permit, Spread } from './breaker.js';
import type { Bulkhead } from './bulkhead.js';
import { CLOCK_SLACK_MS, sleep } from './clock.js';
import type { CooldownGate } from './cooldown.js';
import type { ServiceTime } from './service-time.js';
import type { RateLimiter } from './token-bucket.js';
import { callerOf } from './turns.js';

/** The guards of one tool; those that its policy does not ask for are null. */
export interface Guards {
  readonly gate: CooldownGate;
  readonly limiter: RateLimiter | null;
  readonly bulkhead: Bulkhead | null;
  readonly breaker: Breaker | null;
  /** How those whom the breaker refuses are told to come back. */
  readonly spread: () => Spread;
  /** Learns how long work lingers; of attempts it learns where they are timed. */
  readonly service: ServiceTime;
  readonly subject: ClassifySubject;
  readonly observer: ToolObserver;
}

/** Runs an attempt once every guard has let it through; else resolves with the first refusal. */
export function admissionLayer(guards: Guards): Layer {
  return (next) => {
    const admission = new Admission(guards, next);
    return (call, ctx) => admission.enter(call, ctx);
  };
}

class Admission {
  readonly #guards: Guards;
  readonly #next: Invoke;

  constructor(guards: Guards, next: Invoke) {
    this.#guards = guards;
    this.#next = next;
  }

  enter(call: ResolvedCall, ctx: CallContext): Promise<Outcome> {
    const { gate, limiter, observer } = this.#guards;
    const coolingMs = gate.enter(call, ctx);
    if (coolingMs > 0) return Promise.resolve(this.#coolingDown(coolingMs));
    if (limiter === null) return this.#enterBulkhead(call, ctx);
    const retryAfterMs = limiter.take(() => callerOf(call, ctx));
    if (retryAfterMs === 0) return this.#enterBulkhead(call, ctx);
    if (retryAfterMs < 0) {
      // A cancellation or a deadline meanwhile is found inside.
      const waitMs = Math.min(-retryAfterMs, ctx.deadlineAt - performance.now() + CLOCK_SLACK_MS);
      return sleep(waitMs, ctx.cancellation).then(() => this.#enterBulkhead(call, ctx));
    }
    observer.rateLimited('tool');
    const { limit } = limiter;
    return Promise.resolve({ kind: 'rate-limited', scope: 'tool', retryAfterMs, limit });
  }

  #enterBulkhead(call: ResolvedCall, ctx: CallContext): Promise<Outcome> {
    const { bulkhead, limiter } = this.#guards;
    const entry = bulkhead?.enter(call, ctx);
    if (entry === undefined) return this.#attempt(call, ctx);
    if (entry instanceof Promise) {
      return entry.then((refusal) => {
        if (refusal === undefined) return this.#attempt(call, ctx);
        limiter?.refund();
        return refusal;
      });
    }
    limiter?.refund();
    return Promise.resolve(entry);
  }

  /** Token and slot are held from here on. */
  #attempt(call: ResolvedCall, ctx: CallContext): Promise<Outcome> {
    const { gate, breaker, spread } = this.#guards;
    const { attempts } = ctx;
    let permit: Permit | undefined;
    try {
      // Calls that waited for a slot while the gate closed must not go upstream.
      if (!gate.isOpen()) return this.#refused(ctx, this.#coolingDown(gate.enter(call, ctx)));
      if (breaker !== null) {
        permit = breaker.acquire();
        if (permit === undefined) {
          const resetTimeoutMs = breaker.policy.openMs;
          const refusal = breaker.refuse(call, ctx, spread());
          return this.#refused(ctx, { kind: 'circuit-open', ...refusal, resetTimeoutMs });
        }
      }
      const running = this.#next(call, ctx);
      const sent = ctx.attempts > attempts;
      if (sent) gate.sent();
      return running.then(
        (outcome) => this.#ended(outcome, ctx, permit, sent),
        (error: unknown) => {
          this.#failed(ctx, permit);
          throw error;
        },
      );
    } catch (error) {
      this.#failed(ctx, permit);
      throw error;
    }
  }

  /** What an attempt that was made says; one that was not is neutral and costs no token. */
  #ended(outcome: Outcome, ctx: CallContext, permit: Permit | undefined, sent: boolean): Outcome {
    const { breaker, subject } = this.#guards;
    try {
      if (permit !== undefined) {
        breaker?.report(permit, sent ? breakerVerdict(outcome, subject, ctx) : 'neutral');
      }
      this.#heard(outcome, ctx);
    } finally {
      this.#leave(ctx, sent);
    }
    return outcome;
  }

  /** Closes the gate where the answer of the upstream says so. */
  #heard(outcome: Outcome, ctx: CallContext): void {
    const { gate, subject } = this.#guards;
    if (outcome.kind === 'ok') {
      gate.succeeded();
      return;
    }
    const { cooldownMs, info } = classifyOnce(outcome, subject, ctx);
    if (cooldownMs !== null) gate.extend(cooldownMs, info.code === 'TOOL_RATE_LIMITED');
  }

  #refused(ctx: CallContext, refusal: Outcome): Promise<Outcome> {
    this.#leave(ctx, false);
    return Promise.resolve(refusal);
  }

  /** A fault of ours: nothing is learned of it, and nothing may be kept. */
  #failed(ctx: CallContext, permit: Permit | undefined): void {
    if (permit !== undefined) this.#guards.breaker?.report(permit, 'neutral');
    this.#leave(ctx, true);
  }

  /**
   * Gives back the slot, and the token where it was not used. Work that outlived its call keeps the
   * slot: a timed out module that still runs must not make room for one more.
   */
  #leave(ctx: CallContext, sent: boolean): void {
    const { bulkhead, limiter, service } = this.#guards;
    const { lingering } = ctx;
    if (!sent) limiter?.refund();
    if (lingering === undefined) {
      bulkhead?.leave();
      return;
    }
    ctx.lingering = undefined;
    if (bulkhead === null) return;
    const since = performance.now();
    const leave = (): void => {
      service.extend(performance.now() - since);
      bulkhead.leave();
    };
    lingering.then(leave, leave);
  }

  #coolingDown(retryAfterMs: number): Outcome {
    this.#guards.observer.rateLimited('cooldown');
    return { kind: 'rate-limited', scope: 'cooldown', retryAfterMs, limit: null };
  }
}
