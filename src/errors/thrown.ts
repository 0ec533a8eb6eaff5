// What a module tool threw: the author's own classes first, then the codes and statuses that
// client libraries attach, then class name and message. Whatever the tool did before it threw
// stays unknown, unless its author says otherwise.
import { row, type EvidenceRow } from './evidence-row.js';
import type { BreakerVerdict } from './error-info.js';
import type { ThrownOutcome } from './outcome.js';
import { isReasonCode } from './reason-code.js';
import type { ClassifySubject } from './subject.js';
import { classifyText, type TextMatch } from './text.js';
import { carriedVerdict } from './thrown-carried.js';
import { readProperty, readThrown } from './thrown-facts.js';
import { TOOL_ERROR, type ToolErrorKind } from './tool-errors.js';
import { sayWith, type Verdict } from './verdict.js';

// prettier-ignore
const AUTHORED = {
  failure:             row(['TOOL_EXECUTION_FAILED', 'no',  'unknown',   'S']),
  refusal:             row(['TOOL_DECLINED',         'no',  'completed', 'S']),
  timed_out:           row(['TOOL_TIMEOUT',          'yes', 'unknown',   'F']),
  not_permitted:       row(['TOOL_NOT_PERMITTED',    'no',  'completed', 'N']),
  not_found:           row(['TOOL_NOT_FOUND',        'no',  'completed', 'N']),
  argument_validation: row(['TOOL_ARGUMENT_ERROR',   'no',  'not_sent',  'S']),
  result:              row(['TOOL_RESULT_ERROR',     'no',  'completed', 'S']),
} as const satisfies Record<ToolErrorKind, EvidenceRow>;

/** `ToolFailure` with `transient: true`: the author says that nothing landed. */
const AUTHORED_TRANSIENT = row(['TOOL_EXECUTION_FAILED', 'yes', 'not_sent', 'F']);

const UNMAPPED = row(['UNMAPPED_FAILURE', 'no', 'unknown', 'N']);

const DEFAULT_MESSAGES: Readonly<Record<ToolErrorKind, string>> = {
  failure: 'The tool could not finish',
  refusal: 'The tool declined',
  timed_out: 'The tool ran out of time',
  not_permitted: 'The tool may not be used here',
  not_found: 'The tool is not there',
  argument_validation: 'The tool found the arguments invalid',
  result: "The tool's result may not be used",
};

/** The verdict of an author's own class; undefined where the thrown value is none. */
export function authoredVerdict(error: unknown, subject: ClassifySubject): Verdict | undefined {
  const kind = readProperty(error, TOOL_ERROR);
  if (typeof kind !== 'string' || !Object.hasOwn(AUTHORED, kind)) return undefined;
  const known = kind as ToolErrorKind;
  const reason = readProperty(error, 'code');
  if (!isReasonCode(reason)) return undefined;
  const transient = known === 'failure' && readProperty(error, 'transient') === true;
  const { message } = readThrown(error);
  const said = message === reason ? `${DEFAULT_MESSAGES[known]} (${reason}).` : message;
  const text = subject.scrubber.text(said).trim();
  const waitMs = readProperty(error, 'retryAfterMs');
  return {
    ...(transient ? AUTHORED_TRANSIENT : AUTHORED[known]),
    by: 'author',
    reason,
    message: text === '' ? `${DEFAULT_MESSAGES[known]}.` : text,
    hint: typeof waitMs === 'number' && waitMs >= 0 ? { ms: waitMs, source: 'author' } : undefined,
    details: authoredDetails(known, error, subject),
  };
}

/** What any other thrown value means. */
export function thrownVerdict({ error }: ThrownOutcome, subject: ClassifySubject): Verdict {
  return cancelledVerdict(error) ?? carriedVerdict(error, subject) ?? spokenVerdict(error, subject);
}

/** The gateway's own abort reason, thrown back by the tool (`signal.throwIfAborted()`). */
function cancelledVerdict(error: unknown): Verdict | undefined {
  const kind = readProperty(error, 'kind');
  if (kind === 'cancelled' && typeof readProperty(error, 'reason') === 'string') {
    return {
      ...row(['TOOL_CANCELLED', 'no', 'unknown', 'N']),
      by: 'gateway',
      message: 'The call was cancelled.',
    };
  }
  if (kind === 'timeout' && typeof readProperty(error, 'timeoutMs') === 'number') {
    return {
      ...row(['TOOL_TIMEOUT', 'yes', 'unknown', 'F']),
      by: 'gateway',
      message: 'The tool did not answer in time.',
    };
  }
  return undefined;
}

/** Class name and message, last and least. */
function spokenVerdict(error: unknown, subject: ClassifySubject): Verdict {
  const facts = readThrown(error);
  const match = classifyText(facts);
  if (match === undefined) {
    return {
      ...UNMAPPED,
      reason: 'unmapped_failure',
      by: 'gateway',
      message: sayWith(
        'The tool failed in a way that nobody classified',
        facts.message || undefined,
        subject,
      ),
    };
  }
  const { code, transient, by } = match;
  return {
    code,
    transient,
    effect: 'unknown',
    breaker: breakerOf(match),
    by,
    prose: true,
    message: sayWith('The tool failed', facts.message || undefined, subject),
  };
}

function breakerOf({ code, transient }: TextMatch): BreakerVerdict {
  if (code === 'TOOL_RATE_LIMITED') return 'neutral';
  return transient ? 'failure' : 'success';
}

function authoredDetails(
  kind: ToolErrorKind,
  error: unknown,
  { scrubber }: ClassifySubject,
): Record<string, unknown> | undefined {
  if (kind === 'timed_out') {
    const timeoutMs = readProperty(error, 'timeoutMs');
    return typeof timeoutMs === 'number' ? { timeout: timeoutMs / 1000 } : undefined;
  }
  if (kind !== 'argument_validation' && kind !== 'result') return undefined;
  const errors = readProperty(error, 'errors');
  return {
    validation_type: kind === 'result' ? 'result' : 'arguments',
    ...(typeof errors === 'object' && errors !== null && { errors: scrubber.value(errors) }),
  };
}
