// A map with a byte bound and a time to live: the memory behind every port.
import { ENTRY_OVERHEAD_BYTES } from './result-size.js';

interface Entry<V> {
  readonly value: V;
  readonly bytes: number;
  /** Epoch milliseconds. */
  readonly expiresAt: number;
}

/** Expired entries are looked for at the old end: this many at a write, and when it is full. */
const SWEEP_PER_WRITE = 4;
const SWEEP_WHEN_FULL = 64;

export class BoundedMap<V> {
  readonly #entries = new Map<string, Entry<V>>();
  readonly #maxBytes: number;
  readonly #whenFull: 'drop_oldest' | 'refuse';
  #bytes = 0;

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

  #dropExpired(lookAt: number): void {
    const now = Date.now();
    let looked = 0;
    for (const [key, { expiresAt }] of this.#entries) {
      if (expiresAt <= now) this.delete(key);
      looked += 1;
      if (looked >= lookAt) return;
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
