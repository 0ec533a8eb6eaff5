// The header lines of a request: what the author set, what the gateway adds, what travels with the
// call. Checked here, because undici's pool loses a connection to every request it finds invalid.
import type { Attempt, HttpUpstreamDefinition, JsonObject, ResolvedCall } from '../../call.js';
import { TOKEN, isReservedHeader, UNSENDABLE } from '../../header-rules.js';
import { ArgumentFault } from './argument-fault.js';
import {
  asText,
  compileTemplate,
  splitPlaceholders,
  type IsArgument,
} from '../../json/template.js';

/** Writes all header lines as name, value, name, value… Throws ArgumentFault. */
export type HeaderWriter = (call: ResolvedCall, attempt: Attempt) => string[];

/** Milliseconds left to the attempt. */
const TIMEOUT_HEADER = 'x-request-timeout-ms';

/** Sent unless the author sets them. */
const DEFAULTS: Readonly<Record<string, string>> = {
  accept: 'application/json, text/*;q=0.9, */*;q=0.1',
  // Decoding costs more than it saves on most answers; a tool that wants it says so.
  'accept-encoding': 'identity',
  'user-agent': 'toolgate',
};

/** Why the author may not set this header to this value. */
function headerProblem(name: string, value: string): string | undefined {
  if (!TOKEN.test(name)) return 'A header has an invalid name.';
  if (isReservedHeader(name)) return `The header ${name} cannot be set.`;
  return UNSENDABLE.test(value) ? `The header ${name} has an invalid value.` : undefined;
}

/**
 * Compiles a tool's headers.
 *
 * @param extra what the URL or the body asks for; the author's own headers win
 * @throws Error where a header can never be sent
 */
export function compileHeaders(
  definition: HttpUpstreamDefinition,
  extra: Readonly<Record<string, string | undefined>>,
  keyHeader: string | undefined,
  isArgument: IsArgument,
): HeaderWriter {
  const fixed = new Map<string, string>();
  for (const [name, value] of Object.entries({ ...DEFAULTS, ...extra })) {
    if (value !== undefined) fixed.set(name, value);
  }
  const filled: [name: string, write: (args: JsonObject) => string | undefined][] = [];
  for (const [name, source] of Object.entries(definition.headers)) {
    const problem = headerProblem(name, source);
    if (problem !== undefined) throw new Error(problem);
    const key = name.toLowerCase();
    fixed.delete(key);
    const write = compileHeaderValue(source, isArgument);
    if (typeof write === 'string') fixed.set(key, write);
    else filled.push([key, write]);
  }
  const isSet = new Set([...fixed.keys(), ...filled.map(([name]) => name)]);
  const says = !isSet.has(TIMEOUT_HEADER);
  // The place of the time left is kept free: an array that grows is copied, and twice as large.
  const constant = [...fixed].flat();
  if (says) constant.push(TIMEOUT_HEADER, '');
  const timeoutAt = constant.length - 1;
  return (call, attempt) => {
    const lines = constant.slice();
    if (says) {
      const leftMs = Math.ceil(attempt.deadlineAt - performance.now());
      lines[timeoutAt] = String(Math.max(1, leftMs));
    }
    for (const [name, write] of filled) {
      const value = write(call.arguments);
      if (value !== undefined) lines.push(name, value);
    }
    addUnlessSet(lines, isSet, 'traceparent', attempt.traceparent);
    const forwarded = attempt.ctx.forwardHeaders;
    if (forwarded !== undefined) {
      for (const name of Object.keys(forwarded)) {
        addUnlessSet(lines, isSet, name.toLowerCase(), forwarded[name]);
      }
    }
    if (keyHeader !== undefined && call.idempotencyKey !== undefined) {
      lines.push(keyHeader, keyInHeader(call.idempotencyKey));
      attempt.ctx.keySent = true;
    }
    return lines;
  };
}

function addUnlessSet(
  lines: string[],
  isSet: ReadonlySet<string>,
  name: string,
  value: string | undefined,
): void {
  if (value !== undefined && !isSet.has(name) && !UNSENDABLE.test(value)) lines.push(name, value);
}

function compileHeaderValue(
  source: string,
  isArgument: IsArgument,
): string | ((args: JsonObject) => string | undefined) {
  const names = splitPlaceholders(source, isArgument).flatMap((piece) =>
    'argument' in piece ? [piece.argument] : [],
  );
  const [first] = names;
  if (first === undefined) return source;
  const template = compileTemplate(source, isArgument);
  return (args) => {
    const value = template(args);
    if (value === undefined || value === null) return undefined;
    const text = asText(value);
    if (UNSENDABLE.test(text)) {
      throw new ArgumentFault(first, 'goes into a header and holds characters that one cannot');
    }
    return text;
  };
}

/** An idempotency key as it may stand in a header; one that cannot is percent-encoded, the same each time. */
export function keyInHeader(key: string): string {
  return UNSENDABLE.test(key) ? encodeURIComponent(key.replace(/\p{Surrogate}/gu, '\ufffd')) : key;
}
