// One attempt over HTTP: the exchange, and the two cases in which it goes on with another one — a
// redirect within the origin, and a connection that was dead before it was used.
import { abortOutcome, type Attempt } from '../../call.js';
import type { Outcome } from '../../errors/outcome.js';
import type { AnswerReader } from './answer.js';
import { Exchange, type Answer, type ExchangeOwner } from './exchange.js';
import type { Connection } from './connection.js';
import type { OriginPool } from './pools.js';
import { MAX_REDIRECTS, sameOriginPath } from './redirect.js';
import type { HttpRequest } from './request.js';

/** What a call needs of its tool, compiled. */
export interface HttpTool {
  readonly origin: string;
  readonly pool: OriginPool;
  readonly reader: AnswerReader;
  readonly idempotent: boolean;
  readonly followsRedirects: boolean;
}

const MISDIRECTED = 421;

export class HttpCall implements ExchangeOwner {
  readonly #tool: HttpTool;
  readonly #attempt: Attempt;
  #request: HttpRequest;
  #exchange: Exchange | undefined;
  #sentAfresh = false;
  #redirects = 0;

  private constructor(tool: HttpTool, request: HttpRequest, attempt: Attempt) {
    this.#tool = tool;
    this.#request = request;
    this.#attempt = attempt;
  }

  /** Sends the request and settles the attempt; at once when it is aborted. */
  static start(tool: HttpTool, request: HttpRequest, attempt: Attempt): void {
    if (attempt.aborted !== undefined) {
      attempt.settle(abortOutcome(attempt.aborted, attempt.phase));
      return;
    }
    const call = new HttpCall(tool, request, attempt);
    attempt.onAbort = (cause) => {
      call.#exchange?.abort();
      call.#done(abortOutcome(cause, attempt.phase));
    };
    call.#send(tool.pool.take());
  }

  #send(connection: Connection): void {
    this.#exchange = new Exchange(connection, this.#attempt, this.#tool.reader, this);
    this.#exchange.send(this.#request);
  }

  screened(outcome: Outcome): void {
    this.#done(outcome);
  }

  failed(error: Error, neverSent: boolean): void {
    // A request that was read and lost is the retry layer's: it counts what it repeats.
    if (neverSent && !this.#sentAfresh) this.#sendAfresh();
    else this.#done({ kind: 'transport', error, phase: this.#attempt.phase });
  }

  answered(answer: Answer): void {
    // RFC 9110 §15.5.20: a misdirected request may be repeated over another connection.
    if (answer.status === MISDIRECTED && !this.#sentAfresh) {
      this.#sendAfresh();
      return;
    }
    const path = this.#redirectPath(answer);
    if (path !== undefined) {
      this.#redirects++;
      this.#request = { ...this.#request, path };
      this.#attempt.ctx.effectMayHaveHappened = true;
      this.#send(this.#tool.pool.take());
      return;
    }
    try {
      const outcome = this.#tool.reader.read(answer);
      if (outcome instanceof Promise) void this.#await(outcome);
      else this.#done(outcome);
    } catch (error) {
      this.#broke(error);
    }
  }

  #redirectPath(answer: Answer): string | undefined {
    if (!this.#tool.followsRedirects || this.#redirects >= MAX_REDIRECTS) return undefined;
    return sameOriginPath(answer.status, answer.headers, this.#tool.origin, this.#request.path);
  }

  #sendAfresh(): void {
    this.#sentAfresh = true;
    this.#send(this.#tool.pool.open());
  }

  async #await(outcome: Promise<Outcome>): Promise<void> {
    try {
      this.#done(await outcome);
    } catch (error) {
      this.#broke(error);
    }
  }

  #done(outcome: Outcome): void {
    this.#attempt.onAbort = undefined;
    this.#attempt.settle(outcome);
  }

  /** A fault of ours while reading an answer; the deadline layer reports it. */
  #broke(error: unknown): void {
    this.#attempt.onAbort = undefined;
    this.#attempt.fail(error);
  }
}
