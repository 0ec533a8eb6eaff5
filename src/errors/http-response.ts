// An HTTP answer that is a failure: the status's row, refined by machine codes and headers, with
// its wait and the upstream's own words.
import { STATUS_CODES } from 'node:http';
import type { ErrorCode } from './catalogue.js';
import { readErrorBody, type ErrorBody } from './error-body.js';
import type { EvidenceRow } from './evidence-row.js';
import { REFINED_ROWS, statusRow, type StatusRow } from './http-status.js';
import { means } from './machine-codes.js';
import { mcpHttpVerdict } from './mcp.js';
import { mcpTwin } from './mcp-twin.js';
import type { ResponseOutcome } from './outcome.js';
import { first, readLimit, readRetryHint, saysNoRetry, showsRateLimit } from './retry-after.js';
import type { ClassifySubject } from './subject.js';
import { sayWith, type Verdict } from './verdict.js';

/** A response and its body, read once. */
export interface ResponseEvidence {
  readonly outcome: ResponseOutcome;
  readonly body: ErrorBody;
  readonly keySent: boolean;
  readonly subject: ClassifySubject;
}

type RefinedName = keyof typeof REFINED_ROWS;
type Test = (evidence: ResponseEvidence) => boolean;

const codesMean =
  (meaning: Parameters<typeof means>[0]): Test =>
  ({ body }) =>
    body.codes.length > 0 && means(meaning, body.codes);

const isThrottled = codesMean('throttle');

/** First that holds wins. `2` stands for a 2xx that failed the author's predicate. */
const REFINEMENTS: readonly (readonly [
  statuses: readonly number[],
  name: RefinedName,
  test: Test,
])[] = [
  [[402], 'billingOn402', codesMean('quota')],
  [[2, 400, 401, 403, 429], 'quotaExhausted', codesMean('quota')],
  [[2], 'rateLimitedInPart', (evidence) => isThrottled(evidence) && hasData(evidence)],
  [[2, 400, 403], 'rateLimited', isThrottled],
  [[403], 'rateLimited', ({ outcome }) => showsRateLimit(outcome.headers)],
  [[403], 'mcpCredential', (evidence) => isMcp(evidence) && lacksScope(evidence)],
  [[401, 407], 'mcpCredential', isMcp],
  [[403], 'credentialInBody', lacksScope],
  [[2, 400, 403], 'credentialInBody', codesMean('credential')],
  [[2, 400], 'forbiddenInBody', codesMean('forbidden')],
  [[400], 'timedOutInBody', codesMean('timeout')],
  [[2], 'invalidInBody', codesMean('invalid')],
  [[409], 'ownKeyInFlight', isOwnKeyInFlight],
  [[503], 'trusted503', isTrusted503],
  [[521, 523, 525], 'cloudflareNeverSent', isCloudflare],
];

const REFINED_STATUSES = new Set(REFINEMENTS.flatMap(([statuses]) => statuses));

/** Our own words for a code; the status and the upstream's words follow. */
const LEADS: Readonly<Partial<Record<ErrorCode, string>>> = {
  UPSTREAM_INVALID_REQUEST: 'The upstream found the request invalid',
  UPSTREAM_AUTH_FAILED: "The upstream did not accept the gateway's credential",
  UPSTREAM_FORBIDDEN: 'The upstream forbade the call',
  UPSTREAM_QUOTA_EXHAUSTED: 'The account at the upstream is out of money or quota',
  UPSTREAM_REJECTED: 'The upstream refused the call',
  UPSTREAM_SERVER_ERROR: 'The upstream failed internally',
  UPSTREAM_UNAVAILABLE: 'The upstream is unavailable for now',
  CONFIGURATION_ERROR: 'The upstream cannot be called in this way',
  TOOL_RATE_LIMITED: "The upstream's rate limit was reached",
  TOOL_TIMEOUT: 'The upstream did not answer in time',
  TOOL_TRANSPORT_ERROR: 'The upstream closed the request without an answer',
  TOOL_EXECUTION_FAILED: 'The tool reported a failure',
};

/** Reads a response once, for the author's rules and for the tables. */
export function readResponse(
  outcome: ResponseOutcome,
  subject: ClassifySubject,
  keySent: boolean,
): ResponseEvidence {
  const body = readErrorBody(outcome.body, outcome.headers, outcome.bodyTruncated);
  return { outcome, body, keySent, subject };
}

