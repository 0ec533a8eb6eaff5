// Gemini: `functionCall` parts of a candidate's content (snake_case as its Python package prints
// it, too). One content answers them all, part by part, in their order; ids only where one came.
import { errorObject, modelContent, sentenceAndText } from './model-content.js';
import type { ModelContent } from './model-content.js';
import { offerFunctions } from './offer.js';
import { isObject } from '../json/object.js';
import type { Answer, FoundCall, WireFormat } from './wire-format.js';

interface Wire {
  readonly id: string | undefined;
}

interface Located {
  readonly at: string;
  readonly parts: readonly unknown[];
}

/** The key under which a part holds its call, if it does. */
function callKey(part: unknown): 'functionCall' | 'function_call' | undefined {
  if (!isObject(part)) return undefined;
  if (isObject(part['functionCall'])) return 'functionCall';
  return isObject(part['function_call']) ? 'function_call' : undefined;
}

function isCallPart(part: unknown): boolean {
  return callKey(part) !== undefined;
}

function locate(body: unknown): Located | undefined {
  if (Array.isArray(body)) return { at: '', parts: body };
  if (!isObject(body)) return undefined;
  if (Array.isArray(body['parts'])) return { at: '/parts', parts: body['parts'] };
  if (isObject(body['content'])) {
    const inner = locate(body['content']);
    return inner && { at: `/content${inner.at}`, parts: inner.parts };
  }
  if (!Array.isArray(body['candidates'])) return undefined;
  for (const [i, candidate] of body['candidates'].entries()) {
    const inner = isObject(candidate) ? locate(candidate) : undefined;
    if (inner?.parts.some(isCallPart))
      return { at: `/candidates/${i}${inner.at}`, parts: inner.parts };
  }
  return undefined;
}

function read(part: unknown, at: string): FoundCall | undefined {
  const key = callKey(part);
  if (key === undefined || !isObject(part)) return undefined;
  const call = part[key];
  if (!isObject(call)) return undefined;
  const { id, name, args } = call;
  const wire: Wire = { id: typeof id === 'string' && id !== '' ? id : undefined };
  return { at: `${at}/${key}`, argumentsAt: `${at}/${key}/args`, id, name, args, wire };
}

function response(content: ModelContent): Record<string, unknown> {
  return content.failure === undefined
    ? { output: content.value ?? sentenceAndText(content) }
    : { error: errorObject(content, content.failure) };
}

function answerPart({ result, name, wire }: Answer, content: ModelContent) {
  const { id } = wire as Wire;
  return {
    functionResponse: {
      ...(id !== undefined && { id }),
      name: name === '' ? result.tool : name,
      response: response(content),
      ...(content.images.length > 0 && {
        parts: content.images.map(({ mimeType, data }) => ({ inlineData: { mimeType, data } })),
      }),
    },
  };
}

export const gemini = {
  name: 'gemini',

  detect(body) {
    if (Array.isArray(body)) return body.some(isCallPart);
    if (!isObject(body)) return false;
    if (Array.isArray(body['candidates']) || Array.isArray(body['parts'])) return true;
    return isObject(body['content']) && Array.isArray(body['content']['parts']);
  },

  parse(body) {
    const located = locate(body);
    return located?.parts.flatMap((part, i) => read(part, `${located.at}/${i}`) ?? []) ?? [];
  },

  render(answers, options) {
    const parts = answers.map((answer) =>
      answerPart(answer, modelContent(answer.result, options, 'images')),
    );
    return [{ role: 'user' as const, parts }];
  },

  offer(tools, toAlias) {
    const offer = offerFunctions(tools, toAlias, (tool, name, description) => ({
      tool: { name, description, parametersJsonSchema: tool.inputSchema },
      notes: [],
    }));
    return { tools: [{ functionDeclarations: offer.tools }], notes: offer.notes };
  },
} as const satisfies WireFormat;
