// From a failed handshake to why it failed, without a word of the server's: its text goes no
// further than here.
import { ProtocolError, SdkError, SdkErrorCode } from '@modelcontextprotocol/client';
import { type ConnectFailure, TELLING_STATUSES } from './connect-failure.js';
import type { LastExchange } from './http-fetch.js';
import { TokenError } from './oauth.js';
import type { ChildExit } from './reply.js';

/** A server that does not answer the revision probe is taken for an old one after this time. */
export const PROBE_TIMEOUT_MS = 5_000;

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
