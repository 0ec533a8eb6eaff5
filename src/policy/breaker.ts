// The circuit breaker. opossum is the state machine and the rolling window; it is told finished
// verdicts by its own events and never runs a call. That gives what its own `fire` cannot: neutral outcomes, k probes,
// no dilution by calls in flight, no wedge by a probe that hangs, and the time to the next probe.
import { EventEmitter } from 'node:events';
import CircuitBreaker from 'opossum';
import type { BreakerPolicy, CallContext, ResolvedCall } from '../call.js';
import type { BreakerVerdict } from '../errors/error-info.js';
import { adviceMs, CLOCK_SLACK_MS, timerMs } from './clock.js';
import { callerOf, Turns } from './turns.js';

export type BreakerState = 'closed' | 'half_open' | 'open';

/**
 * Leave to run one call, whose verdict must be reported: a number that is stale once the state has
 * changed.
 */
export type Permit = number;

export interface Refusal {
  readonly failureCount: number;
  /** It was opened by an operator's hand, not by failures. */
  readonly byOperator: boolean;
  readonly retryAfterMs: number;
}

const SLICES = 10;
const TURN_GRACE_MS = 1000;
/** Between two callers that come back after the probe; `spread` may say more. */
const MIN_SPACING_MS = 1;

/** How callers come back after the probe: how long it takes, and how far apart they are told. */
export interface Spread {
  readonly probeMs: number;
  readonly spacingMs: number;
}

/** Opens when, at a failure, finished >= minCalls and failures / finished >= failureRate. */
export class Breaker {
  readonly policy: BreakerPolicy;
  readonly #listeners = new Set<(to: BreakerState) => void>();
  /** Turns opossum's window; emitted when looked at, so that no breaker needs an interval. */
  readonly #rotator = new EventEmitter();
  readonly #sliceMs: number;
  /** Made with the first verdict: most of a thousand tools are not called. */
  #core: CircuitBreaker<[]> | undefined;
  #state: BreakerState = 'closed';
  #disposed = false;
  #sliceAt: number;
  #generation = 0;
  #probes = 0;
  #openedAt = 0;
  #failureCount = 0;
  #byOperator = false;
  #turns = new Turns();
  #told = 0;

  constructor(policy: BreakerPolicy) {
    this.policy = policy;
    this.#sliceMs = policy.windowMs / SLICES;
    this.#sliceAt = performance.now();
  }

  /** Hears every change of state until `off` is called with the same function. */
  on(listener: (to: BreakerState) => void): void {
    this.#listeners.add(listener);
  }

  off(listener: (to: BreakerState) => void): void {
    this.#listeners.delete(listener);
  }

  get state(): BreakerState {
    this.#wake();
    return this.#state;
  }

