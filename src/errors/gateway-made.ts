// What the gateway itself decided: taxonomy.md "Made by the gateway", row by row. The evidence is
// our own, so nothing here is guessed.
import { row, type EffectCell, type EvidenceRow } from './evidence-row.js';
import type { FailedOutcome, TimeoutOutcome, TimeoutScope } from './outcome.js';
import type { ClassifySubject } from './subject.js';
import { beforeSending, effectAt } from './transport.js';
import { MAX_MESSAGE_CHARS, type Verdict } from './verdict.js';

type GatewayKind =
  | 'unknown-tool'
  | 'not-permitted'
  | 'invalid-arguments'
  | 'invalid-call'
  | 'rate-limited'
  | 'circuit-open'
  | 'bulkhead-full'
  | 'idempotency-conflict'
  | 'dependency-failed'
  | 'misconfigured'
  | 'internal'
  | 'cancelled'
  | 'timeout'
  | 'result-invalid'
  | 'result-too-large';

export type GatewayOutcome = Extract<FailedOutcome, { kind: GatewayKind }>;

// prettier-ignore
const ROWS = {
  'unknown-tool':         row(['TOOL_NOT_FOUND',        'no',  'not_sent',  'N']),
  'not-permitted':        row(['TOOL_NOT_PERMITTED',    'no',  'not_sent',  'N']),
  'invalid-arguments':    row(['TOOL_ARGUMENT_ERROR',   'no',  'not_sent',  'N']),
  'invalid-call':         row(['TOOL_ARGUMENT_ERROR',   'no',  'not_sent',  'N']),
  'rate-limited':         row(['TOOL_RATE_LIMITED',     'yes', 'not_sent',  'N']),
  'circuit-open':         row(['TOOL_CIRCUIT_OPEN',     'yes', 'not_sent',  'N']),
  'bulkhead-full':        row(['BULKHEAD_FULL',         'yes', 'not_sent',  'N']),
  'idempotency-conflict': row(['IDEMPOTENCY_CONFLICT',  'no',  'not_sent',  'N']),
  'dependency-failed':    row(['DEPENDENCY_FAILED',     'no',  'not_sent',  'N']),
  misconfigured:          row(['CONFIGURATION_ERROR',   'no',  'not_sent',  'N']),
  internal:               row(['INTERNAL_ERROR',        'no',  'unknown',   'N']),
  cancelled:              row(['TOOL_CANCELLED',        'no',  'phase',     'N']),
  timeout:                row(['TOOL_TIMEOUT',          'yes', 'phase',     'F']), // N in our own queue
  'result-invalid':       row(['TOOL_RESULT_ERROR',     'no',  'completed', 'S']),
  'result-too-large':     row(['TOOL_RESULT_TOO_LARGE', 'no',  'completed', 'S']),
} as const satisfies Record<GatewayKind, EvidenceRow<EffectCell>>;

/** What an outcome's own data adds to its row, or puts in its place. */
type Said = Pick<Verdict, 'message' | 'details' | 'hint'> &
  Partial<Pick<Verdict, 'code' | 'effect' | 'breaker'>>;

/** What one of the gateway's own decisions means. */
export function gatewayVerdict(outcome: GatewayOutcome, subject: ClassifySubject): Verdict {
  const chosen = ROWS[outcome.kind];
  const said = say(outcome, subject);
  return {
    code: said.code ?? chosen.code,
    transient: chosen.transient,
    effect: said.effect ?? (chosen.effect === 'phase' ? 'unknown' : chosen.effect),
    breaker: said.breaker ?? chosen.breaker,
    by: 'gateway',
    message: said.message,
    details: said.details,
    hint: said.hint,
  };
}

