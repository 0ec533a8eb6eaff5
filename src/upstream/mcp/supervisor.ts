// Keeps at most one connection to a server: one handshake shared by all who wait for it, one new
// session for all who lost theirs, a new try with backoff when the connection is gone, a ping when
// it has been silent.
import { setTimeout as delay } from 'node:timers/promises';
import { Backoff } from './backoff.js';
import type { ConnectFailure } from './connect-failure.js';
import type { Connection } from './connection.js';
import type { ConnectResult, Lesson } from './handshake.js';
import type { ChildExit } from './reply.js';

/** A caller waits out a shorter backoff than this; before a longer one it fails at once. */
const PATIENCE_MS = 1_000;
const PING_AFTER_MS = 30_000;
const PING_TIMEOUT_MS = 10_000;
/** A connection that lived this long has proved itself. */
const PROVEN_MS = 10_000;
const PING_MAX_BYTES = 1_048_576;

export type Acquired =
  | { readonly ok: true; readonly connection: Connection }
  | { readonly ok: false; readonly failure: ConnectFailure };

export interface SupervisorDeps {
  readonly connect: (lesson: Lesson | undefined, signal: AbortSignal) => Promise<ConnectResult>;
  /** A handshake succeeded. */
  readonly onConnected: (connection: Connection) => void;
  /** A connection was lost that nobody had closed. */
  readonly onLost: (connection: Connection, exit: ChildExit | undefined) => void;
  readonly onFailed: (failure: ConnectFailure) => void;
  /** Whether a lost connection is made anew before somebody asks for it. */
  readonly reconnect: boolean;
}

export type ConnectionState = 'connected' | 'connecting' | 'disconnected' | 'failed';

/** One per server, for as long as it is configured. */
export class Supervisor {
  lastFailure: ConnectFailure | undefined;
  readonly #deps: SupervisorDeps;
  readonly #backoff = new Backoff();
  #current: Connection | undefined;
  #connecting: Promise<Acquired> | undefined;
  #lesson: Lesson | undefined;
  #retryTimer: NodeJS.Timeout | undefined;
  #pingTimer: NodeJS.Timeout | undefined;
  #connectedAt = 0;
  readonly #closing = new AbortController();

  constructor(deps: SupervisorDeps) {
    this.#deps = deps;
  }

  /** The live connection, for a caller that need not wait. */
  get current(): Connection | undefined {
    return this.#current;
  }

  get state(): ConnectionState {
    if (this.#current !== undefined) return 'connected';
    if (this.#connecting !== undefined) return 'connecting';
    return this.lastFailure === undefined ? 'disconnected' : 'failed';
  }

  /** A connection, made if need be. Never rejects; all who ask at once share one handshake. */
  acquire(): Promise<Acquired> {
    if (this.#current !== undefined) {
      return Promise.resolve({ ok: true, connection: this.#current });
    }
    this.#connecting ??= this.#connect().finally(() => {
      this.#connecting = undefined;
    });
    return this.#connecting;
  }

  /** A connection in place of one whose session the server no longer knows. */
  renew(stale: Connection): Promise<Acquired> {
    if (this.#current === stale) {
      this.#current = undefined;
      stale.retire();
    }
    return this.acquire();
  }

  /** A request could not even be connected: the next caller finds out how the server is. */
  unreachable(connection: Connection): void {
    if (this.#current !== connection) return;
    this.#current = undefined;
    connection.retire();
    this.proven();
    this.#backoff.failed();
    this.#scheduleRetry();
  }

  /** The connection has answered a call: what came before counts no more. */
  proven(): void {
    if (performance.now() - this.#connectedAt > PROVEN_MS) this.#backoff.succeeded();
  }

  async close(): Promise<void> {
    this.#closing.abort();
    clearTimeout(this.#retryTimer);
    clearInterval(this.#pingTimer);
    await this.#connecting;
    await this.#current?.close('polite');
    this.#current = undefined;
  }

  async #connect(): Promise<Acquired> {
    const { signal } = this.#closing;
    if (signal.aborted) return { ok: false, failure: CLOSED };
    clearTimeout(this.#retryTimer);
    const waitMs = this.#backoff.remainingMs;
    if (waitMs > PATIENCE_MS) {
      this.#scheduleRetry();
      return { ok: false, failure: this.lastFailure ?? LOST };
    }
    if (waitMs > 0) await delay(waitMs, undefined, { ref: false });
    const result = await this.#deps.connect(this.#lesson, signal);
    if (isClosed(signal)) return this.#tooLate(result);
    if (!result.ok) {
      this.#lesson = undefined;
      this.lastFailure = result.failure;
      this.#backoff.failed();
      this.#deps.onFailed(result.failure);
      this.#scheduleRetry();
      return result;
    }
    const { connection, lesson } = result;
    this.#lesson = lesson;
    this.lastFailure = undefined;
    this.#connectedAt = performance.now();
    connection.onClosed = (exit) => this.#lost(connection, exit);
    this.#current = connection;
    this.#startPing();
    this.#deps.onConnected(connection);
    // It may have gone while the handshake was being wound up.
    if (connection.closed) this.#lost(connection, connection.exit);
    return { ok: true, connection };
  }

  async #tooLate(result: ConnectResult): Promise<Acquired> {
    if (result.ok) await result.connection.close('silent');
    return { ok: false, failure: CLOSED };
  }

  #lost(connection: Connection, exit: ChildExit | undefined): void {
    if (this.#current !== connection) return;
    this.#current = undefined;
    if (this.#closing.signal.aborted) return;
    this.proven();
    this.#backoff.failed();
    this.#deps.onLost(connection, exit);
    void connection.close('silent');
    this.#scheduleRetry();
  }

  #scheduleRetry(): void {
    if (this.#closing.signal.aborted || !this.#deps.reconnect) return;
    clearTimeout(this.#retryTimer);
    const retry = (): void => void this.acquire();
    this.#retryTimer = setTimeout(retry, this.#backoff.remainingMs + 1).unref();
  }

  #startPing(): void {
    clearInterval(this.#pingTimer);
    this.#pingTimer = setInterval(() => void this.#ping(), PING_AFTER_MS).unref();
  }

  /** Only while nothing is under way: a busy single-threaded server is silent and well. */
  async #ping(): Promise<void> {
    const connection = this.#current;
    if (connection === undefined || connection.pendingRequests > 0) return;
    if (performance.now() - connection.lastHeardAt < PING_AFTER_MS / 2) return;
    const method = connection.modern ? 'server/discover' : 'ping';
    const ping = connection.request(method, {}, { maxBytes: PING_MAX_BYTES });
    const timer = setTimeout(() => connection.cancel(ping, 'ping timed out'), PING_TIMEOUT_MS);
    const { kind } = await ping.reply;
    clearTimeout(timer);
    if (kind !== 'result' && kind !== 'error') await connection.close('silent');
  }
}

/** Asked anew after a wait, which the compiler does not see. */
function isClosed(signal: AbortSignal): boolean {
  return signal.aborted;
}

const LOST: ConnectFailure = {
  problem: 'connect_failed',
  error: new Error('the connection was lost, and is not tried again yet'),
  probeOnly: false,
};

const CLOSED: ConnectFailure = {
  problem: 'connect_failed',
  error: new Error('the gateway is closing its connections'),
  probeOnly: false,
};
