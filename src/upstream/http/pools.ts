// One connection pool per origin, shared by the tools that call it. The pool never queues: it opens as
// many connections as there are calls, because the bulkhead decides and the pool must not.
import type { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import { Client, Pool, type Dispatcher } from 'undici';
import { createConnect, type Connect, type EgressPolicy } from './egress.js';

/** Dispatch options with a place where the connection that took the request makes itself known. */
export type TrackedOptions = Dispatcher.DispatchOptions & {
  readonly carrier: { connection: Connection | undefined };
};

const CONNECT_ABORTED = new Error('The attempt ended while connecting.');

/** One connection at a time, one request at a time. */
export class Connection extends Client {
  /** The socket that is connecting or connected. */
  socket: Socket | undefined;
  connected = false;
  /** Requests written to the present socket. */
  requests = 0;

  constructor(origin: URL, options: Client.Options, connect: Connect) {
    const self: { current?: Connection } = {};
    super(origin, {
      ...options,
      connect: (target, callback) => {
        self.current?.begin(connect, target, callback);
      },
    });
    self.current = this;
  }

  private begin(connect: Connect, ...[target, callback]: Parameters<Connect>): void {
    this.connected = false;
    this.requests = 0;
    this.socket = connect(target, (...result) => {
      this.connected = result[0] === null;
      this.socket = result[1] ?? undefined;
      callback(...result);
    });
  }

  override dispatch(
    options: Dispatcher.DispatchOptions,
    handler: Dispatcher.DispatchHandler,
  ): boolean {
    (options as TrackedOptions).carrier.connection = this;
    return super.dispatch(options, handler);
  }

  /** Gives up connecting; the pool forgets this connection. Does nothing once connected. */
  abortConnecting(): void {
    // With an error, or nobody would hear of it: undici listens to 'error', not to 'close'.
    if (!this.connected) this.socket?.destroy(CONNECT_ABORTED);
  }
}

/** The connections to one origin. */
export interface OriginPool {
  /** Any connection, an idle one first. */
  readonly shared: Dispatcher;
  /** A connection of its own, never used before. The caller destroys it. */
  fresh(): Connection;
}

/** All pools of a gateway, one per origin and egress policy. */
export class HttpPools {
  readonly #pools = new Map<string, OriginPool & { readonly shared: Pool }>();

  /** The pool of an origin (`https://api.example.com`), opened at first use. */
  get(origin: string, egress: EgressPolicy): OriginPool {
    const key = JSON.stringify([origin, egress.deny, egress.allow]);
    let pool = this.#pools.get(key);
    if (pool === undefined) {
      pool = openPool(origin, createConnect(egress));
      this.#pools.set(key, pool);
    }
    return pool;
  }

  /** Closes idle connections at once and the others when their call has ended. */
  async close(): Promise<void> {
    const pools = [...this.#pools.values()];
    this.#pools.clear();
    await Promise.all(pools.map(({ shared }) => shared.close()));
  }
}

function openPool(origin: string, connect: Connect): OriginPool & { readonly shared: Pool } {
  const options: Client.Options = {
    pipelining: 1,
    // The attempt's timer is the only one; undici's are coarse and would beat long tools.
    headersTimeout: 0,
    bodyTimeout: 0,
    // Below the 5 s after which many servers close an idle connection.
    keepAliveTimeout: 4_000,
    keepAliveMaxTimeout: 60_000,
  };
  const open = (url: URL): Connection => {
    const connection = new Connection(url, options, connect);
    // undici reports a handler that throws here. Ours do not, but an unheard 'error' ends a process.
    const emitter: EventEmitter = connection;
    emitter.on('error', () => undefined);
    return connection;
  };
  return {
    shared: new Pool(origin, { ...options, connections: null, factory: open }),
    fresh: () => open(new URL(origin)),
  };
}
