// Idempotency records in this process's memory. What protects from a second execution (running,
// unknown) is never dropped to make room: when there is none, nothing new is claimed. A record of a
// call that may be repeated only tells a conflict, so that it makes room as answers do.
import { BoundedMap } from './bounded-map.js';
import type {
  FinalRecord,
  IdempotencyRecord,
  IdempotencyStore,
  RepeatableRecord,
  RunningRecord,
  SettledRecord,
  UnknownRecord,
} from './ports.js';
import { resultBytes } from './result-size.js';

/** A record whose lease ran out becomes unknown and is kept this much longer. */
const ABANDONED_TTL_MS = 86_400_000;

interface Running {
  readonly record: RunningRecord;
  /** Epoch milliseconds. */
  readonly leaseUntil: number;
}

export class MemoryIdempotency implements IdempotencyStore {
  readonly #open: BoundedMap<Running | { readonly record: UnknownRecord }>;
  readonly #ended: BoundedMap<FinalRecord | RepeatableRecord>;

  /** @param maxBytes half of it for open records, half for those that ended. */
  constructor(maxBytes: number) {
    this.#open = new BoundedMap(maxBytes / 2, 'refuse');
    this.#ended = new BoundedMap(maxBytes / 2);
  }

  begin(
    key: string,
    argumentsHash: string,
    owner: string,
    leaseMs: number,
  ): Promise<IdempotencyRecord | undefined> {
    const held = this.#open.get(key);
    if (held !== undefined) return Promise.resolve(this.#standing(key, held));
    const ended = this.#ended.get(key);
    if (ended !== undefined && !isRepeatable(ended, argumentsHash)) return Promise.resolve(ended);
    const record: RunningRecord = { state: 'running', argumentsHash, owner };
    const leaseUntil = Date.now() + leaseMs;
    return this.#open.set(key, { record, leaseUntil }, 0, leaseMs + ABANDONED_TTL_MS)
      ? Promise.resolve(undefined)
      : Promise.reject(new Error('The idempotency store is full.'));
  }

  settle(key: string, owner: string, record: SettledRecord, ttlMs: number): Promise<void> {
    if (this.#open.get(key)?.record.owner !== owner) return Promise.resolve();
    if (record.state === 'unknown') this.#keepUnknown(key, record, ttlMs);
    else if (this.#ended.set(key, record, endedBytes(record), ttlMs)) this.#open.delete(key);
    // An answer larger than all the room: its key may not be free for that.
    else this.#keepUnknown(key, unknownSince(record, Date.now()), ttlMs);
    return Promise.resolve();
  }

  release(key: string, owner: string): Promise<void> {
    if (this.#open.get(key)?.record.owner === owner) this.#open.delete(key);
    return Promise.resolve();
  }

  /** Where the verdict finds no room, that it is unknown still does: in the place of its claim. */
  #keepUnknown(key: string, record: UnknownRecord, ttlMs: number): void {
    const fits = this.#open.set(key, { record }, JSON.stringify(record.info).length, ttlMs);
    if (!fits) this.#open.set(key, { record: { ...record, info: null } }, 0, ttlMs);
  }

  #standing(key: string, held: Running | { readonly record: UnknownRecord }): IdempotencyRecord {
    if (!('leaseUntil' in held) || held.leaseUntil > Date.now()) return held.record;
    const record = unknownSince(held.record, held.leaseUntil);
    this.#open.set(key, { record }, 0, ABANDONED_TTL_MS);
    return record;
  }
}

/** Without what its caller was told. */
function unknownSince(
  { argumentsHash, owner }: IdempotencyRecord,
  sinceEpochMs: number,
): UnknownRecord {
  return { state: 'unknown', argumentsHash, owner, info: null, sinceEpochMs };
}

function isRepeatable(record: FinalRecord | RepeatableRecord, argumentsHash: string): boolean {
  return record.state === 'repeatable' && record.argumentsHash === argumentsHash;
}

function endedBytes(record: FinalRecord | RepeatableRecord): number {
  if (record.state === 'repeatable') return 0;
  const { answer } = record;
  return answer.kind === 'ok'
    ? resultBytes(answer.outcome.result)
    : JSON.stringify(answer.info).length;
}
