// MCP evidence: taxonomy.md "MCP", row by row. Results with `isError`, JSON-RPC errors, and what
// became of the connection. The revision is 2025-06-18 unless a row says otherwise.
import type { ErrorCode } from './catalogue.js';
import { row, type EvidenceRow } from './evidence-row.js';
import { dig, stringAt } from './json-fields.js';
import type { McpConnectionOutcome, McpErrorOutcome, McpResultOutcome } from './outcome.js';
import { readRetryHint } from './retry-after.js';
import type { ClassifySubject } from './subject.js';
import { reportedTransient } from './text.js';
import { causeChain, readProperty, readThrown, statusOf } from './thrown-facts.js';
import { findTransport, transportReason } from './transport.js';
import { sayWith, type Verdict } from './verdict.js';

// prettier-ignore
const RESULTS = {
  is_error:            row(['TOOL_EXECUTION_FAILED', 'no',  'completed', 'S']),
  input_required:      row(['TOOL_INPUT_REQUIRED',   'no',  'completed', 'S']),
  unknown_result_type: row(['TOOL_RESULT_ERROR',     'no',  'unknown',   'F']),
  not_a_result:        row(['TOOL_RESULT_ERROR',     'no',  'unknown',   'F']),
} as const satisfies Record<McpResultOutcome['problem'], EvidenceRow>;

// prettier-ignore
const CONNECTIONS = {
  connect_failed:          row(['MCP_CONNECTION_FAILED', 'yes', 'not_sent', 'F']),
  initialize_failed:       row(['MCP_CONNECTION_FAILED', 'yes', 'not_sent', 'F']),
  session_lost:            row(['MCP_CONNECTION_FAILED', 'yes', 'not_sent', 'F']),
  stream_ended:            row(['MCP_TRANSPORT_ERROR',   'yes', 'unknown',  'F']),
  accepted_without_answer: row(['MCP_TRANSPORT_ERROR',   'yes', 'unknown',  'F']),
  child_exited:            row(['MCP_TRANSPORT_ERROR',   'yes', 'unknown',  'F']),
  not_json:                row(['MCP_TRANSPORT_ERROR',   'no',  'unknown',  'F']),
} as const satisfies Record<McpConnectionOutcome['problem'], EvidenceRow>;

/** JSON-RPC codes with a meaning of their own; every other one is `application`. */
// prettier-ignore
const JSON_RPC = {
  '-32700': row(['MCP_SERVER_ERROR',    'no',  'completed', 'S']), // parse error
  '-32600': row(['MCP_SERVER_ERROR',    'no',  'completed', 'S']), // invalid request
  '-32601': row(['CONFIGURATION_ERROR', 'no',  'completed', 'N']), // method not found
  '-32602': row(['TOOL_ARGUMENT_ERROR', 'no',  'completed', 'S']), // invalid params, the tool listed
  '-32603': row(['MCP_SERVER_ERROR',    'yes', 'unknown',   'F']), // internal error
  '-32042': row(['TOOL_INPUT_REQUIRED', 'no',  'completed', 'S']), // URL elicitation required
  '-32021': row(['TOOL_INPUT_REQUIRED', 'no',  'completed', 'S']), // missing client capability
} as const satisfies Record<string, EvidenceRow>;

const UNLISTED_TOOL = row(['TOOL_NOT_FOUND', 'no', 'completed', 'S']); // -32602, the tool not listed
const APPLICATION = row(['MCP_SERVER_ERROR', 'no', 'unknown', 'N']); // -32000..-32019 and others
const CREDENTIAL = row(['UPSTREAM_AUTH_FAILED', 'no', 'not_sent', 'N']);
const UNUSABLE_CONNECTION = row(['CONFIGURATION_ERROR', 'no', 'not_sent', 'N']);

const RESULT_LEADS: Readonly<Record<McpResultOutcome['problem'], string>> = {
  is_error: 'The tool reported an error',
  input_required: 'The tool needs more input from the user',
  unknown_result_type: "The MCP server's answer has an unknown result type",
  not_a_result: "The MCP server's answer is no tool result",
};

const CONNECTION_REASONS: Readonly<Record<McpConnectionOutcome['problem'], string>> = {
  connect_failed: 'Connecting failed',
  initialize_failed: 'Initialisation failed',
  session_lost: 'The session was lost twice',
  stream_ended: 'The response stream ended without an answer',
  accepted_without_answer: 'The server accepted the request but gave no answer',
  child_exited: "The server's process ended",
  not_json: 'The answer is not JSON',
};

/** A `tools/call` result that is no success. Its text counts as prose, and only where idempotent. */
export function mcpResultVerdict(outcome: McpResultOutcome, subject: ClassifySubject): Verdict {
  const base = RESULTS[outcome.problem];
  const spoken =
    outcome.problem === 'is_error' && subject.idempotent
      ? reportedTransient(outcome.text)
      : undefined;
  const structured = outcome.structuredContent;
  return {
    ...base,
    ...(spoken !== undefined && { code: spoken, transient: true, prose: true }),
    by: spoken === undefined ? 'mcp' : 'text',
    message: sayWith(RESULT_LEADS[outcome.problem], outcome.text, subject),
    details: structured === undefined ? undefined : { content: subject.scrubber.value(structured) },
  };
}

