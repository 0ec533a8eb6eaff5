// One connection to an origin, one request at a time: an undici Client whose socket we know, so that
// an attempt can tear it down at any moment, and which is thrown away rather than mended.
import type { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import { Client, type Dispatcher } from 'undici';
import type { Connect } from './egress.js';

const OPTIONS: Client.Options = {
  pipelining: 1,
  // The attempt's timer is the only one; undici's are coarse and would beat long tools.
  headersTimeout: 0,
  bodyTimeout: 0,
  // Below the 5 s after which many servers close an idle connection.
  keepAliveTimeout: 4_000,
  keepAliveMaxTimeout: 60_000,
};

const CONNECT_ABORTED = new Error('The attempt ended while connecting.');

/** Who takes a connection back when its request has ended. */
export interface ConnectionOwner {
  /** It stands and may be used again. */
  released(connection: Connection): void;
  /** Its socket closed; it would connect anew. */
  disconnected(connection: Connection): void;
  destroyed(connection: Connection): void;
}

export class Connection {
  /** The socket that is connecting or connected. */
  socket: Socket | undefined;
  connected = false;
  readonly #client: Client;
  readonly #owner: ConnectionOwner;

  constructor(origin: string, connect: Connect, owner: ConnectionOwner) {
    this.#owner = owner;
    this.#client = new Client(origin, {
      ...OPTIONS,
      connect: (target, callback) => {
        this.connected = false;
        this.socket = connect(target, (...result) => {
          this.connected = result[0] === null;
          callback(...result);
        });
      },
    });
    this.#client.on('disconnect', () => {
      owner.disconnected(this);
    });
    // undici reports a handler that throws here. Ours do not, but an unheard 'error' ends a process.
    const emitter: EventEmitter = this.#client;
    emitter.on('error', () => undefined);
  }

  dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): void {
    this.#client.dispatch(options, handler);
  }

  /** The request has ended and the answer was read whole. */
  release(): void {
    this.#owner.released(this);
  }

  /**
   * Closes the socket at once, connecting or connected. undici's own abort would connect anew for
   * the request that was aborted.
   */
  destroy(): void {
    this.#owner.destroyed(this);
    // With an error, or nobody would hear of it: undici listens to 'error', not to 'close'.
    if (!this.connected) this.socket?.destroy(CONNECT_ABORTED);
    void this.#client.destroy();
  }

  /** Closes once its request, if there is one, has ended. */
  async close(): Promise<void> {
    await this.#client.close();
  }
}
