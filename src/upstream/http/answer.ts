// What an answer means as an outcome: evidence of a failure, or a result, kept as it came wherever
// nothing needs its value.
import type { IncomingHttpHeaders } from 'node:http';
import type { HttpUpstreamDefinition, ToolDefinition } from '../../call.js';
import type { ValidateOutput } from '../result-check.js';
import { ERROR_BODY_MAX_BYTES, type Outcome, type ResultBody } from '../../errors/outcome.js';
import { checkJson, joined, looksLikeJson, parseChecked, utf8Of } from './answer-json.js';
import { decodeText } from './charset.js';
import { decompress, readCodings } from './decompress.js';
import type { Answer, AnswerLimits } from './exchange.js';
import { readMediaType, type MediaType } from './media-type.js';
import { invalidResult, ResultRule } from './result-rule.js';

/** How far past its limit a result is read to learn its size, as a multiple of the limit. */
const READ_ON_FACTOR = 16;

/** Reads a tool's answers. Built once per tool. */
export class AnswerReader implements AnswerLimits {
  readonly maxBytes: number;
  readonly readBytes: number;
  readonly #rule: ResultRule | undefined;
  readonly #truncates: boolean;
  readonly #isHead: boolean;

  constructor(
    tool: ToolDefinition,
    definition: HttpUpstreamDefinition,
    validateOutput: ValidateOutput | undefined,
  ) {
    const { maxBytes, onOversize, validation } = tool.policy.result;
    this.#rule = ResultRule.compile(definition, validateOutput, validation);
    // Half a JSON text has no value that a pointer or a schema could be held against.
    this.#truncates = onOversize === 'truncate' && this.#rule === undefined;
    this.#isHead = definition.method.toUpperCase() === 'HEAD';
    this.maxBytes = maxBytes;
    this.readBytes = this.#truncates ? maxBytes * READ_ON_FACTOR : maxBytes;
  }

  /** What the head of an answer decides alone: a type no result can have, a size over the limit. */
  screen(status: number, headers: IncomingHttpHeaders): Outcome | undefined {
    const declared = declaredBytes(headers);
    if (status >= 300 || status === 204 || this.#isHead || declared === 0) return undefined;
    const type = readMediaType(headers['content-type']);
    if (type.family === 'binary') return unusableType(type, status);
    if (this.#truncates || declared === undefined || declared <= this.maxBytes) return undefined;
    return this.#tooLarge(headers);
  }

  /** The outcome of an answer; a promise only where something must be unpacked. Never throws. */
  read(answer: Answer): Outcome | Promise<Outcome> {
    const codings = readCodings(answer.headers['content-encoding']);
    if (codings.length === 0 || answer.byteLength === 0) return this.#readPlain(answer);
    return this.#unpack(answer, codings);
  }

  async #unpack(answer: Answer, codings: readonly string[]): Promise<Outcome> {
    const isResult = answer.status < 300;
    const keepBytes = isResult ? this.maxBytes : ERROR_BODY_MAX_BYTES;
    const readBytes = isResult ? this.readBytes : ERROR_BODY_MAX_BYTES;
    const cut = answer.bytesSeen > answer.byteLength;
    if (cut && isResult && !this.#truncates) return this.#tooLarge(answer.headers);
    const decoded = await decompress(answer.chunks, codings, !cut, keepBytes, readBytes);
    if (typeof decoded !== 'string') return this.#readPlain({ ...answer, ...decoded });
    if (!isResult) return this.#readPlain({ ...answer, ...NOTHING });
    const what =
      decoded === 'broken'
        ? 'The answer could not be decompressed.'
        : 'The answer has a content encoding that is not supported.';
    return invalidResult('decompression', what, answer.status);
  }

  #readPlain(answer: Answer): Outcome {
    if (answer.status >= 300) return responseOf(answer);
    if (answer.byteLength === 0) return this.#succeed(answer, { kind: 'value', value: null });
    const type = readMediaType(answer.headers['content-type']);
    if (answer.bytesSeen > answer.byteLength) {
      return this.#truncates ? cutResult(answer, type) : this.#tooLarge(answer.headers);
    }
    switch (type.family) {
      case 'json':
        return this.#readJson(answer, type);
      case 'text':
      case 'unknown':
        return this.#readText(answer, type);
      case 'binary':
        return unusableType(type, answer.status);
    }
  }

  #readJson(answer: Answer, type: MediaType): Outcome {
    const json = checkJson(utf8Of(answer.chunks, type.charset));
    if (json !== undefined) return this.#succeed(answer, json);
    const what = 'The answer is declared as JSON but is not valid JSON.';
    return invalidResult('json', what, answer.status);
  }

