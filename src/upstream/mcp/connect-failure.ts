// Why no connection came about, without a word of the server's: its text goes no further than here.
import { ProtocolError, SdkError, SdkErrorCode } from '@modelcontextprotocol/client';
import type { Outcome } from '../../errors/outcome.js';
import type { LastExchange } from './http-fetch.js';
import { TokenError } from './oauth.js';
import type { ChildExit, HttpReply } from './reply.js';

/** A server that does not answer the revision probe is taken for an old one after this time. */
export const PROBE_TIMEOUT_MS = 5_000;

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
const TELLING_STATUSES = new Set([401, 403, 407, 429]);

/** Explains a failed handshake from the client's error and what the channel saw last. */
export function describeFailure(
  error: unknown,
  last: LastExchange | undefined,
  exit: ChildExit | undefined,
): ConnectFailure {
  if (last?.kind === 'failed') {
    if (last.error instanceof TokenError && last.error.refused) {
      const http = { kind: 'http', status: 401, headers: {}, body: '', truncated: false } as const;
      return { problem: 'connect_failed', error: last.error, http, probeOnly: false };
    }
    return { problem: 'connect_failed', error: toError(last.error), probeOnly: false };
  }
  const probeOnly = isProbeFailure(error);
  if (last !== undefined && last.status >= 300) {
    const refused = new Error(`the handshake was answered with HTTP ${last.status}`);
    const telling = TELLING_STATUSES.has(last.status);
    return {
      problem: 'initialize_failed',
      error: refused,
      http: last,
      probeOnly: probeOnly && !telling,
    };
  }
  if (isSystemError(error)) return { problem: 'connect_failed', error, probeOnly: false };
  if (exit !== undefined) {
    return { problem: 'initialize_failed', error: new Error('the child exited'), exit, probeOnly };
  }
  return { problem: 'initialize_failed', error: new Error(ownWords(error)), probeOnly };
}

/** The outcome of a call that found no connection. */
export function outcomeOf({ problem, error, http, exit }: ConnectFailure): Outcome {
  if (http !== undefined && TELLING_STATUSES.has(http.status)) {
    const { status, headers, body, truncated } = http;
    return { kind: 'response', status, headers, body, ...(truncated && { bodyTruncated: true }) };
  }
  return {
    kind: 'mcp-connection',
    problem,
    error,
    ...(typeof exit?.code === 'number' && { exitCode: exit.code }),
    ...(typeof exit?.signal === 'string' && { exitSignal: exit.signal }),
  };
}

function isProbeFailure(error: unknown): boolean {
  if (!(error instanceof SdkError)) return false;
  if (error.code === SdkErrorCode.EraNegotiationFailed) return true;
  const { timeout } = (error.data ?? {}) as { timeout?: unknown };
  return error.code === SdkErrorCode.RequestTimeout && timeout === PROBE_TIMEOUT_MS;
}

function isSystemError(error: unknown): error is Error {
  return error instanceof Error && typeof (error as NodeJS.ErrnoException).syscall === 'string';
}

function ownWords(error: unknown): string {
  if (error instanceof ProtocolError) return `the handshake got JSON-RPC error ${error.code}`;
  if (error instanceof SdkError) return `the handshake failed (${error.code})`;
  return 'the handshake failed';
}

function toError(error: unknown): Error {
  return error instanceof Error ? error : new Error('the exchange failed');
}
