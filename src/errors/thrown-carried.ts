// What client libraries attach to the errors they throw: a transport code, an HTTP status with its
// headers, a machine code. As good as the evidence itself, but for one thing: what the tool had
// done before is not known, so the effect stays unknown.
import { readErrorBody } from './error-body.js';
import { row, type EvidenceRow } from './evidence-row.js';
import { grpcStatusOf } from './grpc-status.js';
import { normaliseHeaders } from './header-bag.js';
import { readResponse, responseVerdict } from './http-response.js';
import { means } from './machine-codes.js';
import { ERROR_BODY_MAX_BYTES, type ResponseOutcome } from './outcome.js';
import type { ClassifySubject } from './subject.js';
import { codeOf, readProperty, readThrown, statusOf } from './thrown-facts.js';
import { findTransport, matchVerdict, transportReason } from './transport.js';
import { sayWith, type Verdict } from './verdict.js';

const QUOTA = row(['UPSTREAM_QUOTA_EXHAUSTED', 'no', 'unknown', 'N']);
const THROTTLED = row(['TOOL_RATE_LIMITED', 'yes', 'unknown', 'N']);

/** The text rules' own: anybody's class, no service's code. */
const SPOKEN_CLASS = 'RateLimitError';

/** The verdict of what an error carries; undefined where it carries nothing known. */
export function carriedVerdict(error: unknown, subject: ClassifySubject): Verdict | undefined {
  const match = findTransport(error);
  if (match !== undefined) {
    const { systemCode } = match;
    const verdict = withoutPromise(matchVerdict(match, 'awaiting_headers', subject), systemCode);
    // Not its phase: the code says where one connection stood, not where the tool did.
    return unknownEffect(verdict, systemCode === undefined ? {} : { system_code: systemCode });
  }
  const status = statusOf(error);
  const { message, typeNames } = readThrown(error);
  const said = sayWith('The tool failed at its upstream', message || undefined, subject);
  if (status !== undefined) {
    const verdict = responseVerdict(readResponse(responseOf(error, status), subject, false));
    return { ...unknownEffect(verdict, verdict.details), message: said };
  }
  const grpc = grpcStatusOf(error);
  if (grpc !== undefined) {
    const outcome = { kind: 'response', status: grpc.status, headers: {}, body: '' } as const;
    const verdict = responseVerdict(readResponse(outcome, subject, false));
    return { ...unknownEffect(verdict, { upstream_code: grpc.name }), message: said };
  }
  const classes = typeNames.slice(0, 2).filter((name) => name !== SPOKEN_CLASS);
  const known = rowOfCodes([codeOf(error), typeOf(error), ...classes]);
  return known === undefined ? undefined : { ...known, by: 'type', message: said };
}

/** Not "the call was not sent": what could not be reached may have been the tool's second stop. */
function withoutPromise(verdict: Verdict, systemCode: string | undefined): Verdict {
  if (verdict.code !== 'TOOL_CONNECTION_FAILED') return verdict;
  const reason = transportReason(systemCode);
  const message = `The tool could not reach its upstream.${reason === undefined ? '' : ` ${reason}.`}`;
  return { ...verdict, message };
}

/** The answer that the library saw, as far as the error shows it. */
function responseOf(error: unknown, status: number): ResponseOutcome {
  const response = readProperty(error, 'response');
  const headers =
    readProperty(error, 'headers') ??
    readProperty(response, 'headers') ??
    readProperty(readProperty(error, '$response'), 'headers');
  const body = bodyOf(error, response);
  return { kind: 'response', status, headers: normaliseHeaders(headers), body };
}

/** The body where the library kept it (axios, gaxios, Octokit, got, OpenAI), else its codes. */
function bodyOf(error: unknown, response: unknown): string {
  const kept =
    readProperty(response, 'data') ??
    readProperty(response, 'body') ??
    readProperty(error, 'error');
  const body = typeof kept === 'string' ? kept : asJson(kept);
  const isTelling = body !== undefined && readErrorBody(body, {}).codes.length > 0;
  if (isTelling && body.length <= ERROR_BODY_MAX_BYTES) return body;
  // The names of AWS's errors are its codes.
  const isAws = readProperty(error, '$metadata') !== undefined;
  const code = codeOf(error) ?? (isAws ? readProperty(error, 'name') : undefined);
  return JSON.stringify({
    error: { code: typeof code === 'string' ? code : undefined, type: typeOf(error) },
  });
}

/** The JSON of a plain object; undefined of anything else, and of what has none. */
function asJson(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null && !Array.isArray(value))
    return undefined;
  try {
    return JSON.stringify(value);
  } catch {
    return undefined;
  }
}

function rowOfCodes(names: readonly (string | undefined)[]): EvidenceRow | undefined {
  const codes = names.filter((name) => name !== undefined).map((name) => name.toLowerCase());
  if (means('quota', codes)) return QUOTA;
  return means('throttle', codes) ? THROTTLED : undefined;
}

function typeOf(error: unknown): string | undefined {
  const type = readProperty(error, 'type');
  return typeof type === 'string' ? type : undefined;
}

function unknownEffect(verdict: Verdict, details: Verdict['details']): Verdict {
  return {
    ...verdict,
    effect: 'unknown',
    refusedBeforeExecution: false,
    onceOnly: false,
    cooldown: false,
    details,
  };
}