  #readText(answer: Answer, type: MediaType): Outcome {
    // Undeclared JSON counts as JSON where the type says nothing, and where a value is needed.
    if ((type.family === 'unknown' || this.#rule !== undefined) && looksLikeJson(answer.chunks)) {
      const json = checkJson(utf8Of(answer.chunks, type.charset));
      if (json !== undefined) return this.#succeed(answer, json);
    }
    if (this.#rule?.needsJson === true) return unusableType(type, answer.status);
    const text = decodeText(joined(answer.chunks), type.charset, false);
    // Bytes that nobody declared as text are none, unless they have no type at all.
    const declared = type.family === 'text' || type.essence === '';
    const isText = declared || (type.charset !== undefined && text?.includes('\0') === false);
    if (!isText) return unusableType(type, answer.status);
    if (text !== undefined) return this.#succeed(answer, { kind: 'text', text });
    const what = 'The answer is not text in the charset that it declares.';
    return invalidResult('encoding', what, answer.status);
  }

  #succeed(answer: Answer, result: ResultBody): Outcome {
    if (this.#rule === undefined) return { kind: 'ok', result };
    const outcome = this.#rule.apply(parseChecked(result), result, answer.status);
    return outcome ?? { ...responseOf(answer), predicateFailed: true };
  }

  #tooLarge(headers: IncomingHttpHeaders): Outcome {
    const sizeBytes = plainBytes(headers) ?? null;
    return { kind: 'result-too-large', limitBytes: this.maxBytes, sizeBytes };
  }
}

const NOTHING = { chunks: [], byteLength: 0, bytesSeen: 0 };

function responseOf(answer: Answer): Outcome & { kind: 'response' } {
  const { status, headers } = answer;
  const bytes = joined(answer.chunks).subarray(0, ERROR_BODY_MAX_BYTES);
  const truncated = answer.bytesSeen > bytes.length;
  const { charset } = readMediaType(headers['content-type']);
  const body = decodeText(bytes, charset, truncated) ?? bytes.toString('latin1');
  return { kind: 'response', status, headers, body, ...(truncated && { bodyTruncated: true }) };
}

/** The first part of an oversized result, as text whatever it was. */
function cutResult(answer: Answer, type: MediaType): Outcome {
  const text = decodeText(joined(answer.chunks), type.charset, true);
  if (text === undefined) return unusableType(type, answer.status);
  const truncatedFromBytes = plainBytes(answer.headers) ?? answer.bytesSeen;
  return { kind: 'ok', result: { kind: 'text', text }, truncatedFromBytes };
}

function unusableType(type: MediaType, status: number): Outcome {
  const name = type.essence === '' ? 'of no declared type' : type.essence;
  const what = `The answer is ${name}, which is not what this tool can return.`;
  return invalidResult('content_type', what, status);
}

function declaredBytes(headers: IncomingHttpHeaders): number | undefined {
  const declared = headers['content-length'];
  return declared !== undefined && /^\d{1,15}$/.test(declared) ? Number(declared) : undefined;
}

/** The declared size of a body without content codings. */
function plainBytes(headers: IncomingHttpHeaders): number | undefined {
  return headers['content-encoding'] === undefined ? declaredBytes(headers) : undefined;
}
