// The connections to one origin, shared by the tools that call it. A call never waits for one: the
// bulkhead decides how many there are, and a pool that did too would only queue out of sight.
import { Connection, type ConnectionOwner } from './connection.js';
import { isDeepStrictEqual } from 'node:util';
import type { ToolDefinition } from '../../call.js';
import { createConnect, type Connect, type EgressPolicy } from './egress.js';
import { baseOf } from './url.js';

/** The connections to one origin. */
export class OriginPool implements ConnectionOwner {
  readonly #origin: string;
  #connect: Connect;
  readonly #all = new Set<Connection>();
  /** Connections that close when their call has ended. */
  readonly #outdated = new WeakSet<Connection>();
  /** The most recently used last, so that those of a burst long past go out of use and close. */
  readonly #idle: Connection[] = [];
  #retired = false;
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
    if (this.#retired || this.#outdated.has(connection)) connection.destroy();
    else this.#idle.push(connection);
  }

  /** Connects in this way from now on; no connection that stands is used for another call. */
  reconnect(connect: Connect): void {
    this.#connect = connect;
    for (const connection of this.#all) this.#outdated.add(connection);
    this.#closeIdle();
  }

  /** No tool of the present calls this origin: calls still in flight leave no connection behind. */
  retire(): void {
    this.#retired = true;
    this.#closeIdle();
  }

  #closeIdle(): void {
    for (const connection of [...this.#idle]) connection.destroy();
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

/** All pools of a gateway, one per origin; all of them dial what one egress policy allows. */
export class HttpPools {
  readonly #pools = new Map<string, OriginPool>();
  #egress: EgressPolicy;
  #connect: Connect;

  constructor(egress: EgressPolicy) {
    this.#egress = egress;
    this.#connect = createConnect(egress);
  }

  /** The pool of an origin (`https://api.example.com`). */
  get(origin: string): OriginPool {
    let pool = this.#pools.get(origin);
    if (pool === undefined) {
      pool = new OriginPool(origin, this.#connect);
      this.#pools.set(origin, pool);
    }
    return pool;
  }

  /** Puts another policy in place, for tools that stand as well. */
  useEgress(egress: EgressPolicy): void {
    if (isDeepStrictEqual(egress, this.#egress)) return;
    this.#egress = egress;
    this.#connect = createConnect(egress);
    for (const pool of this.#pools.values()) pool.reconnect(this.#connect);
  }

  /** Retires the pools that none of these tools calls. */
  keepFor(tools: readonly ToolDefinition[]): void {
    const origins = new Set(tools.map(originOf));
    for (const [origin, pool] of this.#pools) {
      if (origins.has(origin)) continue;
      this.#pools.delete(origin);
      pool.retire();
    }
  }

  /** Closes idle connections at once and the others when their call has ended. */
  async close(): Promise<void> {
    await Promise.all(Array.from(this.#pools.values(), (pool) => pool.close()));
  }
}

function originOf({ upstream }: ToolDefinition): string | undefined {
  try {
    return upstream.kind === 'http' ? baseOf(upstream.url).origin : undefined;
  } catch {
    // A tool that cannot be built has no pool.
    return undefined;
  }
}
