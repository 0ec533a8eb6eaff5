// A connection, TLS or protocol error: finds the code in the error and its causes, and reads the
// table with the phase the attempt stood in.
import type { ErrorCode } from './catalogue.js';
import type { Effect } from './error-info.js';
import type { EffectCell } from './evidence-row.js';
import { mcpTwin } from './mcp-twin.js';
import type { Phase, TransportOutcome } from './outcome.js';
import { causeChain, codeOf, readProperty } from './thrown-facts.js';
import type { ClassifySubject } from './subject.js';
import { transportRow, transportRowByName, type TransportRow } from './transport-table.js';
import type { Verdict } from './verdict.js';

/** A code of the table, found in an error. */
export interface TransportMatch {
  readonly row: TransportRow;
  /** The error's code; undefined where only its name told. */
  readonly systemCode: string | undefined;
}

/** The words for the codes that people meet; the row's code speaks for the others. */
const REASONS: Readonly<Partial<Record<string, string>>> = {
  ECONNREFUSED: 'Connection refused',
  ECONNRESET: 'Connection reset',
  UND_ERR_SOCKET: 'The other side closed the connection',
  EPIPE: 'The other side closed the connection',
  ETIMEDOUT: 'The connection timed out',
  UND_ERR_CONNECT_TIMEOUT: 'Connecting timed out',
  UND_ERR_HEADERS_TIMEOUT: 'No response headers in time',
  UND_ERR_BODY_TIMEOUT: 'The response body stalled',
  ENOTFOUND: 'The host name does not exist',
  EAI_AGAIN: 'The host name could not be resolved for now',
  EHOSTUNREACH: 'The host is unreachable',
  ENETUNREACH: 'The network is unreachable',
  TOOLGATE_BLOCKED_ADDRESS: 'The address is not allowed',
};

const SENTENCES: Readonly<Partial<Record<ErrorCode, string>>> = {
  TOOL_CONNECTION_FAILED: 'The upstream could not be reached; the call was not sent',
  TOOL_TRANSPORT_ERROR: 'The connection to the upstream broke before an answer',
  TOOL_TIMEOUT: 'The upstream did not answer in time',
  TOOL_RESULT_TOO_LARGE: "The answer is over the tool's result limit",
  TOOL_RESULT_ERROR: 'The answer could not be decoded',
  RESOURCE_EXHAUSTED: 'The gateway is out of connections or memory for now',
  CONFIGURATION_ERROR: 'The upstream cannot be called as configured',
};

/** What a transport error means. */
export function transportVerdict(outcome: TransportOutcome, subject: ClassifySubject): Verdict {
  const match = findTransport(outcome.error);
  if (match === undefined) {
    return {
      code: 'UNMAPPED_FAILURE',
      reason: 'unmapped_failure',
      transient: false,
      effect: 'unknown',
      breaker: 'neutral',
      by: 'transport',
      message: 'The call failed in a way that nobody classified; it is taken as permanent.',
      details: { phase: outcome.phase },
    };
  }
  return matchVerdict(match, outcome.phase, subject);
}

/** The verdict of a code that was found. */
export function matchVerdict(
  { row, systemCode }: TransportMatch,
  phase: Phase,
  subject: ClassifySubject,
): Verdict {
  const code = beforeSending(phase) ? (row.whileConnecting ?? row.code) : row.code;
  const reason = transportReason(systemCode);
  const sentence = SENTENCES[code] ?? 'The call failed on its way';
  const details: Record<string, unknown> = { phase };
  if (systemCode !== undefined) details['system_code'] = systemCode;
  if (subject.kind === 'mcp' && reason !== undefined) details['reason'] = reason;
  return {
    code: subject.kind === 'mcp' ? mcpTwin(code) : code,
    transient: row.transient,
    effect: effectAt(row.effect, phase),
    breaker: row.breaker,
    by: 'transport',
    message: reason === undefined ? `${sentence}.` : `${sentence}. ${reason}.`,
    details,
  };
}

/**
 * The first code of the table among an error, its causes and its aggregated errors. undici's
 * wrapper codes give way to the system's own code inside them.
 */
export function findTransport(error: unknown): TransportMatch | undefined {
  let wrapper: TransportMatch | undefined;
  for (const node of causeChain(error)) {
    const match = matchNode(node);
    if (match === undefined) continue;
    if (match.systemCode !== undefined && !WRAPPERS.has(match.systemCode)) return match;
    wrapper ??= match;
  }
  return wrapper;
}

const WRAPPERS = new Set(['UND_ERR_SOCKET', 'UND_ERR_INFO']);

function matchNode(node: unknown): TransportMatch | undefined {
  const systemCode = codeOf(node);
  const byCode = systemCode === undefined ? undefined : transportRow(systemCode);
  if (byCode !== undefined) return { row: byCode, systemCode };
  const name = readProperty(node, 'name');
  const byName = typeof name === 'string' ? transportRowByName(name) : undefined;
  return byName === undefined ? undefined : { row: byName, systemCode: undefined };
}

/** The words for a system code; undefined where there are none. */
export function transportReason(systemCode: string | undefined): string | undefined {
  return systemCode === undefined ? undefined : REASONS[systemCode];
}

/** Queued or connecting: the upstream cannot have seen the call. */
export function beforeSending(phase: Phase): boolean {
  return phase === 'queued' || phase === 'connecting';
}

/** Resolves an effect that goes by phase. */
export function effectAt(cell: EffectCell, phase: Phase): Effect {
  if (cell !== 'phase') return cell;
  return beforeSending(phase) ? 'not_sent' : 'unknown';
}
