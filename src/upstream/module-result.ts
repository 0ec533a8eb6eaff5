// What a module tool returned, as a result: it must be JSON, all of it, because a value that changes
// on its way to the caller (NaN to null, a function to nothing) would be an untruth.
import type { ResultPolicy } from '../call.js';
import type { Outcome, ResultBody } from '../errors/outcome.js';
import { JsonChecker } from '../json/check.js';
import { cutUtf8 } from '../json/utf8.js';
import { MAX_RESULT_DEPTH, type ValidateOutput } from './result-check.js';

/** Turns a function's return value into an outcome. Never throws. */
export function moduleResult(
  value: unknown,
  policy: ResultPolicy,
  validateOutput: ValidateOutput | undefined,
): Outcome {
  const body = toBody(value);
  if (body === undefined) {
    return {
      kind: 'result-invalid',
      problem: 'shape',
      explanation: 'The tool returned something that JSON cannot hold.',
    };
  }
  const text = body.kind === 'value' ? 'null' : body.text;
  const sizeBytes = Buffer.byteLength(text);
  if (sizeBytes > policy.maxBytes) {
    if (policy.onOversize === 'truncate' && validateOutput === undefined) {
      const cut = cutUtf8(text, policy.maxBytes);
      return { kind: 'ok', result: { kind: 'text', text: cut }, truncatedFromBytes: sizeBytes };
    }
    return { kind: 'result-too-large', limitBytes: policy.maxBytes, sizeBytes };
  }
  if (validateOutput === undefined) return { kind: 'ok', result: body };
  // Held against what the caller will read, not against the live object.
  const delivered: unknown = body.kind === 'json' ? JSON.parse(body.text) : (value ?? null);
  const errors = validateOutput(delivered);
  if (errors === undefined) return { kind: 'ok', result: body };
  if (policy.validation === 'warn') {
    return { kind: 'ok', result: body, warnings: ['TOOL_RESULT_ERROR'] };
  }
  return {
    kind: 'result-invalid',
    problem: 'schema',
    explanation: 'The result does not match the output schema of the tool.',
    errors,
    content: delivered,
  };
}

type ModuleBody = Extract<ResultBody, { kind: 'text' | 'json' }> | { kind: 'value'; value: null };

function toBody(value: unknown): ModuleBody | undefined {
  if (value === undefined || value === null) return { kind: 'value', value: null };
  if (typeof value === 'string') return { kind: 'text', text: value };
  try {
    // undefined for a function or a symbol, whatever the type says.
    const text = JSON.stringify(value, refuseLoss) as string | undefined;
    return text === undefined || isTooDeep(text) ? undefined : { kind: 'json', text };
  } catch {
    // A BigInt, a cycle, a getter that throws.
    return undefined;
  }
}

/** What JSON.stringify would drop or change without a word. */
function refuseLoss(_key: string, value: unknown): unknown {
  const lost =
    typeof value === 'function' ||
    typeof value === 'symbol' ||
    (typeof value === 'number' && !Number.isFinite(value));
  if (lost) throw new TypeError('not JSON');
  return value;
}

function isTooDeep(text: string): boolean {
  if (text.length < 2 * MAX_RESULT_DEPTH) return false;
  return !new JsonChecker(MAX_RESULT_DEPTH).push(Buffer.from(text));
}
