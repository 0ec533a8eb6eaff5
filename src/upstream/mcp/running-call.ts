// One attempt at one `tools/call`: waits for a connection, sends, recovers once from a lost session,
// and lets go at once when the attempt is stopped.
import type { Attempt, JsonObject, ResolvedCall } from '../../call.js';
import type { Outcome } from '../../errors/outcome.js';
import { keyInHeader } from '../http/request-headers.js';
import { outcomeOf } from './connect-failure.js';
import type { Connection, RequestOptions } from './connection.js';
import { outcomeOfAbort, outcomeOfReply } from './evidence.js';
import { IdleTimer } from './idle-timer.js';
import { buildParamHeaders, type ParamHeader } from './param-headers.js';
import type { PendingRequest } from './pending.js';
import { readProgress } from './progress.js';
import type { Reply } from './reply.js';
import type { ResultContract } from './result.js';
import { isSessionLost } from './session.js';
import type { Supervisor } from './supervisor.js';
import type { ToolCatalogue } from './tool-catalogue.js';

const INVALID_PARAMS = -32602;

/** What all calls of one tool share; built when the configuration loads. */
export interface ToolSetup {
  readonly remoteName: string;
  readonly contract: ResultContract;
  /** The largest answer that is read, bytes. */
  readonly readLimitBytes: number;
  readonly idempotencyHeader: string | undefined;
  readonly paramHeaders: readonly ParamHeader[];
  readonly idleTimeoutMs: number;
  readonly supervisor: Supervisor;
  readonly catalogue: ToolCatalogue;
  readonly scrub: (text: string) => string;
}

export class RunningCall {
  readonly #setup: ToolSetup;
  readonly #call: ResolvedCall;
  readonly #attempt: Attempt;
  #sent: { readonly connection: Connection; readonly pending: PendingRequest } | undefined;
  #stopWaiting: (() => void) | undefined;

  constructor(setup: ToolSetup, call: ResolvedCall, attempt: Attempt) {
    this.#setup = setup;
    this.#call = call;
    this.#attempt = attempt;
  }

  /** Never rejects; resolves promptly once the attempt is stopped. */
  async run(): Promise<Outcome> {
    const attempt = this.#attempt;
    if (attempt.aborted !== undefined) return outcomeOfAbort(attempt);
    attempt.phase = 'connecting';
    attempt.onAbort = () => this.#stop();
    const outcome = await this.#execute();
    attempt.onAbort = undefined;
    return outcome ?? outcomeOfAbort(attempt);
  }

  /** Undefined once the attempt was stopped. */
  async #execute(): Promise<Outcome | undefined> {
    const { supervisor } = this.#setup;
    const { current } = supervisor;
    const first =
      current === undefined
        ? await this.#waitFor(supervisor.acquire())
        : ({ ok: true, connection: current } as const);
    if (first === undefined) return undefined;
    if (!first.ok) return outcomeOf(first.failure);
    const reply = await this.#exchange(first.connection);
    if (reply.kind !== 'http' || !isLost(reply, first.connection)) {
      return this.#conclude(reply, first.connection);
    }
    // The server did not execute it: it does not know the session any more.
    this.#attempt.phase = 'connecting';
    const second = await this.#waitFor(supervisor.renew(first.connection));
    if (second === undefined) return undefined;
    return second.ok ? this.#secondTry(second.connection) : outcomeOf(second.failure);
  }

  async #secondTry(connection: Connection): Promise<Outcome | undefined> {
    const reply = await this.#exchange(connection);
    if (reply.kind !== 'http' || !isLost(reply, connection)) {
      return this.#conclude(reply, connection);
    }
    return { kind: 'mcp-connection', problem: 'session_lost' };
  }

  async #exchange(connection: Connection): Promise<Reply> {
    const attempt = this.#attempt;
    const idle = new IdleTimer(this.#setup.idleTimeoutMs, attempt);
    const params = { name: this.#setup.remoteName, arguments: this.#call.arguments };
    const pending = connection.request('tools/call', params, {
      ...this.#requestOptions(connection),
      onPhase: (phase) => {
        attempt.phase = phase;
      },
      onProgress: (progress) => {
        idle.restart();
        attempt.ctx.onProgress?.(readProgress(progress, this.#setup.scrub));
      },
    });
    this.#sent = { connection, pending };
    idle.restart();
    const reply = await pending.reply;
    idle.stop();
    this.#sent = undefined;
    return reply;
  }

  #requestOptions(connection: Connection): RequestOptions {
    const { readLimitBytes, idempotencyHeader, paramHeaders } = this.#setup;
    const { ctx, traceparent } = this.#attempt;
    const { idempotencyKey, arguments: args } = this.#call;
    const meta: JsonObject = traceparent === undefined ? {} : { traceparent };
    const shared = { maxBytes: readLimitBytes, meta, wantProgress: true };
    if (connection.kind === 'stdio') {
      // A key that has no header to go in is not sent, and nothing may be built on it.
      ctx.keySent = false;
      return shared;
    }
    const headers: Record<string, string> = { ...ctx.forwardHeaders };
    if (traceparent !== undefined) headers['traceparent'] = traceparent;
    if (idempotencyHeader !== undefined && idempotencyKey !== undefined) {
      headers[idempotencyHeader.toLowerCase()] = keyInHeader(idempotencyKey);
    }
    if (connection.mirrorsParameters && paramHeaders.length > 0) {
      Object.assign(headers, buildParamHeaders(paramHeaders, args));
    }
    return { ...shared, headers };
  }

  async #conclude(reply: Reply, connection: Connection): Promise<Outcome | undefined> {
    const { supervisor, catalogue, contract, remoteName } = this.#setup;
    if (reply.kind === 'given_up') return undefined;
    if (reply.kind === 'result' || reply.kind === 'error') supervisor.proven();
    if (reply.kind === 'transport' && reply.phase === 'connecting') {
      supervisor.unreachable(connection);
    }
    const outcome = outcomeOfReply(reply, contract, this.#attempt);
    if (outcome.kind !== 'mcp-error' || outcome.code !== INVALID_PARAMS) return outcome;
    const listed = await this.#waitFor(catalogue.isOffered(remoteName, connection));
    return listed === undefined ? outcome : { ...outcome, toolListed: listed };
  }

  /** Waits for something that others share; undefined when the attempt is stopped before. */
  #waitFor<T>(shared: Promise<T>): Promise<T | undefined> {
    return new Promise((resolve) => {
      this.#stopWaiting = () => resolve(undefined);
      void shared.then(resolve);
    });
  }

  #stop(): void {
    const { aborted } = this.#attempt;
    this.#stopWaiting?.();
    this.#sent?.connection.cancel(
      this.#sent.pending,
      aborted?.kind === 'timeout' ? 'timeout' : 'cancelled',
    );
  }
}

function isLost(reply: Extract<Reply, { kind: 'http' }>, connection: Connection): boolean {
  return isSessionLost(reply, connection.sessionId !== undefined);
}