  /** Failures in the window, or those that opened it. */
  get failureCount(): number {
    if (this.#state !== 'closed') return this.#failureCount;
    this.#rotate();
    return this.#counts().failures;
  }

  /** Milliseconds until a probe is admitted; null while it is closed. */
  get retryAfterMs(): number | null {
    const { state } = this;
    if (state === 'closed') return null;
    if (state === 'half_open') return 0;
    return adviceMs(this.#openedAt + this.policy.openMs - performance.now());
  }

  /** Leave for one call, or undefined: then `refuse` says when to come back. */
  acquire(): Permit | undefined {
    if (this.#state === 'closed') return this.#generation;
    this.#wake();
    if (this.#state === 'open' || this.#probes >= this.policy.halfOpenProbes) return undefined;
    this.#probes += 1;
    return this.#generation;
  }

  /**
   * The first caller is told when the probe is due, the others come one by one after it has had
   * time to end. A caller that comes early is told the same moment again.
   */
  refuse(call: ResolvedCall, ctx: CallContext, spread: Spread): Refusal {
    const now = performance.now();
    this.#turns.sweep(now, TURN_GRACE_MS);
    const caller = callerOf(call, ctx);
    const early = this.#turns.find(caller);
    const { failureCount } = this;
    const byOperator = this.#byOperator;
    if (early !== undefined && early.dueAt > now + CLOCK_SLACK_MS) {
      return { failureCount, byOperator, retryAfterMs: adviceMs(early.dueAt - now) };
    }
    if (early !== undefined) this.#turns.release(early);
    const open = this.#state === 'open';
    const probeAt = open ? this.#openedAt + this.policy.openMs : now;
    const first = open && this.#told === 0;
    const spacingMs = Math.max(MIN_SPACING_MS, spread.spacingMs);
    const dueAt = first ? probeAt : probeAt + spread.probeMs + this.#told * spacingMs;
    this.#told += 1;
    const at = this.#turns.issueAt(caller, dueAt, spacingMs, probeAt);
    return { failureCount, byOperator, retryAfterMs: adviceMs(at - now) };
  }

  /** How the call of a permit ended. `neutral` counts nowhere and hands a probe's permit back. */
  report(permit: Permit, verdict: BreakerVerdict): void {
    if (permit !== this.#generation || this.#disposed) return;
    if (this.#state === 'half_open') {
      if (verdict === 'success') this.#close();
      else if (verdict === 'failure') this.#circuit.open();
      else this.#probes -= 1;
      return;
    }
    if (verdict === 'neutral') return;
    this.#rotate();
    // opossum counts by these events. Its own `fire` would run an action, with four promises, and at
    // each failure add up every figure it keeps.
    this.#circuit.emit('fire');
    if (verdict === 'success') return;
    this.#circuit.emit('failure');
    const { fires, failures } = this.#counts();
    const { minCalls, failureRate } = this.policy;
    if (fires >= minCalls && failures / fires >= failureRate) this.#circuit.open();
  }

  #counts(): { readonly fires: number; readonly failures: number } {
    let fires = 0;
    let failures = 0;
    for (const slice of this.#core?.status.window ?? []) {
      fires += slice.fires;
      failures += slice.failures;
    }
    return { fires, failures };
  }

  /**
   * An operator's hand. Forced open, it probes again after `openMs` like any open breaker; forced
   * closed, it starts with an empty window.
   */
  force(state: 'open' | 'closed'): void {
    if (this.#disposed) return;
    if (state === 'open') {
      this.#circuit.open();
      this.#byOperator = true;
    } else if (this.#state !== 'closed') this.#close();
  }

  /** Ends its timer. Calls that still use it are let through, as it can learn nothing any more. */
  dispose(): void {
    this.#listeners.clear();
    this.#core?.shutdown();
    this.#disposed = true;
    this.#state = 'closed';
  }

  /** The timer may be late; what callers were told is kept by the clock. */
  #wake(): void {
    if (this.#state !== 'open') return;
    if (performance.now() + CLOCK_SLACK_MS < this.#openedAt + this.policy.openMs) return;
    this.#core?.shutdown();
    this.#core = this.#createCore(true);
    this.#changed('half_open');
  }

  #close(): void {
    this.#core?.shutdown();
    this.#sliceAt = performance.now();
    this.#core = undefined;
    this.#changed('closed');
  }

  #changed(to: BreakerState): void {
    this.#state = to;
    this.#generation += 1;
    this.#probes = 0;
    if (to !== 'half_open') this.#told = 0;
    if (to === 'closed') this.#turns = new Turns();
    for (const listener of this.#listeners) listener(to);
  }

  #rotate(): void {
    const now = performance.now();
    let slices = Math.floor((now - this.#sliceAt) / this.#sliceMs);
    if (slices <= 0) return;
    this.#sliceAt += slices * this.#sliceMs;
    for (slices = Math.min(slices, SLICES); slices > 0; slices -= 1) this.#rotator.emit('rotate');
  }

  get #circuit(): CircuitBreaker<[]> {
    return (this.#core ??= this.#createCore(false));
  }

  #createCore(halfOpen: boolean): CircuitBreaker<[]> {
    const core = new CircuitBreaker<[]>(() => Promise.resolve(), {
      timeout: false,
      resetTimeout: timerMs(this.policy.openMs),
      rollingCountTimeout: this.policy.windowMs,
      rollingCountBuckets: SLICES,
      rollingPercentilesEnabled: false,
      enableSnapshots: false,
      rotateBucketController: this.#rotator,
      ...(halfOpen && { state: HALF_OPEN }),
    });
    core.on('open', () => {
      const again = this.#state === 'half_open';
      this.#failureCount = again ? this.#failureCount + 1 : this.#counts().failures;
      this.#byOperator = false;
      this.#openedAt = performance.now();
      this.#changed('open');
    });
    core.on('halfOpen', () => {
      this.#changed('half_open');
    });
    return core;
  }
}

/** opossum's own form of a state to start from. */
const HALF_OPEN = {
  name: 'breaker',
  enabled: true,
  closed: false,
  open: false,
  halfOpen: true,
  warmUp: false,
  shutdown: false,
} as const;
