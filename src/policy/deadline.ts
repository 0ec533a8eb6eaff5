// The innermost layer: one attempt, its timer and its cancellation. It is what always settles, so
// that no slot, probe or caller ever waits on an upstream that forgot to answer.
import { abortOutcome, Attempt } from '../call.js';
import type {
  AbortCause,
  AttemptTrace,
  CallContext,
  Invoke,
  ResolvedCall,
  ToolObserver,
  UpstreamInvoke,
} from '../call.js';
import { classifyOnce, type ClassifySubject } from '../errors/classify.js';
import type { CancelReason, Outcome } from '../errors/outcome.js';
import { timerMs } from './clock.js';
import type { ServiceTime } from './service-time.js';

export interface DeadlineDeps {
  /** The longest one attempt may take, milliseconds. */
  readonly timeoutMs: number;
  readonly subject: ClassifySubject;
  readonly observer: ToolObserver;
  /** Hears what an upstream threw although it must not; the caller is told nothing of it. */
  readonly onInternalError?: ((error: unknown, requestId: string) => void) | undefined;
}

/** What is measured of attempts: how many are under way, and how long they take. */
export interface AttemptMeter {
  active: number;
  /** Of all attempts: how long a slot is held. */
  readonly service: ServiceTime;
  /** Of good ones: how long a probe is waited for. */
  readonly healthy: ServiceTime;
}

/**
 * Turns an upstream into an Invoke. An attempt may take `timeoutMs` or what is left of the call,
 * whichever is less; with nothing left, or after a cancellation, it is not started.
 */
export function deadlineLayer(
  upstream: UpstreamInvoke,
  deps: DeadlineDeps,
  meter: AttemptMeter,
): Invoke {
  return (call, ctx) => {
    const { reason } = ctx.cancellation;
    if (reason !== undefined) {
      return Promise.resolve({ kind: 'cancelled', reason, phase: 'queued' });
    }
    const now = performance.now();
    const leftMs = ctx.deadlineAt - now;
    if (leftMs <= 0) return Promise.resolve(deadlineSpent(ctx));
    ctx.attempts += 1;
    const deadlineAt = now + Math.min(deps.timeoutMs, leftMs);
    return new RunningAttempt(ctx, deadlineAt, deps, meter, now).start(upstream, call);
  };
}

/** The outcome of a call whose time was over before its attempt could start. */
export function deadlineSpent(ctx: CallContext): Outcome {
  return {
    kind: 'timeout',
    scope: ctx.deadlineScope,
    phase: 'queued',
    timeoutMs: ctx.deadlineMs,
  };
}

class RunningAttempt extends Attempt {
  readonly #deps: DeadlineDeps;
  readonly #meter: AttemptMeter;
  readonly #startedAt: number;
  #timer: NodeJS.Timeout | undefined;
  #trace: AttemptTrace | undefined;
  #resolve: ((outcome: Outcome) => void) | undefined;
  #upstream: Promise<Outcome> | undefined;

  constructor(
    ctx: CallContext,
    deadlineAt: number,
    deps: DeadlineDeps,
    meter: AttemptMeter,
    startedAt: number,
  ) {
    super(ctx, ctx.attempts, deadlineAt);
    this.#deps = deps;
    this.#meter = meter;
    this.#startedAt = startedAt;
  }

  start(upstream: UpstreamInvoke, call: ResolvedCall): Promise<Outcome> {
    const { ctx } = this;
    this.#meter.active += 1;
    this.#trace = ctx.trace?.startAttempt(this.number);
    if (this.#trace !== undefined) this.traceparent = this.#trace.traceparent;
    return new Promise((resolve) => {
      this.#resolve = resolve;
      this.#timer = setTimeout(timedOut, timerMs(this.deadlineAt - this.#startedAt), this);
      ctx.cancellation.subscribe(this.#cancelled);
      try {
        this.#upstream = upstream(call, this);
      } catch (error) {
        this.fail(error);
        return;
      }
      if (this.#upstream !== undefined) this.#follow(this.#upstream);
    });
  }

  #follow(upstream: Promise<Outcome>): void {
    if (this.aborted !== undefined) this.ctx.lingering = upstream;
    upstream.then(
      (outcome) => {
        this.settle(outcome);
      },
      (error: unknown) => {
        this.fail(error);
      },
    );
  }

  readonly #cancelled = (reason: CancelReason): void => {
    this.#stop({ kind: 'cancelled', reason });
  };

  timedOut(): void {
    const { timeoutMs } = this.#deps;
    const { deadlineScope, deadlineMs } = this.ctx;
    // Its own limit, or what was left of the call's.
    const own = this.#startedAt + timeoutMs <= this.deadlineAt;
    this.#stop(
      own
        ? { kind: 'timeout', scope: 'attempt', timeoutMs }
        : { kind: 'timeout', scope: deadlineScope, timeoutMs: deadlineMs },
    );
  }

  /** Timer or cancellation: the upstream is told, and is not waited for. */
  #stop(cause: AbortCause): void {
    if (this.#resolve === undefined) return;
    // Whoever holds a slot for this attempt keeps it until the upstream has really let go.
    this.ctx.lingering = this.#upstream;
    // First the upstream lets go: it then knows how far the request had come.
    try {
      this.abort(cause);
    } catch (error) {
      this.#deps.onInternalError?.(error, this.ctx.requestId);
    }
    this.settle(abortOutcome(cause, this.phase));
  }

  override fail(error: unknown): void {
    if (this.#resolve === undefined) return;
    const { requestId } = this.ctx;
    this.#deps.onInternalError?.(error, requestId);
    this.settle({ kind: 'internal', requestId });
  }

  override settle(outcome: Outcome): void {
    const resolve = this.#resolve;
    if (resolve === undefined) return;
    this.#resolve = undefined;
    clearTimeout(this.#timer);
    this.ctx.cancellation.unsubscribe(this.#cancelled);
    this.#meter.active -= 1;
    const tookMs = performance.now() - this.#startedAt;
    this.#meter.service.add(tookMs);
    if (outcome.kind === 'ok') this.#meter.healthy.add(tookMs);
    resolve(outcome);
    try {
      this.#report(outcome);
    } catch (error) {
      this.#deps.onInternalError?.(error, this.ctx.requestId);
    }
  }

  #report(outcome: Outcome): void {
    if (outcome.kind === 'ok') {
      this.#deps.observer.attempt('ok');
      this.#trace?.end(null);
      return;
    }
    const { info } = classifyOnce(outcome, this.#deps.subject, this.ctx);
    this.#deps.observer.attempt(info.code);
    this.#trace?.end({ code: info.code, category: info.category });
  }
}

function timedOut(attempt: RunningAttempt): void {
  attempt.timedOut();
}