function say(outcome: GatewayOutcome, subject: ClassifySubject): Said {
  const { scrubber } = subject;
  switch (outcome.kind) {
    case 'unknown-tool':
      return {
        message: unknownToolMessage(subject, outcome.suggestions),
        details: {
          available_tools: outcome.availableTools.slice(0, 20),
          suggestions: outcome.suggestions.slice(0, 3),
        },
      };
    case 'not-permitted':
      return { message: 'This caller may not use this tool.' };
    case 'invalid-arguments':
      return {
        message: faultMessage('The arguments do not match the tool', outcome.errors, subject),
        details: { validation_type: 'arguments', errors: scrubber.value(outcome.errors) },
      };
    case 'invalid-call':
      return {
        message: faultMessage('The call is not valid', outcome.errors, subject),
        details: { validation_type: 'call', errors: scrubber.value(outcome.errors) },
      };
    case 'rate-limited':
      return {
        message:
          outcome.scope === 'cooldown'
            ? 'The upstream asked for a pause; calls to this tool wait until it is over.'
            : `The gateway's rate limit of this ${outcome.scope} was reached.`,
        hint: { ms: outcome.retryAfterMs, source: 'gateway' },
        details: {
          scope: outcome.scope,
          ...(outcome.limit !== null && { limit: outcome.limit }),
        },
      };
    case 'circuit-open':
      return {
        message:
          outcome.byOperator === true
            ? 'An operator stopped calls to the tool for now.'
            : `The tool failed ${outcome.failureCount} times lately and is given time to recover.`,
        // Never 0: a caller that returns at once would only be refused again.
        hint: { ms: Math.max(1, outcome.retryAfterMs), source: 'gateway' },
        details: {
          effect: 'not_sent',
          failure_count: outcome.failureCount,
          reset_timeout: outcome.resetTimeoutMs / 1000,
        },
      };
    case 'bulkhead-full':
      return {
        message:
          outcome.cause === 'queue_full'
            ? 'All slots and queue places of the tool are taken.'
            : 'The call waited too long for a free slot of the tool.',
        hint: { ms: outcome.retryAfterMs, source: 'gateway' },
        details: { limit: outcome.limit, queued: outcome.queued, cause: outcome.cause },
      };
    case 'idempotency-conflict':
      return { message: 'The idempotency key was used before with other arguments.' };
    case 'dependency-failed':
      return {
        message: 'A call that this one depends on did not succeed, so it was not run.',
        details: { dependency: scrubber.value(outcome.dependency) },
      };
    case 'misconfigured':
      return {
        message: ownSentence(outcome.explanation, 'The tool is configured wrongly.', subject),
      };
    case 'internal':
      return {
        message: `The gateway itself failed. Request id: ${scrubber.text(outcome.requestId, 100)}.`,
        details: { request_id: scrubber.text(outcome.requestId, 100) },
      };
    case 'cancelled':
      return {
        message: CANCEL_MESSAGES[outcome.reason],
        effect: effectAt('phase', outcome.phase),
        details: { phase: outcome.phase, cancel_reason: outcome.reason },
      };
    case 'timeout':
      return timeoutSaid(outcome, subject);
    case 'result-invalid':
      return {
        message: ownSentence(outcome.explanation, "The tool's answer may not be used.", subject),
        // MCP: the answer was no tool result at all.
        ...(outcome.effectUnknown === true && { effect: 'unknown', breaker: 'failure' }),
        details: {
          validation_type: 'result',
          problem: outcome.problem,
          ...(outcome.errors !== undefined && { errors: scrubber.value(outcome.errors) }),
          ...(outcome.content !== undefined && { content: scrubber.value(outcome.content) }),
          ...(outcome.status !== undefined && { upstream_status: outcome.status }),
        },
      };
    case 'result-too-large':
      return {
        message: `The answer is larger than the tool's limit of ${outcome.limitBytes} bytes.`,
        details: { limit_bytes: outcome.limitBytes, size_bytes: outcome.sizeBytes },
      };
  }
}

const CANCEL_MESSAGES = {
  client_left: 'The caller went away before the call ended.',
  cancelled_by_request: 'The caller cancelled the call.',
  shutdown: 'The gateway shut down before the call ended.',
} as const satisfies Record<Extract<FailedOutcome, { kind: 'cancelled' }>['reason'], string>;

const TIMEOUT_MESSAGES: Readonly<Record<TimeoutScope, string>> = {
  attempt: 'The tool did not answer within',
  call: 'The call did not end within its own limit of',
  deadline: 'The call did not end before the deadline of',
  idle: 'The tool was silent for',
};

function timeoutSaid(outcome: TimeoutOutcome, subject: ClassifySubject): Said {
  const { phase, scope } = outcome;
  const seconds = outcome.timeoutMs / 1000;
  const queued = phase === 'queued';
  const ofServer = subject.kind === 'mcp' && !queued;
  return {
    ...(ofServer && { code: 'MCP_TIMEOUT' }),
    effect: effectAt('phase', phase),
    // A call that never left our own queue says nothing about the upstream.
    breaker: queued ? 'neutral' : 'failure',
    message: `${TIMEOUT_MESSAGES[scope]} ${seconds} s${beforeSending(phase) ? '; it was not sent' : ''}.`,
    details: {
      timeout: seconds,
      scope,
      phase,
      ...(ofServer && { operation: 'tool_call' }),
    },
  };
}

/** The name is a model's and may be anything. */
function unknownToolMessage(
  { toolName, scrubber }: ClassifySubject,
  suggestions: readonly string[],
): string {
  const name = scrubber.text(toolName, 80);
  const lead = name === '' ? 'There is no such tool.' : `There is no tool named "${name}".`;
  const first = suggestions[0];
  return first === undefined ? lead : `${lead} Did you mean "${scrubber.text(first, 80)}"?`;
}

function faultMessage(
  lead: string,
  errors: Readonly<Record<string, string>>,
  { scrubber }: ClassifySubject,
): string {
  const [first] = Object.entries(errors);
  if (first === undefined) return `${lead}.`;
  const [pointer, problem] = first;
  const at = pointer === '' ? 'at the top' : `at ${pointer}`;
  return scrubber.text(`${lead}: ${problem} (${at}).`, MAX_MESSAGE_CHARS);
}

function ownSentence(text: string, fallback: string, { scrubber }: ClassifySubject): string {
  const sentence = scrubber.text(text, MAX_MESSAGE_CHARS).trim();
  return sentence === '' ? fallback : sentence;
}
