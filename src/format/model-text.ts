// A failure as one short sentence to a model: what happened, whether to send the call again, when,
// and what else it may do. Every number comes from the error itself.
import { CATALOGUE } from '../errors/catalogue.js';
import type { ErrorCategory, ErrorCode } from '../errors/catalogue.js';
import type { ErrorInfo } from '../errors/error-info.js';

/** What a model may do besides repeating, or instead of it. */
const ELSE: Readonly<Record<ErrorCategory, string>> = {
  rate_limit: 'or use another tool meanwhile',
  circuit_open: 'or use another tool',
  bulkhead_full: 'or use another tool meanwhile',
  timeout: 'or use another tool',
  execution: 'or try another way',
  connection: 'or use another tool',
  validation: 'or use another tool',
  not_found: 'use a tool from your list',
  cancelled: 'go on without it',
  configuration: 'use another tool, or tell the user that an operator must act',
  permission: 'use another tool or tell the user',
  declined: 'this is the answer, tell the user',
};

/** Where a code asks for something more definite than its category. */
const ELSE_BY_CODE: Partial<Record<ErrorCode, string>> = {
  TOOL_RESULT_ERROR: 'use another tool or tell the user',
  TOOL_RESULT_TOO_LARGE: 'ask for less at once',
  TOOL_INPUT_REQUIRED: 'ask the user for what is missing',
  IDEMPOTENCY_CONFLICT: 'use a new key for a new call',
  DEPENDENCY_FAILED: 'first repair the call that this one depends on',
};

/** Codes whose cause is in the call: a corrected one may be sent. */
const CORRECTABLE: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'TOOL_ARGUMENT_ERROR',
  'TOOL_VALIDATION_ERROR',
  'UPSTREAM_INVALID_REQUEST',
  'PARSER_ERROR',
  'PARSER_INVALID_FORMAT',
]);

/** Milliseconds as a model reads them: `850 ms`, `1.2 s`, `3 min`, rounded up. */
export function duration(ms: number): string {
  if (ms < 1000) return `${Math.ceil(ms)} ms`;
  if (ms < 120_000) return `${Math.ceil(ms / 100) / 10} s`;
  return `${Math.ceil(ms / 60_000)} min`;
}

function figure(value: unknown, phrase: string): string | undefined {
  return typeof value === 'number' && Number.isFinite(value)
    ? phrase.replace('#', String(value))
    : undefined;
}

/** The figures of this failure, in brackets. */
function figures(info: ErrorInfo): string {
  const { details } = info;
  if (info.category === 'declined') return '';
  const facts: (string | undefined)[] = [];
  if (info.category === 'timeout' && typeof details.timeout === 'number')
    facts.push(`after ${duration(details.timeout * 1000)}`);
  if (info.category === 'rate_limit') facts.push(figure(details.limit, 'limit # calls'));
  if (info.category === 'bulkhead_full')
    facts.push(figure(details.limit, '# running'), figure(details.queued, '# waiting'));
  if (info.category === 'circuit_open') facts.push(figure(details.failure_count, '# failures'));
  facts.push(figure(details.upstream_status, 'status #'));
  if (details.attempts > 1) facts.push(`tried ${details.attempts} times`);
  const known = facts.filter((fact) => fact !== undefined);
  return known.length === 0 ? '' : ` (${known.join(', ')})`;
}

function repeat(info: ErrorInfo): string {
  if (info.retryable) {
    const waitMs = info.retry_after_ms;
    if (waitMs === null) return 'you may send the same call again after a pause';
    if (waitMs === 0) return 'you may send the same call again now';
    return `send the same call again in ${duration(waitMs)}`;
  }
  if (info.effect === 'unknown') return 'do not send it again, it may have taken effect';
  return CORRECTABLE.has(info.code)
    ? 'correct it before you send it again'
    : 'do not send it again';
}

function suggestions(info: ErrorInfo, toAlias: (name: string) => string): string | undefined {
  const names: unknown = info.details.suggestions;
  if (!Array.isArray(names)) return undefined;
  const known = names.filter((name) => typeof name === 'string').slice(0, 3);
  return known.length === 0 ? undefined : `did you mean ${known.map(toAlias).join(' or ')}`;
}

function otherwise(info: ErrorInfo, toAlias: (name: string) => string): string {
  if (info.effect === 'unknown' && !info.retryable)
    return 'check what happened with another tool or tell the user';
  const text = suggestions(info, toAlias) ?? ELSE_BY_CODE[info.code] ?? ELSE[info.category];
  // "or" needs something before it that may be done.
  return info.retryable || CORRECTABLE.has(info.code) ? text : text.replace(/^or /, '');
}

/**
 * One sentence for a model, from the catalogue and the figures of this failure. It holds no text of
 * the upstream's.
 */
export function modelSentence(info: ErrorInfo, toAlias: (name: string) => string): string {
  const what = CATALOGUE[info.code].when.replace(/\.$/, '');
  const alternative = otherwise(info, toAlias);
  const joint = alternative.startsWith('or ') ? ', ' : '; ';
  return `${info.code}: ${what}${figures(info)}; ${repeat(info)}${joint}${alternative}.`;
}
