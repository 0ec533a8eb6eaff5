// Turns facts (an outcome) into a verdict. Pure and total: the only place where an outcome gets its
// meaning. Who speaks first wins: the gateway, an upstream that speaks this taxonomy, the author,
// structured evidence, text (taxonomy.md "Who decides, in this order").
import { applyRule } from './author-verdict.js';
import { matchRule } from './author-rules.js';
import { believedClassification, readErrorInfo } from './believed.js';
import type { BreakerVerdict, Classification } from './error-info.js';
import { gatewayVerdict } from './gateway-made.js';
import { hintOf, readResponse, responseVerdict, type ResponseEvidence } from './http-response.js';
import { mcpConnectionVerdict, mcpErrorVerdict, mcpResultVerdict } from './mcp.js';
import type { FailedOutcome, Outcome, StoredFailureOutcome } from './outcome.js';
import { ruleEvidence, type UpstreamOutcome } from './rule-evidence.js';
import type { ClassifySubject } from './subject.js';
import { authoredVerdict, thrownVerdict } from './thrown.js';
import { transportVerdict } from './transport.js';
import { conclude, type Verdict } from './verdict.js';

export type { ClassifySubject } from './subject.js';

/**
 * What a failure means. Pure but for the clock that absolute waits are measured against; total;
 * never throws.
 *
 * @param keySent an idempotency key went upstream with the call
 */
export function classify(
  outcome: FailedOutcome,
  subject: ClassifySubject,
  keySent: boolean,
): Classification {
  try {
    return decide(outcome, subject, keySent);
  } catch {
    return conclude(UNREADABLE, subject, keySent);
  }
}

/** Evidence so broken that reading it failed. */
const UNREADABLE: Verdict = {
  code: 'UNMAPPED_FAILURE',
  reason: 'unmapped_failure',
  transient: false,
  effect: 'unknown',
  breaker: 'neutral',
  by: 'gateway',
  message: 'The tool failed in a way that could not be read; it is taken as permanent.',
};

function decide(
  outcome: FailedOutcome,
  subject: ClassifySubject,
  keySent: boolean,
): Classification {
  switch (outcome.kind) {
    case 'response':
    case 'transport':
    case 'thrown':
    case 'mcp-result':
    case 'mcp-error':
    case 'mcp-connection':
    case 'result-invalid':
      return decideUpstream(outcome, subject, keySent);
    case 'timeout':
      // The limits of the call and of the batch are the caller's own; no rule speaks of them.
      return outcome.scope === 'attempt' || outcome.scope === 'idle'
        ? decideUpstream(outcome, subject, keySent)
        : conclude(gatewayVerdict(outcome, subject), subject, keySent);
    case 'stored':
      return storedClassification(outcome);
    default:
      return conclude(gatewayVerdict(outcome, subject), subject, keySent);
  }
}

function decideUpstream(
  outcome: UpstreamOutcome,
  subject: ClassifySubject,
  keySent: boolean,
): Classification {
  const response =
    outcome.kind === 'response' ? readResponse(outcome, subject, keySent) : undefined;
  const spoken = readErrorInfo(spokenBody(outcome, response));
  if (spoken !== undefined) {
    return believedClassification(spoken, response?.outcome.status, subject, keySent);
  }
  const authored = outcome.kind === 'thrown' ? authoredVerdict(outcome.error, subject) : undefined;
  if (authored !== undefined) return conclude(authored, subject, keySent);
  const verdict = evidenceVerdict(outcome, response, subject);
  return conclude(withRules(verdict, outcome, response, subject), subject, keySent);
}

/** Lays the author's most specific rule over the evidence's verdict. */
function withRules(
  verdict: Verdict,
  outcome: UpstreamOutcome,
  response: ResponseEvidence | undefined,
  subject: ClassifySubject,
): Verdict {
  if (subject.rules.rules.length === 0) return verdict;
  const evidence = ruleEvidence(outcome, response);
  const rule = matchRule(subject.rules, evidence);
  if (rule === undefined) return verdict;
  const answered = ANSWERED.has(outcome.kind);
  const hint = response === undefined ? verdict.hint : hintOf(response);
  return applyRule(rule, { verdict, body: evidence.body, answered, hint }, subject);
}

const ANSWERED: ReadonlySet<FailedOutcome['kind']> = new Set([
  'response',
  'mcp-result',
  'mcp-error',
  'result-invalid',
]);

function evidenceVerdict(
  outcome: UpstreamOutcome,
  response: ResponseEvidence | undefined,
  subject: ClassifySubject,
): Verdict {
  switch (outcome.kind) {
    case 'response':
      return response === undefined ? UNREADABLE : responseVerdict(response);
    case 'transport':
      return transportVerdict(outcome, subject);
    case 'thrown':
      return thrownVerdict(outcome, subject);
    case 'mcp-result':
      return mcpResultVerdict(outcome, subject);
    case 'mcp-error':
      return mcpErrorVerdict(outcome, subject);
    case 'mcp-connection':
      return mcpConnectionVerdict(outcome, subject);
    case 'result-invalid':
    case 'timeout':
      return gatewayVerdict(outcome, subject);
  }
}

/** Where an upstream may have put an `error_info`. */
function spokenBody(outcome: UpstreamOutcome, response: ResponseEvidence | undefined): unknown {
  if (response !== undefined) return response.body.json;
  if (outcome.kind === 'mcp-result') return outcome.structuredContent;
  return outcome.kind === 'mcp-error' ? outcome.data : undefined;
}

/** A verdict that was final once stays so. */
function storedClassification({ info, status }: StoredFailureOutcome): Classification {
  return {
    info: { ...info, details: { ...info.details } },
    status,
    breaker: 'neutral',
    refusedBeforeExecution: false,
    upstreamSaidNo: false,
    onceOnly: false,
    cooldownMs: null,
  };
}

/** The last verdict on a call, and what it was reached on. */
export interface Remembered {
  readonly outcome: FailedOutcome;
  readonly subject: ClassifySubject;
  readonly keySent: boolean;
  readonly classification: Classification;
}

/** What of a call's context a verdict depends on, and where the last one is kept. */
export interface VerdictContext {
  readonly keySent: boolean;
  verdict: Remembered | undefined;
}

/**
 * `classify`, remembered with the call: retry, breaker and gateway all ask. The result belongs to
 * the call: no other call sees it.
 */
export function classifyOnce(
  outcome: FailedOutcome,
  subject: ClassifySubject,
  call: VerdictContext,
): Classification {
  const { keySent, verdict } = call;
  if (verdict?.outcome === outcome && verdict.subject === subject && verdict.keySent === keySent) {
    return verdict.classification;
  }
  const classification = classify(outcome, subject, keySent);
  call.verdict = { outcome, subject, keySent, classification };
  return classification;
}

/** How an outcome counts for the circuit breaker. */
export function breakerVerdict(
  outcome: Outcome,
  subject: ClassifySubject,
  call: VerdictContext,
): BreakerVerdict {
  return outcome.kind === 'ok' ? 'success' : classifyOnce(outcome, subject, call).breaker;
}
