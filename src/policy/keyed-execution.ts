// The execution behind an idempotency key, as the store tells it: claimed and run by us, run by
// another process, answered before, or unknown and then read back.
import type { CallContext, Invoke, ResolvedCall, ToolDefinition } from '../call.js';
import type { ClassifySubject } from '../errors/classify.js';
import type { Outcome } from '../errors/outcome.js';
import { newId } from '../ids.js';
import type {
  FinalRecord,
  IdempotencyStore,
  SettledRecord,
  UnknownRecord,
} from '../state/ports.js';
import { sleep } from './clock.js';
import { deadlineSpent } from './deadline.js';
import { fateOf, isSafeToRepeat } from './fate.js';
import { keptOutcome } from './kept-outcome.js';
import type { ReadBack } from './read-back.js';

/** How long answers are kept where the tool does not say: 24 h. */
const DEFAULT_TTL_MS = 86_400_000;
/** Beyond its deadline an execution is given this long to record its end. */
const LEASE_SLACK_MS = 5000;
/** How often another process's execution is looked at. */
const POLL_MS = 100;

export interface KeyedDeps {
  readonly subject: ClassifySubject;
  readonly store: IdempotencyStore;
  readonly readBack: ReadBack | undefined;
  readonly onInternalError?: ((error: unknown, requestId: string) => void) | undefined;
}

/** A call with its place in the store. */
interface Keyed {
  readonly call: ResolvedCall;
  readonly ctx: CallContext;
  readonly key: string;
  readonly argumentsHash: string;
}

export class KeyedExecution {
  readonly #deps: KeyedDeps;
  readonly #next: Invoke;
  readonly #ttlMs: number;
  readonly #settleMs: number;

  constructor(tool: ToolDefinition, deps: KeyedDeps, next: Invoke) {
    this.#deps = deps;
    this.#next = next;
    this.#ttlMs = tool.idempotency?.ttlMs ?? DEFAULT_TTL_MS;
    // An aborted attempt may still have its effect for a while; "not there" counts after that.
    this.#settleMs = tool.policy.timeoutMs;
  }

  /** Claims the key and executes, or answers from the record that stands. */
  async run(keyed: Keyed): Promise<Outcome> {
    const { ctx, key, argumentsHash } = keyed;
    const owner = newId();
    // Ends with the deadline at the latest: every round waits, or makes an unknown key repeatable.
    for (;;) {
      const leaseMs = Math.max(0, ctx.deadlineAt - performance.now()) + LEASE_SLACK_MS;
      const record = await this.#deps.store.begin(key, argumentsHash, owner, leaseMs);
      if (record === undefined) return this.#execute(keyed, owner);
      if (record.argumentsHash !== argumentsHash) return { kind: 'idempotency-conflict' };
      if (record.state === 'final') return answerOf(record);
      if (record.state === 'unknown') {
        const answer = await this.#resolveUnknown(keyed, record);
        if (answer !== undefined) return answer;
        continue;
      }
      const leftMs = ctx.deadlineAt - performance.now();
      if (leftMs <= 0) return deadlineSpent(ctx);
      const reason = await sleep(Math.min(POLL_MS, leftMs), ctx.cancellation);
      if (reason !== undefined) return { kind: 'cancelled', reason, phase: 'queued' };
    }
  }

  async #execute(keyed: Keyed, owner: string): Promise<Outcome> {
    const { call, ctx, key, argumentsHash } = keyed;
    const outcome = await this.#outcomeOf(call, ctx);
    const fate = fateOf(outcome, ctx, this.#deps.subject);
    try {
      if (fate.kind === 'free') {
        await this.#deps.store.release(key, owner);
      } else if (fate.kind === 'repeatable') {
        await this.#settle(keyed, { state: 'repeatable', argumentsHash, owner });
      } else if (fate.kind === 'final') {
        await this.#settle(keyed, { state: 'final', argumentsHash, owner, answer: fate.answer });
      } else {
        const known = { argumentsHash, owner, info: fate.info, sinceEpochMs: Date.now() };
        const unknown: UnknownRecord = { state: 'unknown', ...known };
        await this.#settle(keyed, unknown);
        return (await this.#confirm(keyed, unknown)) ?? outcome;
      }
    } catch (error) {
      // The record stays running and is unknown once its lease has ended: never executed twice.
      this.#deps.onInternalError?.(error, ctx.requestId);
    }
    return outcome;
  }

  /** A fault of ours may come after the call was sent: nobody knows then, and the record says so. */
  async #outcomeOf(call: ResolvedCall, ctx: CallContext): Promise<Outcome> {
    try {
      return await this.#next(call, ctx);
    } catch (error) {
      this.#deps.onInternalError?.(error, ctx.requestId);
      return { kind: 'internal', requestId: ctx.requestId };
    }
  }

  /** undefined: it may be executed again. */
  async #resolveUnknown(keyed: Keyed, record: UnknownRecord): Promise<Outcome | undefined> {
    const { argumentsHash, owner } = record;
    // A verdict is kept where repeating was not safe. The key that goes upstream since a reload did
    // not go with that attempt.
    const { subject } = this.#deps;
    if (subject.idempotent || (record.info === null && isSafeToRepeat(keyed.ctx, subject))) {
      await this.#settle(keyed, { state: 'repeatable', argumentsHash, owner });
      return undefined;
    }
    const verdict = await this.#deps.readBack?.(keyed.call.arguments, keyed.ctx);
    if (verdict?.kind === 'confirmed') return this.#keepConfirmed(keyed, record, verdict.outcome);
    if (verdict?.kind === 'refuted' && Date.now() - record.sinceEpochMs >= this.#settleMs) {
      await this.#settle(keyed, { state: 'repeatable', argumentsHash, owner });
      return undefined;
    }
    return record.info === null
      ? executionLost()
      : { kind: 'stored', info: record.info, status: 'error' };
  }

  /** Right after an unknown outcome only a confirmation counts. */
  async #confirm(keyed: Keyed, record: UnknownRecord): Promise<Outcome | undefined> {
    const verdict = await this.#deps.readBack?.(keyed.call.arguments, keyed.ctx);
    return verdict?.kind === 'confirmed'
      ? this.#keepConfirmed(keyed, record, verdict.outcome)
      : undefined;
  }

  async #keepConfirmed(
    keyed: Keyed,
    { owner }: UnknownRecord,
    confirmed: Extract<Outcome, { kind: 'ok' }>,
  ): Promise<Outcome> {
    const { argumentsHash } = keyed;
    const outcome = keptOutcome(confirmed);
    await this.#settle(keyed, {
      state: 'final',
      argumentsHash,
      owner,
      answer: { kind: 'ok', outcome },
    });
    return outcome;
  }

  #settle({ key }: Keyed, record: SettledRecord): Promise<void> {
    return this.#deps.store.settle(key, record.owner, record, this.#ttlMs);
  }
}

function answerOf({ answer }: FinalRecord): Outcome {
  return answer.kind === 'ok'
    ? answer.outcome
    : { kind: 'stored', info: answer.info, status: answer.status };
}

/** Another process executed the call and was lost before it could say how it ended. */
function executionLost(): Outcome {
  const error = Object.assign(new Error('The execution was lost.'), { code: 'ECONNRESET' });
  return { kind: 'transport', error, phase: 'awaiting_headers' };
}
