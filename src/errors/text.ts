// Text, the last and least evidence: the rules of the classifier exercise (taxonomy.md "Who
// decides" 5). Read only where nothing structured exists, and never enough to repeat a call of a
// tool that is not idempotent.
import type { ErrorCode } from './catalogue.js';
import type { ThrownFacts } from './thrown-facts.js';

/** What words or a class name say. */
export interface TextMatch {
  readonly code: ErrorCode;
  readonly transient: boolean;
  readonly by: 'type' | 'text';
}

// A number counts as a status where it stands as a word of its own: not in `id 14293`, `v1.429`,
// `req-429-a`, `#429` or `handler.mjs:429:15`.
const STATUS_429 = /(?<![\w.#$/-]|\d,)429(?![\w-]|[.:,]\d)/;
const STATUS_503 = /(?<![\w.#$/-]|\d,)503(?![\w-]|[.:,]\d)/;

type Words = readonly (string | RegExp)[];

interface Rule {
  readonly code: ErrorCode;
  readonly transient: boolean;
  readonly types: readonly string[];
  readonly words: Words;
}

const RATE_WORDS: Words = ['rate limit', 'too many requests', STATUS_429];
const TIMEOUT_WORDS: Words = ['timeout', 'timed out'];
const UNAVAILABLE_WORDS: Words = [STATUS_503, 'temporarily unavailable'];

/** First match wins, in this order. */
// prettier-ignore
const RULES: readonly Rule[] = [
  { code: 'TOOL_RATE_LIMITED',     transient: true,  types: ['RateLimitError'],  words: [] },
  { code: 'TOOL_TIMEOUT',          transient: true,  types: ['TimeoutError'],    words: [] },
  { code: 'TOOL_RATE_LIMITED',     transient: true,  types: [],                  words: RATE_WORDS },
  { code: 'TOOL_TIMEOUT',          transient: true,  types: [],                  words: TIMEOUT_WORDS },
  { code: 'UPSTREAM_UNAVAILABLE',  transient: true,  types: ['ConnectionError', 'ServiceUnavailableError'],
                                                                                 words: UNAVAILABLE_WORDS },
  { code: 'TOOL_VALIDATION_ERROR', transient: false, types: ['ValidationError', 'ValueError', 'TypeError', 'KeyError', 'RangeError', 'SyntaxError'],
                                                                                 words: ['invalid', 'validation', 'required', 'missing argument'] },
  { code: 'TOOL_EXECUTION_FAILED', transient: false, types: ['ToolError', 'RuntimeError'],
                                                                                 words: ['tool error'] },
];

/** How many class names count: the thrown class and its `name`, not its ancestors. */
const OWN_NAMES = 2;

/** What a thrown error's class name and message say; undefined where no rule matches. */
export function classifyText({ typeNames, message }: ThrownFacts): TextMatch | undefined {
  // Of `openai.RateLimitError` the class counts, not its module.
  const own = typeNames.slice(0, OWN_NAMES).map((name) => name.slice(name.lastIndexOf('.') + 1));
  const text = message.toLowerCase();
  for (const { code, transient, types, words } of RULES) {
    if (own.some((name) => types.includes(name))) return { code, transient, by: 'type' };
    if (has(text, words)) return { code, transient, by: 'text' };
  }
  return undefined;
}

// An MCP `isError` text is the tool's own output, not an error's message: `timeout column is
// required; 429 rows` speaks of data. So here only phrases count that can hardly mean anything
// else, and none but the plainest where the text also speaks of a fault in the arguments.
const NAMES_A_SETTING = '(?! (?:must|should|value|field|column|parameter))';
/** `HTTP 429`, `"status": 429`, `error (429)`; no `code 429-B`, no `returned 503 rows`. */
const reportedStatus = (status: number): string =>
  String.raw`\b(?:http|status|code|error|returned)(?: ?code)?["']?[ :=(]{1,2}${status}(?![\w-]| \w+s\b)`;
const anyOf = (...patterns: readonly string[]): RegExp => new RegExp(patterns.join('|'));

/** Says of itself that the limit was met, whatever else the text says. */
const RATE_EXCEEDED = String.raw`\brate[ -]limit exceeded\b|\btoo[ _]many[ _]requests\b`;
const PLAIN_RATE = new RegExp(RATE_EXCEEDED);
const REPORTED_RATE = anyOf(
  RATE_EXCEEDED,
  String.raw`\brate[ -]limit(?:s|ed|ing)?\b${NAMES_A_SETTING}`,
  String.raw`\brate_limit(?:ed|_exceeded|_error|_reached)\b`,
  String.raw`\bratelimit(?:ed|error| ?exceeded)\b`,
  reportedStatus(429),
  String.raw`^429\b(?! \w+s\b)`,
);
const REPORTED_TIMEOUT = anyOf(
  String.raw`\btimed out\b`,
  String.raw`\b(?:request|connection|connect|read|gateway|operation|call|query|statement|socket|upstream|execution) ?timeout\b${NAMES_A_SETTING}`,
  String.raw`\btimeout(?: \w+){0,3} (?:after|exceeded|expired|reached|waiting|while)\b`,
  String.raw`\btimeout ?error\b`,
  String.raw`(?:^|\b(?:error|failed): )timeout[.!]?$`,
);
const REPORTED_UNAVAILABLE = anyOf(
  String.raw`\btemporarily unavailable\b|\bservice unavailable\b`,
  reportedStatus(503),
);
const REPORTED_FAULT = /\binvalid\b|\bvalidation\b|\brequired\b|\bmissing argument\b/;

/** The transient condition that an `isError` text plainly reports, if any. */
export function reportedTransient(text: string): ErrorCode | undefined {
  const lower = text.slice(0, 8192).toLowerCase().trim();
  if (REPORTED_FAULT.test(lower)) {
    return PLAIN_RATE.test(lower) ? 'TOOL_RATE_LIMITED' : undefined;
  }
  if (REPORTED_RATE.test(lower)) return 'TOOL_RATE_LIMITED';
  if (REPORTED_TIMEOUT.test(lower)) return 'TOOL_TIMEOUT';
  return REPORTED_UNAVAILABLE.test(lower) ? 'UPSTREAM_UNAVAILABLE' : undefined;
}

function has(text: string, words: Words): boolean {
  return words.some((word) => (typeof word === 'string' ? text.includes(word) : word.test(text)));
}
