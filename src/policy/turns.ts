// Whose turn it is. A refused caller is told a moment of its own, and what it needs then is kept
// for it: newcomers may only take what nobody was promised. Limiter, bulkhead, breaker and cooldown
// gate all advise from here, so that refused callers come back neither together nor in vain.
//
// A caller is known by client and run, its call by idempotency key or, within a run, by call id.
// Without a run nothing tells a second call from one that came back early: it then gets a moment
// of its own again, and any call of that client may take a turn that has fallen due.
import type { CallContext, ResolvedCall } from '../call.js';
import { CLOCK_SLACK_MS } from './clock.js';
import { TurnLine, type Turn } from './turn-line.js';

/** Turns kept per tool; refused callers beyond it are told a moment but nothing is kept. */
const MAX_TURNS = 10_000;
/** How far one group's turns may reach: who floods cannot push everybody else's turn out. */
const HORIZON_MS = 30_000;
/** Whatever they are apart: a whole batch of refused calls is told its turns. */
const MIN_HORIZON_TURNS = 100;

const KEPT_WEIGHT = 0.05;
const MIN_KEPT = 0.5;

/** A whole unit, but for what sums of fractions lose. */
export const ONE_UNIT = 1 - 1e-6;

/** Who asks. `key` is undefined where nothing identifies the call when it comes again. */
export interface Caller {
  readonly group: string;
  readonly key: string | undefined;
}

export function callerOf(call: ResolvedCall, ctx: CallContext): Caller {
  const { client, runId } = ctx;
  return runId === undefined
    ? { group: client, key: call.idempotencyKey }
    : { group: `${client}\u0000${runId}`, key: call.idempotencyKey ?? call.id };
}

/** How fast units come free, as far as it is known. */
export interface Supply {
  /** Units free now; may be fractional. */
  readonly free: number;
  /** Units that come free per millisecond; > 0. */
  readonly perMs: number;
  /** Units by which the real supply may lag behind the smooth one. */
  readonly lag: number;
}

export class Turns {
  readonly #line = new TurnLine();
  /** Turns that fell due and found no unit: they go before the line. */
  readonly #late = new TurnLine();
  readonly #groups = new Map<string, Map<string | number, Turn>>();
  /** The share of turns that is taken when due, lately. */
  #kept = 1;
  #unnamed = 0;
  #unkept = 0;
  readonly #weight: number;

  /** @param weight how much one turn, taken or missed, says about the next ones */
  constructor(weight = KEPT_WEIGHT) {
    this.#weight = weight;
  }

  /** Moments that were promised and neither used nor missed. */
  get outstanding(): number {
    return this.#line.size + this.#late.size;
  }

  /** Whether most turns are taken when due; where they are not, nobody keeps to them. */
  get areKept(): boolean {
    return this.#kept >= MIN_KEPT;
  }

  /** The last moment that was promised; -Infinity when none is outstanding. */
  get lastDueAt(): number {
    return this.#line.lastDueAt;
  }

  /** Forgets turns that nobody took within `graceMs`; call it before the others. */
  sweep(now: number, graceMs: number): void {
    if (this.outstanding === 0) return;
    this.#late.sweep(now, graceMs, this.#missed);
    this.#line.sweep(now, graceMs, this.#missed);
  }

  /** The turn that this caller comes for: one that is due, or its own and early; else undefined. */
  find(caller: Caller): Turn | undefined {
    const group = this.#groups.get(caller.group);
    if (group === undefined) return undefined;
    const own = caller.key === undefined ? undefined : group.get(caller.key);
    if (own?.state === 'due') return own;
    const first = firstOf(group);
    return first?.state === 'due' ? first : own;
  }

  /** Whether a newcomer may take a unit without breaking a promise (that callers keep to). */
  spare(now: number, { free, perMs, lag }: Supply): boolean {
    if (!this.areKept) return free >= ONE_UNIT;
    const unclaimed = free - this.#line.due - this.#late.due;
    if (unclaimed < ONE_UNIT) return false;
    const next = Math.min(this.#line.nextDueAt ?? Infinity, this.#late.nextDueAt ?? Infinity);
    return unclaimed + (next - now) * perMs - lag >= 1 + ONE_UNIT;
  }

  /** The caller got in, or does not need its turn any more. */
  release(turn: Turn): void {
    if (turn.state === 'due') this.#kept += this.#weight * (1 - this.#kept);
    turn.line.remove(turn);
    this.#forget(turn);
  }

  /**
   * The k-th refused caller is told when the k-th unit comes free. Turns stand at least a unit's
   * time apart: so it is enough that the next one is sure of its unit. Where less than half of the
   * callers come, more of them are told the same unit. Returns the moment; `from` as in `issueAt`.
   */
  issue(caller: Caller, now: number, supply: Supply, from?: number): number {
    const unitMs = Math.min(1, this.#kept / MIN_KEPT) / supply.perMs;
    const waitMs = (this.outstanding + 1 - supply.free + supply.lag) * unitMs;
    const dueAt = Math.max(now + Math.max(0, waitMs), this.#line.lastDueAt + unitMs);
    // Nothing shows whether those without a name come back: their line stays short.
    return this.issueAt(caller, dueAt, unitMs, caller.key === undefined ? now : from);
  }

  /**
   * Promises `dueAt`, or later where that keeps the order. Beyond what is kept, and beyond the
   * horizon from `from` where it is given, refused callers are spread over the later half of the
   * horizon, and hold nothing. Returns the moment.
   */
  issueAt(caller: Caller, dueAt: number, spacingMs: number, from = Infinity): number {
    const at = Math.max(dueAt, this.#line.lastDueAt);
    const most = Math.min(MAX_TURNS, Math.max(MIN_HORIZON_TURNS, HORIZON_MS / spacingMs));
    const latest = from + most * spacingMs;
    const held = this.#groups.get(caller.group)?.size ?? 0;
    if (this.outstanding >= MAX_TURNS || held >= most || at > latest) {
      const place = this.#unkept;
      this.#unkept = (place + 1) % Math.ceil(most / 2);
      return Math.min(at, latest) - place * spacingMs;
    }
    const key = caller.key ?? (this.#unnamed += 1);
    this.#keep({ group: caller.group, key, dueAt: at, line: this.#line, state: 'waiting' });
    return at;
  }

  /** A turn fell due and nothing was free: it goes before all that only wait. Returns the moment. */
  postpone(turn: Turn, now: number, supply: Supply): number {
    this.release(turn);
    const waitMs = (this.#late.size + 1 - supply.free) / supply.perMs;
    const soonest = now + Math.max(waitMs, 2 * CLOCK_SLACK_MS);
    const dueAt = Math.max(soonest, this.#late.lastDueAt);
    this.#keep({ group: turn.group, key: turn.key, dueAt, line: this.#late, state: 'waiting' });
    return dueAt;
  }

  #keep(turn: Turn): void {
    let group = this.#groups.get(turn.group);
    if (group === undefined) {
      group = new Map();
      this.#groups.set(turn.group, group);
    }
    group.set(turn.key, turn);
    turn.line.push(turn);
  }

  readonly #missed = (turn: Turn): void => {
    this.#kept *= 1 - this.#weight;
    this.#forget(turn);
  };

  #forget(turn: Turn): void {
    const group = this.#groups.get(turn.group);
    if (group?.get(turn.key) !== turn) return;
    group.delete(turn.key);
    if (group.size === 0) this.#groups.delete(turn.group);
  }
}

function firstOf(group: Map<string | number, Turn>): Turn | undefined {
  for (const turn of group.values()) return turn;
  return undefined;
}
