// From what became of a `tools/call` to the outcome's facts. What they mean is the classifier's.
import type { Attempt } from '../../call.js';
import type { Outcome } from '../../errors/outcome.js';
import type { HttpReply, Reply } from './reply.js';
import { readResult, type ResultContract } from './result.js';
import { rpcErrorIn } from './session.js';

/** The outcome of a reply. A -32602 is still to be asked about (`toolListed`). */
export function outcomeOfReply(reply: Reply, contract: ResultContract, attempt: Attempt): Outcome {
  switch (reply.kind) {
    case 'result':
      return readResult(reply.result, reply.bytes, contract);
    case 'error': {
      const { code, message, data } = reply;
      return { kind: 'mcp-error', code, message, ...(data !== undefined && { data }) };
    }
    case 'http':
      return outcomeOfHttp(reply);
    case 'accepted':
      return { kind: 'mcp-connection', problem: 'accepted_without_answer' };
    case 'stream_ended':
      return { kind: 'mcp-connection', problem: 'stream_ended' };
    case 'not_json':
      return { kind: 'mcp-connection', problem: 'not_json' };
    case 'too_large':
      return {
        kind: 'result-too-large',
        limitBytes: contract.policy.maxBytes,
        sizeBytes: reply.sizeBytes,
      };
    case 'transport':
      return { kind: 'transport', error: reply.error, phase: reply.phase };
    case 'closed': {
      const { exit } = reply;
      if (exit === undefined) return { kind: 'mcp-connection', problem: 'stream_ended' };
      return {
        kind: 'mcp-connection',
        problem: 'child_exited',
        ...(exit.code !== null && { exitCode: exit.code }),
        ...(exit.signal !== null && { exitSignal: exit.signal }),
      };
    }
    case 'given_up':
      return outcomeOfAbort(attempt);
  }
}

/**
 * 400 and 404 with a JSON-RPC error are that error (MCP 2026-07-28 sends them so); every other
 * status speaks for itself.
 */
function outcomeOfHttp(reply: HttpReply): Outcome {
  const { status, headers, body, truncated } = reply;
  const rpc = status === 400 || status === 404 ? rpcErrorIn(reply) : undefined;
  if (rpc !== undefined) return { kind: 'mcp-error', ...rpc };
  return { kind: 'response', status, headers, body, ...(truncated && { bodyTruncated: true }) };
}

/** The outcome of an attempt that was stopped, by us or by the layer above. */
export function outcomeOfAbort({ aborted, phase }: Attempt): Outcome {
  if (aborted?.kind === 'timeout') {
    const { scope, timeoutMs } = aborted;
    return { kind: 'timeout', scope, phase, timeoutMs };
  }
  return { kind: 'cancelled', reason: aborted?.reason ?? 'shutdown', phase };
}
