// Whether an HTTP answer says that the server has lost our session: the call was not executed, so
// it is sent again on a new session, whatever the tool does.
import type { HttpReply } from './reply.js';

const SESSION_WORDS =
  /\b(?:no|unknown|invalid|expired|missing|unrecogni[sz]ed|stale)\b[^.]{0,30}\bsession\b|\bsession\b[^.]{0,40}\b(?:not (?:found|valid|recogni[sz]ed)|no longer|does(?: not|n't) exist|expired|terminated|closed|unknown|invalid)\b|\bserver not initiali[sz]ed\b/i;

/** A JSON-RPC error object in an HTTP error body. */
export interface RpcErrorBody {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

/** Reads a JSON-RPC error out of an error body; undefined when there is none. */
export function rpcErrorIn({ body, truncated }: HttpReply): RpcErrorBody | undefined {
  if (truncated || !body.includes('"error"')) return undefined;
  let parsed: unknown;
  try {
    parsed = JSON.parse(body);
  } catch {
    return undefined;
  }
  const { error } = (parsed ?? {}) as { error?: unknown };
  const { code, message, data } = (error ?? {}) as Record<string, unknown>;
  if (typeof code !== 'number') return undefined;
  return {
    code,
    message: typeof message === 'string' ? message : '',
    ...(data !== undefined && { data }),
  };
}

const METHOD_NOT_FOUND = -32601;
/** Of a tool that has an argument called session. */
const INVALID_PARAMS = -32602;

/**
 * MCP 2025-03-26, Streamable HTTP, "Session Management": 404 to a request that carried a session
 * id; some servers say 400. Since 2026-07-28 a 404 with -32601 says that the method is unknown.
 */
export function isSessionLost(reply: HttpReply, hadSession: boolean): boolean {
  if (!hadSession) return false;
  if (reply.status === 404) return rpcErrorIn(reply)?.code !== METHOD_NOT_FOUND;
  if (reply.status !== 400 || rpcErrorIn(reply)?.code === INVALID_PARAMS) return false;
  return SESSION_WORDS.test(reply.body);
}