/** A JSON-RPC error. */
export function mcpErrorVerdict(outcome: McpErrorOutcome, subject: ClassifySubject): Verdict {
  const listed = (JSON_RPC as Readonly<Partial<Record<string, EvidenceRow>>>)[String(outcome.code)];
  const unlistedTool = outcome.code === -32602 && outcome.toolListed === false;
  const chosen = unlistedTool ? UNLISTED_TOOL : (listed ?? APPLICATION);
  return {
    ...chosen,
    by: 'mcp',
    message: sayWith(rpcLead(chosen.code), outcome.message, subject),
    details: {
      upstream_code: outcome.code,
      ...(chosen.code === 'TOOL_ARGUMENT_ERROR' && { validation_type: 'arguments' }),
      ...inputRequest(outcome, chosen.code, subject),
    },
  };
}

/** What became of the connection. A cause that is the configuration's fault is said to be so. */
export function mcpConnectionVerdict(
  outcome: McpConnectionOutcome,
  subject: ClassifySubject,
): Verdict {
  const { row: chosen, systemCode } = connectionRow(outcome);
  const { http } = outcome;
  return {
    ...chosen,
    by: 'mcp',
    hint: http === undefined ? undefined : readRetryHint({ ...http, json: undefined }),
    refusedBeforeExecution: outcome.problem === 'session_lost',
    message: `${connectionLead(chosen.code)}. ${CONNECTION_REASONS[outcome.problem]}.`,
    details: {
      reason: transportReason(systemCode) ?? CONNECTION_REASONS[outcome.problem],
      ...(http !== undefined && { upstream_status: http.status }),
      ...(systemCode !== undefined && { system_code: systemCode }),
      ...(outcome.exitCode !== undefined && { exit_code: outcome.exitCode }),
      ...(outcome.exitSignal !== undefined && {
        exit_signal: subject.scrubber.text(outcome.exitSignal, 32),
      }),
    },
  };
}

/** A JSON-RPC error in the body of a 400 or 404: it says more than the status. */
export function mcpHttpVerdict(
  status: number,
  body: unknown,
  subject: ClassifySubject,
): Verdict | undefined {
  if (status !== 400 && status !== 404) return undefined;
  const code = dig(body, ['error', 'code']);
  if (stringAt(body, 'jsonrpc') === undefined || typeof code !== 'number') return undefined;
  if (status === 404 && code === -32001) {
    return mcpConnectionVerdict({ kind: 'mcp-connection', problem: 'session_lost' }, subject);
  }
  const message = stringAt(body, 'error', 'message') ?? '';
  const verdict = mcpErrorVerdict({ kind: 'mcp-error', code, message }, subject);
  return { ...verdict, details: { upstream_status: status, ...verdict.details } };
}

function connectionRow(outcome: McpConnectionOutcome): {
  row: EvidenceRow;
  systemCode: string | undefined;
} {
  const listed = CONNECTIONS[outcome.problem];
  const connecting =
    outcome.problem === 'connect_failed' || outcome.problem === 'initialize_failed';
  const match = outcome.error === undefined ? undefined : findTransport(outcome.error);
  const systemCode = match?.systemCode;
  if (!connecting) return { row: listed, systemCode };
  if (match?.row.code === 'CONFIGURATION_ERROR') return { row: UNUSABLE_CONNECTION, systemCode };
  if (match?.row.transient === false) return { row: { ...listed, transient: false }, systemCode };
  return { row: isUnauthorised(outcome.error) ? CREDENTIAL : listed, systemCode };
}

/** MCP clients throw the status as `code`, or an UnauthorizedError. */
function isUnauthorised(error: unknown): boolean {
  return causeChain(error).some((node) => {
    const status = statusOf(node) ?? readProperty(node, 'code');
    return (
      status === 401 || status === 403 || readThrown(node).typeNames.includes('UnauthorizedError')
    );
  });
}

/** Where a user must be sent (`data.elicitations`), scrubbed. */
function inputRequest(
  outcome: McpErrorOutcome,
  code: ErrorCode,
  subject: ClassifySubject,
): Record<string, unknown> {
  if (code !== 'TOOL_INPUT_REQUIRED' || outcome.data === undefined) return {};
  return { input_request: subject.scrubber.value(outcome.data) };
}

function rpcLead(code: ErrorCode): string {
  switch (code) {
    case 'TOOL_ARGUMENT_ERROR':
      return 'The MCP server found the arguments invalid';
    case 'TOOL_NOT_FOUND':
      return 'The MCP server no longer has this tool';
    case 'TOOL_INPUT_REQUIRED':
      return 'The tool needs more input from the user';
    case 'CONFIGURATION_ERROR':
      return 'The MCP server does not know the method';
    default:
      return 'The MCP server answered with an error';
  }
}

function connectionLead(code: ErrorCode): string {
  switch (code) {
    case 'MCP_TRANSPORT_ERROR':
      return 'The connection to the MCP server broke before an answer';
    case 'UPSTREAM_AUTH_FAILED':
      return "The MCP server did not accept the gateway's credential";
    default:
      return 'The MCP server could not be reached; the call was not sent';
  }
}
