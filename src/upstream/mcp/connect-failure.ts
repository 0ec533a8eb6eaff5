// Why no connection came about, and what that means for a call that wanted one.
import type { FailedOutcome } from '../../errors/outcome.js';
import type { ChildExit, HttpReply } from './reply.js';

export interface ConnectFailure {
  readonly problem: 'connect_failed' | 'initialize_failed';
  readonly error: Error;
  /** The HTTP answer that ended the handshake, where there was one. */
  readonly http?: HttpReply;
  readonly exit?: ChildExit;
  /** Only the probe for the newest revision failed: an old server may still be there. */
  readonly probeOnly: boolean;
}

/** Answers whose status says more than "no connection": who asks, and how often. */
export const TELLING_STATUSES = new Set([401, 403, 407, 429]);

/** The outcome of a call that found no connection. */
export function outcomeOf({ problem, error, http, exit }: ConnectFailure): FailedOutcome {
  if (http !== undefined && TELLING_STATUSES.has(http.status)) {
    const { status, headers, body, truncated } = http;
    return { kind: 'response', status, headers, body, ...(truncated && { bodyTruncated: true }) };
  }
  return {
    kind: 'mcp-connection',
    problem,
    error,
    ...(http !== undefined && { http: { status: http.status, headers: http.headers } }),
    ...(typeof exit?.code === 'number' && { exitCode: exit.code }),
    ...(typeof exit?.signal === 'string' && { exitSignal: exit.signal }),
  };
}
