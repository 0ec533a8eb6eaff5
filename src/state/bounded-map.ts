// A map with a byte bound and a time to live: the memory behind every port.
import { ENTRY_OVERHEAD_BYTES } from './result-size.js';

interface Entry<V> {
  readonly value: V;
  readonly bytes: number;
  /** Epoch milliseconds. */
  readonly expiresAt: number;
}

/** So many entries are looked at for expired ones at a write, and when it is full: all, in turn. */
const SWEEP_PER_WRITE = 4;
const SWEEP_WHEN_FULL = 64;

export class BoundedMap<V> {
  readonly #entries = new Map<string, Entry<V>>();
  readonly #maxBytes: number;
  readonly #whenFull: 'drop_oldest' | 'refuse';
  #bytes = 0;
  #sweeper = this.#entries.entries();

  constructor(maxBytes: number, whenFull: 'drop_oldest' | 'refuse' = 'drop_oldest') {
    this.#maxBytes = maxBytes;
    this.#whenFull = whenFull;
  }

  get size(): number {
    return this.#entries.size;
  }

  get bytes(): number {
    return this.#bytes;
  }

  get(key: string): V | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    if (entry.expiresAt > Date.now()) return entry.value;
    this.delete(key);
    return undefined;
  }

  /** Keeps a value as the newest; false where it does not fit. */
  set(key: string, value: V, contentBytes: number, ttlMs: number): boolean {
    this.delete(key);
    const bytes = contentBytes + key.length + ENTRY_OVERHEAD_BYTES;
    if (bytes > this.#maxBytes) return false;
    this.#dropExpired(SWEEP_PER_WRITE);
    if (this.#bytes + bytes > this.#maxBytes && !this.#makeRoom(bytes)) return false;
    this.#entries.set(key, { value, bytes, expiresAt: Date.now() + ttlMs });
    this.#bytes += bytes;
    return true;
  }

  delete(key: string): void {
    const entry = this.#entries.get(key);
    if (entry === undefined) return;
    this.#entries.delete(key);
    this.#bytes -= entry.bytes;
  }

  /** Goes on where it stopped: behind those that are kept for long are others that are not. */
  #dropExpired(lookAt: number): void {
    const now = Date.now();
    for (let looked = 0; looked < lookAt; looked += 1) {
      const { done, value } = this.#sweeper.next();
      if (done === true) this.#sweeper = this.#entries.entries();
      else if (value[1].expiresAt <= now) this.delete(value[0]);
    }
  }

  #makeRoom(bytes: number): boolean {
    if (this.#whenFull === 'refuse') {
      this.#dropExpired(SWEEP_WHEN_FULL);
      return this.#bytes + bytes <= this.#maxBytes;
    }
    for (const key of this.#entries.keys()) {
      if (this.#bytes + bytes <= this.#maxBytes) break;
      this.delete(key);
    }
    return true;
  }
}
