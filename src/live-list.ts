// What is under way right now: everything enters and leaves once. A Set or a Map would do, but where
// entries come and go for good it makes a new table every few of them, and each table that was given
// up points to the next: once one is in V8's old generation, all that follow stay with it, and with
// them every request that was open meanwhile, until a full collection. A place here is used again.

export class LiveList<T> {
  readonly #entries: (T | undefined)[] = [];
  readonly #free: number[] = [];

  get size(): number {
    return this.#entries.length - this.#free.length;
  }

  /** Returns the place, to `remove` it by. */
  add(entry: T): number {
    const place = this.#free.pop() ?? this.#entries.length;
    this.#entries[place] = entry;
    return place;
  }

  /** Call it once for what `add` returned. */
  remove(place: number): void {
    this.#entries[place] = undefined;
    this.#free.push(place);
  }

  /** In no particular order. */
  *[Symbol.iterator](): Generator<T> {
    for (const entry of this.#entries) if (entry !== undefined) yield entry;
  }
}
