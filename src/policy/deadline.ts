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
    const attempt = new Attempt(ctx, ctx.attempts, now + Math.min(deps.timeoutMs, leftMs));
    return new RunningAttempt(attempt, call, deps, meter, now).start(upstream);
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

class RunningAttempt {
  readonly #attempt: Attempt;
  readonly #call: ResolvedCall;
  readonly #deps: DeadlineDeps;
  readonly #meter: AttemptMeter;
  readonly #startedAt: number;
  #timer: NodeJS.Timeout | undefined;
  #trace: AttemptTrace | undefined;
  #settle: ((outcome: Outcome) => void) | undefined;
  #upstream: Promise<Outcome> | undefined;

  constructor(
    attempt: Attempt,
    call: ResolvedCall,
    deps: DeadlineDeps,
    meter: AttemptMeter,
    startedAt: number,
  ) {
    this.#attempt = attempt;
    this.#call = call;
    this.#deps = deps;
    this.#meter = meter;
    this.#startedAt = startedAt;
  }

  start(upstream: UpstreamInvoke): Promise<Outcome> {
    const { ctx, deadlineAt } = this.#attempt;
    this.#meter.active += 1;
    this.#trace = ctx.trace?.startAttempt(this.#attempt.number);
    if (this.#trace !== undefined) this.#attempt.traceparent = this.#trace.traceparent;
    return new Promise((resolve) => {
      this.#settle = resolve;
      this.#timer = setTimeout(timedOut, timerMs(deadlineAt - this.#startedAt), this);
      ctx.cancellation.subscribe(this.#cancelled);
      try {
        this.#upstream = upstream(this.#call, this.#attempt);
      } catch (error) {
        this.#fault(error);
        return;
      }
      if (this.#attempt.aborted !== undefined) ctx.lingering = this.#upstream;
      this.#upstream.then(
        (outcome) => {
          this.#finish(outcome);
        },
        (error: unknown) => {
          this.#fault(error);
        },
      );
    });
  }

  readonly #cancelled = (reason: CancelReason): void => {
    this.#stop({ kind: 'cancelled', reason });
  };

  timedOut(): void {
    const { ctx, deadlineAt } = this.#attempt;
    const { timeoutMs } = this.#deps;
    // Its own limit, or what was left of the call's.
    const own = this.#startedAt + timeoutMs <= deadlineAt;
    this.#stop(
      own
        ? { kind: 'timeout', scope: 'attempt', timeoutMs }
        : { kind: 'timeout', scope: ctx.deadlineScope, timeoutMs: ctx.deadlineMs },
    );
  }

  /** Timer or cancellation: the upstream is told, and is not waited for. */
  #stop(cause: AbortCause): void {
    if (this.#settle === undefined) return;
    // First the upstream lets go: it then knows how far the request had come.
    try {
      this.#attempt.abort(cause);
    } catch (error) {
      this.#deps.onInternalError?.(error, this.#attempt.ctx.requestId);
    }
    // Whoever holds a slot for this attempt keeps it until the upstream has really let go.
    this.#attempt.ctx.lingering = this.#upstream;
    this.#finish(abortOutcome(cause, this.#attempt.phase));
  }

  #fault(error: unknown): void {
    if (this.#settle === undefined) return;
    this.#deps.onInternalError?.(error, this.#attempt.ctx.requestId);
    this.#finish({ kind: 'internal', requestId: this.#attempt.ctx.requestId });
  }

  #finish(outcome: Outcome): void {
    const settle = this.#settle;
    if (settle === undefined) return;
    this.#settle = undefined;
    clearTimeout(this.#timer);
    this.#attempt.ctx.cancellation.unsubscribe(this.#cancelled);
    this.#meter.active -= 1;
    const tookMs = performance.now() - this.#startedAt;
    this.#meter.service.add(tookMs);
    if (outcome.kind === 'ok') this.#meter.healthy.add(tookMs);
    settle(outcome);
    const { ctx } = this.#attempt;
    if (outcome.kind === 'ok') {
      this.#deps.observer.attempt('ok');
      this.#trace?.end(null);
    } else {
      const { info } = classifyOnce(outcome, this.#deps.subject, ctx);
      this.#deps.observer.attempt(info.code);
      this.#trace?.end({ code: info.code, category: info.category });
    }
  }
}

function timedOut(attempt: RunningAttempt): void {
  attempt.timedOut();
}