/** What a response means where neither the upstream nor the author says so itself. */
export function responseVerdict(evidence: ResponseEvidence): Verdict {
  const { outcome, body, subject } = evidence;
  if (subject.kind === 'mcp') {
    const spoken = mcpHttpVerdict(outcome.status, body.json, subject);
    if (spoken !== undefined) return spoken;
  }
  const row = refine(evidence);
  const code = subject.kind === 'mcp' ? mcpTwin(row.code) : row.code;
  const lead = `${LEADS[row.code] ?? 'The upstream answered'} (${statusName(outcome.status)})`;
  return {
    code,
    transient: row.transient,
    effect: row.effect,
    breaker: row.breaker,
    by: 'status',
    reason: code === 'UNMAPPED_FAILURE' ? 'unmapped_failure' : undefined,
    message: sayWith(lead, body.text, subject),
    details: responseDetails(evidence, row),
    hint: row.hint ? hintOf(evidence) : undefined,
    refusedBeforeExecution: row.refusedBeforeExecution,
    upstreamSaidNo: saysNoRetry(outcome.headers),
    onceOnly: row.onceOnly,
    cooldown: row.cooldown,
  };
}

/** The wait that a response asks for. */
export function hintOf({ outcome, body }: ResponseEvidence): ReturnType<typeof readRetryHint> {
  return readRetryHint({
    status: outcome.status,
    headers: outcome.headers,
    json: body.json,
  });
}

function refine(evidence: ResponseEvidence): StatusRow {
  const { status } = evidence.outcome;
  const key = status >= 200 && status < 300 ? 2 : status;
  if (REFINED_STATUSES.has(key)) {
    for (const [statuses, name, test] of REFINEMENTS) {
      if (statuses.includes(key) && test(evidence)) return REFINED_ROWS[name];
    }
  }
  return statusRow(status);
}

function responseDetails(
  { outcome, body, subject }: ResponseEvidence,
  row: EvidenceRow,
): Record<string, unknown> {
  const details: Record<string, unknown> = { upstream_status: outcome.status };
  if (body.code !== undefined) {
    details['upstream_code'] =
      typeof body.code === 'string' ? subject.scrubber.text(body.code, 200) : body.code;
  }
  if (row.code === 'TOOL_RATE_LIMITED') {
    const limit = readLimit(outcome.headers);
    if (limit !== undefined) details['limit'] = limit;
  }
  return details;
}

function isMcp({ subject }: ResponseEvidence): boolean {
  return subject.kind === 'mcp';
}

/** A scope that the credential lacks (RFC 6750 §3.1), in the challenge or in the body. */
function lacksScope({ outcome, body }: ResponseEvidence): boolean {
  const challenge = first(outcome.headers['www-authenticate']) ?? '';
  return challenge.includes('insufficient_scope') || means('scope', body.codes);
}

/** GraphQL: some of the fields that were asked for have run, whatever became of the others. */
function hasData({ body }: ResponseEvidence): boolean {
  const data: unknown = (Object(body.json) as { data?: unknown }).data;
  return Object.values(Object(data) as object).some((field) => field !== null);
}

function isOwnKeyInFlight({ outcome, body, keySent }: ResponseEvidence): boolean {
  if (!keySent) return false;
  return outcome.headers['retry-after'] !== undefined || means('key_in_flight', body.codes);
}

function isTrusted503({ outcome, subject }: ResponseEvidence): boolean {
  return subject.trust503 && outcome.headers['retry-after'] !== undefined;
}

function isCloudflare({ outcome }: ResponseEvidence): boolean {
  return first(outcome.headers['server'])?.toLowerCase().startsWith('cloudflare') === true;
}

const statusNames = new Map<number, string>();

/** `HTTP 503 Service Unavailable`. */
function statusName(status: number): string {
  let name = statusNames.get(status);
  if (name === undefined) {
    const phrase = STATUS_CODES[status];
    name = phrase === undefined ? `HTTP ${status}` : `HTTP ${status} ${phrase}`;
    if (statusNames.size < 1000) statusNames.set(status, name);
  }
  return name;
}
