// The connections to one origin, shared by the tools that call it. A call never waits for one: the
// bulkhead decides how many there are, and a pool that did too would only queue out of sight.
import { Connection, type ConnectionOwner } from './connection.js';
import { createConnect, type Connect, type EgressPolicy } from './egress.js';

/** The connections to one origin. */
export class OriginPool implements ConnectionOwner {
  readonly #origin: string;
  readonly #connect: Connect;
  readonly #all = new Set<Connection>();
  /** The most recently used last, so that those of a burst long past go out of use and close. */
  readonly #idle: Connection[] = [];
  #closed = false;

  constructor(origin: string, connect: Connect) {
    this.#origin = origin;
    this.#connect = connect;
  }

  /** Connections that stand and wait for a call. */
  get idleCount(): number {
    return this.#idle.length;
  }

  /** An idle connection, or a new one. */
  take(): Connection {
    return this.#idle.pop() ?? this.open();
  }

  /** A connection that was never used. */
  open(): Connection {
    const connection = new Connection(this.#origin, this.#connect, this);
    this.#all.add(connection);
    // undici refuses what is sent over a closed one, and so the call learns it.
    if (this.#closed) void connection.close();
    return connection;
  }

  released(connection: Connection): void {
    this.#idle.push(connection);
  }

  disconnected(connection: Connection): void {
    if (this.#idle.includes(connection)) connection.destroy();
  }

  destroyed(connection: Connection): void {
    this.#all.delete(connection);
    const at = this.#idle.indexOf(connection);
    if (at !== -1) this.#idle.splice(at, 1);
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#idle.length = 0;
    await Promise.all(Array.from(this.#all, (connection) => connection.close()));
    this.#all.clear();
  }
}

/** All pools of a gateway, one per origin and egress policy. */
export class HttpPools {
  readonly #pools = new Map<string, OriginPool>();

  /** The pool of an origin (`https://api.example.com`). */
  get(origin: string, egress: EgressPolicy): OriginPool {
    const key = JSON.stringify([origin, egress.deny, egress.allow]);
    let pool = this.#pools.get(key);
    if (pool === undefined) {
      pool = new OriginPool(origin, createConnect(egress));
      this.#pools.set(key, pool);
    }
    return pool;
  }

  /** Closes idle connections at once and the others when their call has ended. */
  async close(): Promise<void> {
    await Promise.all(Array.from(this.#pools.values(), (pool) => pool.close()));
  }
}
