// Reads a `tools/call` result ourselves: the official client takes one that asks for input for a
// success, drops a falsy structuredContent, and reports a schema mismatch as bad arguments.
import type { JsonObject, ResultBody, ToolDefinition } from '../../call.js';
import {
  ERROR_BODY_MAX_BYTES,
  type McpResultOutcome,
  type Outcome,
  type ResultInvalidOutcome,
} from '../../errors/outcome.js';
import { isObject } from '../../json/object.js';
import { cutUtf8 } from '../../json/utf8.js';
import type { ValidateOutput } from '../result-check.js';
import { FRAMING_BYTES } from './pending.js';

/** What one tool's results are measured against; built once per tool. */
export interface ResultContract {
  readonly policy: ToolDefinition['policy']['result'];
  /** The tool declares an output schema. */
  readonly structured: boolean;
  readonly validateOutput: ValidateOutput | undefined;
}

/**
 * The outcome of a result as it came.
 *
 * @param bytes size on the wire; null where only the stream's limit applies.
 */
export function readResult(
  result: unknown,
  bytes: number | null,
  contract: ResultContract,
): Outcome {
  if (!isObject(result)) return notAResult();
  const { resultType, isError, structuredContent } = result;
  if (resultType === 'input_required') return problem('input_required', result);
  if (resultType !== undefined && resultType !== 'complete') {
    return problem('unknown_result_type', result);
  }
  if (!isContent(result['content'], structuredContent)) return notAResult();
  if (isError === true) return problem('is_error', result);
  const { maxBytes, onOversize } = contract.policy;
  if (bytes !== null && bytes > maxBytes + FRAMING_BYTES) {
    if (onOversize === 'truncate') return truncate(result, bytes, maxBytes);
    return { kind: 'result-too-large', limitBytes: maxBytes, sizeBytes: bytes };
  }
  return check(result, contract);
}

function check(
  result: JsonObject,
  { policy, structured, validateOutput }: ResultContract,
): Outcome {
  const value = {
    content: result['content'] ?? [],
    ...('structuredContent' in result && { structuredContent: result['structuredContent'] }),
  };
  const body: ResultBody = { kind: 'value', value };
  if (!structured) return { kind: 'ok', result: body };
  const errors =
    'structuredContent' in result
      ? validateOutput?.(result['structuredContent'])
      : { '': 'structuredContent is missing' };
  if (errors === undefined) return { kind: 'ok', result: body };
  if (policy.validation === 'warn') {
    return { kind: 'ok', result: body, warnings: ['TOOL_RESULT_ERROR'] };
  }
  const invalid: ResultInvalidOutcome = {
    kind: 'result-invalid',
    problem: 'schema',
    explanation: 'The structured content does not match the output schema of the tool.',
    errors,
    content: value.content,
  };
  return invalid;
}

/** The text of the result up to the limit, in the shape of a result. */
function truncate(result: JsonObject, bytes: number, maxBytes: number): Outcome {
  const text = cutUtf8(joinedText(result['content']), maxBytes);
  return {
    kind: 'ok',
    result: { kind: 'value', value: { content: [{ type: 'text', text }] } },
    truncatedFromBytes: bytes,
  };
}

function problem(kind: McpResultOutcome['problem'], result: JsonObject): McpResultOutcome {
  return {
    kind: 'mcp-result',
    problem: kind,
    text: cutUtf8(joinedText(result['content']), ERROR_BODY_MAX_BYTES),
    ...('structuredContent' in result && { structuredContent: result['structuredContent'] }),
  };
}

function notAResult(): McpResultOutcome {
  return { kind: 'mcp-result', problem: 'not_a_result', text: '' };
}

/** A list of typed parts; it may be absent where there is structured content. */
function isContent(content: unknown, structuredContent: unknown): boolean {
  if (content === undefined) return structuredContent !== undefined;
  return (
    Array.isArray(content) &&
    content.every((part: unknown) => isObject(part) && typeof part['type'] === 'string')
  );
}

function joinedText(content: unknown): string {
  if (!Array.isArray(content)) return '';
  const texts = content.flatMap((part: unknown) =>
    isObject(part) && typeof part['text'] === 'string' ? [part['text']] : [],
  );
  return texts.join('\n');
}
