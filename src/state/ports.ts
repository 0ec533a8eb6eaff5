// What the layers remember beyond one process's variables: ports that memory implements now and
// that are made for Redis (every method is one atomic step). Types only; this file is floor 0.
import type { ErrorInfo } from '../errors/error-info.js';
import type { OkOutcome } from '../errors/outcome.js';

/** Counts that span the batches of one run. */
export interface RunBudgets {
  /**
   * Takes one of `limit` from `key`; false when none is left. The count is forgotten `ttlMs`
   * milliseconds after its last use.
   */
  take(key: string, limit: number, ttlMs: number): Promise<boolean>;
}

/** Somebody executes the call, or did when its process ended: see `IdempotencyStore.begin`. */
export interface RunningRecord {
  readonly state: 'running';
  readonly argumentsHash: string;
  readonly owner: string;
}

/** The call was executed and its answer is final. */
export interface FinalRecord {
  readonly state: 'final';
  readonly argumentsHash: string;
  readonly owner: string;
  readonly answer: FinalAnswer;
}

export type FinalAnswer =
  | { readonly kind: 'ok'; readonly outcome: OkOutcome }
  | {
      readonly kind: 'failed';
      readonly info: ErrorInfo;
      readonly status: 'error' | 'declined';
    };

/** The call may have had its effect; nobody knows. */
export interface UnknownRecord {
  readonly state: 'unknown';
  readonly argumentsHash: string;
  readonly owner: string;
  /** What its caller was told; null where the executing process was lost. */
  readonly info: ErrorInfo | null;
  /** When it became unknown: epoch milliseconds (several processes share it). */
  readonly sinceEpochMs: number;
}

/** The call may have had its effect, and repeating it is safe: with the same arguments only. */
export interface RepeatableRecord {
  readonly state: 'repeatable';
  readonly argumentsHash: string;
  readonly owner: string;
}

/** How an execution ended. */
export type SettledRecord = FinalRecord | UnknownRecord | RepeatableRecord;

export type IdempotencyRecord = RunningRecord | SettledRecord;

/** One record per client, tool and key. Owners are unique per execution: a compare-and-set token. */
export interface IdempotencyStore {
  /**
   * Claims `key` for `owner`: resolves with undefined when it was free, or repeatable with the same
   * arguments, and is `running` from then on; else with the record that stands. A running record
   * whose lease has run out is turned into `unknown` (info null), never into a free key. Rejects
   * where nothing can be recorded: the call must not be executed then.
   */
  begin(
    key: string,
    argumentsHash: string,
    owner: string,
    leaseMs: number,
  ): Promise<IdempotencyRecord | undefined>;
  /** Replaces the record that `owner` holds and keeps the new one for `ttlMs`. */
  settle(key: string, owner: string, record: SettledRecord, ttlMs: number): Promise<void>;
  /** Takes the claim of `owner` back, for nothing was executed: what stood before stands again. */
  release(key: string, owner: string): Promise<void>;
}

/** Answers of read-only tools. */
export interface ResultCache {
  /** `space` names the tool, whose answers together stay below `maxBytes`. */
  get(space: string, key: string): Promise<OkOutcome | undefined>;
  set(
    space: string,
    key: string,
    outcome: OkOutcome,
    ttlMs: number,
    maxBytes: number,
  ): Promise<void>;
}

export interface StatePorts {
  readonly runBudgets: RunBudgets;
  readonly idempotency: IdempotencyStore;
  readonly cache: ResultCache;
}
