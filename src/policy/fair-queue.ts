// A queue that serves clients in turn, so that one client's hundred waiting calls do not stand
// before another's one. Every operation is O(1), but for finding who holds
// most, which looks at every waiting client.

/** One place in the queue. */
export interface Place<T> {
  readonly value: T;
  readonly line: ClientLine<T>;
  before: Place<T> | undefined;
  after: Place<T> | undefined;
  queued: boolean;
}

/** One client's places, first come first served, and its neighbours in the round. */
interface ClientLine<T> {
  readonly client: string;
  head: Place<T> | undefined;
  tail: Place<T> | undefined;
  length: number;
  previous: ClientLine<T>;
  next: ClientLine<T>;
}

export class FairQueue<T> {
  readonly #lines = new Map<string, ClientLine<T>>();
  /** The client whose turn it is. */
  #current: ClientLine<T> | undefined;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** How many places a client holds. */
  heldBy(client: string): number {
    return this.#lines.get(client)?.length ?? 0;
  }

  push(client: string, value: T): Place<T> {
    const line = this.#lines.get(client) ?? this.#join(client);
    const place: Place<T> = { value, line, before: line.tail, after: undefined, queued: true };
    if (line.tail === undefined) line.head = place;
    else line.tail.after = place;
    line.tail = place;
    line.length += 1;
    this.#size += 1;
    return place;
  }

  /** The next in turn; undefined when nobody waits. */
  shift(): T | undefined {
    const line = this.#current;
    const place = line?.head;
    if (line === undefined || place === undefined) return undefined;
    this.#current = line.next;
    this.remove(place);
    return place.value;
  }

  /** Takes a place out, wherever it stands. */
  remove(place: Place<T>): void {
    if (!place.queued) return;
    place.queued = false;
    const { line, before, after } = place;
    if (before === undefined) line.head = after;
    else before.after = after;
    if (after === undefined) line.tail = before;
    else after.before = before;
    line.length -= 1;
    this.#size -= 1;
    if (line.length === 0) this.#leave(line);
  }

  /**
   * The newest place of the client that holds most, where it holds at least two more than `client`;
   * else undefined. Making room there keeps one client from holding the whole queue.
   */
  displaceable(client: string): Place<T> | undefined {
    let most = this.heldBy(client) + 1;
    // Where everybody holds one place there is nothing to look for.
    if (this.#size === this.#lines.size) return undefined;
    let place: Place<T> | undefined;
    for (const { length, tail } of this.#lines.values()) {
      if (length <= most) continue;
      most = length;
      place = tail;
    }
    return place;
  }

  #join(client: string): ClientLine<T> {
    const line = { client, head: undefined, tail: undefined, length: 0 } as ClientLine<T>;
    const current = this.#current;
    if (current === undefined) {
      line.previous = line;
      line.next = line;
      this.#current = line;
    } else {
      // Behind everybody who is already in the round.
      line.next = current;
      line.previous = current.previous;
      current.previous.next = line;
      current.previous = line;
    }
    this.#lines.set(client, line);
    return line;
  }

  #leave(line: ClientLine<T>): void {
    this.#lines.delete(line.client);
    if (line.next === line) {
      this.#current = undefined;
      return;
    }
    line.previous.next = line.next;
    line.next.previous = line.previous;
    if (this.#current === line) this.#current = line.next;
  }
}
