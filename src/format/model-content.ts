// What a model reads of one answer, before a provider's shape is put around it: one sentence of
// ours about a failure, the tool's own words inside the untrusted envelope, and images.
import type { ToolResult } from '../call.js';
import type { ErrorInfo } from '../errors/error-info.js';
import { wrapUntrusted } from './envelope.js';
import { modelSentence } from './model-text.js';
import { isMcpResult, readContent, readValue } from './result-content.js';
import type { Image } from './result-content.js';
import { isObject } from '../json/object.js';
import type { RenderOptions } from './wire-format.js';

export interface ModelContent {
  /** Ours: what happened and what to do. '' where the call succeeded. */
  readonly sentence: string;
  /** The tool's words, wrapped unless the caller wraps them itself. */
  readonly text: string;
  readonly images: readonly Image[];
  /** Set where the call failed; a refusal is no failure. */
  readonly failure?: ErrorInfo;
  /** The JSON object itself, only where the caller wraps untrusted text itself. */
  readonly value?: object;
}

/** What a failure says beside its code: message, faults by place, what was delivered all the same. */
function failureText(info: ErrorInfo): string {
  const lines = [info.reason === undefined ? info.message : `${info.reason}: ${info.message}`];
  const { errors, content } = info.details;
  if (isObject(errors)) {
    for (const [at, problem] of Object.entries(errors)) {
      lines.push(`${at === '' ? '(arguments)' : at}: ${String(problem)}`);
    }
  }
  if (content !== undefined && content !== null) {
    lines.push(typeof content === 'string' ? content : JSON.stringify(content));
  }
  return lines.join('\n');
}

function successContent(
  result: ToolResult,
  options: RenderOptions,
  takesImages: boolean,
): ModelContent {
  const { text, images } = readContent(result.result, takesImages);
  if (options.envelope === 'none') {
    const value = result.result === null ? null : readValue(result.result);
    const showValue = isObject(value) && !isMcpResult(value);
    return { sentence: '', text, images, ...(showValue && { value }) };
  }
  const wrapped = wrapUntrusted(text, {
    source: 'tool_result',
    truncated: result.truncatedFromBytes !== undefined,
    onSuspicion: options.onSuspicion?.(result.tool) ?? 'annotate',
  });
  return { sentence: '', text: wrapped, images };
}

/** What a model reads of one answer. Without `images`, images become a note in the text. */
export function modelContent(
  result: ToolResult,
  options: RenderOptions,
  images?: 'images',
): ModelContent {
  const info = result.errorInfo;
  if (info === null) return successContent(result, options, images === 'images');
  const text = failureText(info);
  const declined = result.status === 'declined';
  return {
    sentence: modelSentence(info, options.toAlias),
    text:
      options.envelope === 'none'
        ? text
        : wrapUntrusted(text, {
            source: declined ? 'tool_refusal' : 'tool_result',
            truncated: false,
            onSuspicion: options.onSuspicion?.(result.tool) ?? 'annotate',
          }),
    images: [],
    ...(!declined && { failure: info }),
  };
}

/** Sentence and words one under the other, for providers that mark errors beside the text. */
export function sentenceAndText(content: ModelContent): string {
  return content.sentence === '' ? content.text : `${content.sentence}\n${content.text}`;
}

/** The `error` member of an answer, for providers whose only mark of an error is its shape. */
export function errorObject(content: ModelContent, info: ErrorInfo): Record<string, unknown> {
  return {
    code: info.code,
    category: info.category,
    // A reason that is no plain code may be anybody's words; those stand in the envelope.
    ...(info.reason !== undefined && /^[\w.-]{1,64}$/.test(info.reason) && { reason: info.reason }),
    message: content.sentence,
    retryable: info.retryable,
    retry_after_ms: info.retry_after_ms,
    effect: info.effect,
    data: content.text,
  };
}

/** One text; a failure is JSON with an `error` member. */
export function plainText(content: ModelContent): string {
  return content.failure === undefined
    ? sentenceAndText(content)
    : JSON.stringify({ error: errorObject(content, content.failure) });
}
