// The bulkhead: at most `maxConcurrent` calls of a tool upstream, at most `maxQueue` waiting. Refused
// callers are told when a place is likely to be free for them, and it is kept for them then. Who
// comes at its time and finds none may wait all the same: a few places beyond `maxQueue`.
import type { BulkheadPolicy, CallContext, ResolvedCall, ToolObserver } from '../call.js';
import type { BulkheadFullOutcome, CancelReason, Outcome } from '../errors/outcome.js';
import { adviceMs, timerMs } from './clock.js';
import { deadlineSpent } from './deadline.js';
import { FairQueue, type Place } from './fair-queue.js';
import { PlaceSupply } from './place-supply.js';
import type { ServiceTime } from './service-time.js';
import { callerOf, Turns, type Caller, type Supply } from './turns.js';

interface Waiter {
  readonly call: ResolvedCall;
  readonly ctx: CallContext;
  readonly since: number;
  /** undefined: it has its slot. */
  readonly resolve: (refusal: Outcome | undefined) => void;
  readonly onCancel: (reason: CancelReason) => void;
  readonly timer: NodeJS.Timeout;
}

export class Bulkhead {
  readonly #policy: BulkheadPolicy;
  readonly #places: PlaceSupply;
  readonly #observer: ToolObserver;
  readonly #queue = new FairQueue<Waiter>();
  readonly #turns = new Turns();
  #inFlight = 0;

  constructor(policy: BulkheadPolicy, service: ServiceTime, observer: ToolObserver) {
    this.#policy = policy;
    this.#places = new PlaceSupply(policy, service);
    this.#observer = observer;
  }

  /** Slots taken, by calls under way and by work that outlived its call. */
  get inFlight(): number {
    return this.#inFlight;
  }

  get queued(): number {
    return this.#queue.size;
  }

  /**
   * Asks for a slot: undefined when it was given at once, a promise where the call waits (undefined
   * again, or why not), or a refusal. Whoever got a slot must `leave`.
   */
  enter(call: ResolvedCall, ctx: CallContext): Outcome | Promise<Outcome | undefined> | undefined {
    const { maxConcurrent, maxQueue } = this.#policy;
    if (this.#turns.outstanding > 0) return this.#enterInTurn(call, ctx);
    if (this.#inFlight < maxConcurrent || this.#queue.size < maxQueue)
      return this.#admit(call, ctx);
    return this.#makeRoom(ctx) ? this.#admit(call, ctx) : this.#refuse(call, ctx, 'queue_full');
  }

  /** Gives a slot back: to whoever is next, else to the tool. */
  leave(): void {
    const next = this.#queue.shift();
    if (next === undefined) this.#inFlight -= 1;
    else this.#settle(next, undefined);
  }

  #enterInTurn(
    call: ResolvedCall,
    ctx: CallContext,
  ): Outcome | Promise<Outcome | undefined> | undefined {
    const now = performance.now();
    const supply = this.#supply();
    this.#turns.sweep(now, this.#places.graceMs);
    const caller = callerOf(call, ctx);
    const turn = this.#turns.find(caller);
    const due = turn?.state === 'due';
    const fits = due
      ? supply.free > -this.#places.extraPlaces
      : supply.free >= 1 && this.#turns.spare(now, supply);
    if (fits || this.#makeRoom(ctx)) {
      if (turn !== undefined) this.#turns.release(turn);
      return this.#admit(call, ctx);
    }
    if (turn === undefined) return this.#refuse(call, ctx, 'queue_full', caller);
    const dueAt = due ? this.#turns.postpone(turn, now, supply) : turn.dueAt;
    return this.#full('queue_full', dueAt - now);
  }

  #admit(call: ResolvedCall, ctx: CallContext): Promise<Outcome | undefined> | undefined {
    if (this.#inFlight >= this.#policy.maxConcurrent) return this.#wait(call, ctx);
    this.#inFlight += 1;
    return undefined;
  }

  #wait(call: ResolvedCall, ctx: CallContext): Promise<Outcome | undefined> {
    const { reason } = ctx.cancellation;
    if (reason !== undefined) {
      return Promise.resolve({ kind: 'cancelled', reason, phase: 'queued' });
    }
    const since = performance.now();
    const leftMs = ctx.deadlineAt - since;
    if (leftMs <= 0) return Promise.resolve(deadlineSpent(ctx));
    return new Promise((resolve) => {
      const onCancel = (reason: CancelReason): void => {
        this.#drop(place, { kind: 'cancelled', reason, phase: 'queued' });
      };
      const timer = setTimeout(
        () => {
          this.#drop(
            place,
            leftMs <= this.#policy.queueTimeoutMs
              ? deadlineSpent(ctx)
              : this.#refuse(call, ctx, 'queue_timeout'),
          );
        },
        timerMs(Math.min(this.#policy.queueTimeoutMs, leftMs)),
      );
      ctx.cancellation.subscribe(onCancel);
      const waiter: Waiter = { call, ctx, since, resolve, onCancel, timer };
      const place = this.#queue.push(ctx.client, waiter);
    });
  }

  /** Takes a place from the client that holds most, for one that holds less. */
  #makeRoom(ctx: CallContext): boolean {
    if (this.#queue.size < this.#policy.maxQueue || this.#policy.maxQueue === 0) return false;
    const place = this.#queue.displaceable(ctx.client);
    if (place === undefined) return false;
    const { call, ctx: displaced } = place.value;
    this.#drop(place, this.#refuse(call, displaced, 'queue_full'));
    return true;
  }

  #drop(place: Place<Waiter>, outcome: Outcome): void {
    if (!place.queued) return;
    this.#queue.remove(place);
    this.#settle(place.value, outcome);
  }

  #settle(waiter: Waiter, refusal: Outcome | undefined): void {
    clearTimeout(waiter.timer);
    waiter.ctx.cancellation.unsubscribe(waiter.onCancel);
    this.#observer.queueWaited(performance.now() - waiter.since);
    waiter.resolve(refusal);
  }

  #refuse(
    call: ResolvedCall,
    ctx: CallContext,
    cause: BulkheadFullOutcome['cause'],
    caller: Caller = callerOf(call, ctx),
  ): BulkheadFullOutcome {
    const now = performance.now();
    return this.#full(cause, this.#turns.issue(caller, now, this.#supply()) - now);
  }

  #full(cause: BulkheadFullOutcome['cause'], waitMs: number): BulkheadFullOutcome {
    return {
      kind: 'bulkhead-full',
      limit: this.#policy.maxConcurrent,
      queued: this.#queue.size,
      retryAfterMs: adviceMs(waitMs),
      cause,
    };
  }

  #supply(): Supply {
    return this.#places.at(this.#inFlight + this.#queue.size);
  }
}
