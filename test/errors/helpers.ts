// Subjects and short cuts for the classifier's tests.
import { compileErrorRules } from '../../src/errors/author-rules.js';
import { classify, type ClassifySubject } from '../../src/errors/classify.js';
import type { Classification, ErrorInfo } from '../../src/errors/error-info.js';
import type { ErrorRule } from '../../src/errors/error-rule.js';
import type { FailedOutcome, HeaderBag } from '../../src/errors/outcome.js';
import { createScrubber } from '../../src/errors/scrub.js';

type Options = Partial<Omit<ClassifySubject, 'rules' | 'scrubber'>> & {
  readonly rules?: readonly ErrorRule[];
  readonly secrets?: readonly string[];
};

/** An idempotent HTTP tool without rules, unless told otherwise. */
export function subject({ rules = [], secrets = [], ...rest }: Options = {}): ClassifySubject {
  return {
    toolName: 'tool',
    kind: 'http',
    idempotent: true,
    trust503: false,
    ...rest,
    rules: compileErrorRules(rules),
    scrubber: createScrubber(secrets),
  };
}

export function mcpSubject(options: Options = {}): ClassifySubject {
  return subject({ kind: 'mcp', serverName: 'srv', ...options });
}

/** An HTTP answer; an object becomes its JSON. */
export function response(
  status: number,
  headers: HeaderBag = {},
  body: unknown = '',
): FailedOutcome {
  return {
    kind: 'response',
    status,
    headers,
    body: typeof body === 'string' ? body : JSON.stringify(body),
    ...(status >= 200 && status < 300 && { predicateFailed: true }),
  };
}

/** An error with a code, as Node and undici throw it. */
export function coded(code: string, name = 'Error'): Error {
  return Object.assign(new Error(`connect ${code} 127.0.0.1:1`), { code, name });
}

export function of(outcome: FailedOutcome, options: Options = {}, keySent = false): Classification {
  return classify(outcome, subject(options), keySent);
}

export function infoOf(outcome: FailedOutcome, options: Options = {}): ErrorInfo {
  return of(outcome, options).info;
}

/** One line of a table of taxonomy.md, as the classification shows it. */
export function line({ info, breaker }: Classification): string {
  const letter = { failure: 'F', success: 'S', neutral: 'N' }[breaker];
  const transient = info.details.transient ? 'yes' : 'no';
  return `${info.code} | ${transient} | ${info.effect} | ${letter}`;
}
