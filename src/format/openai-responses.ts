// OpenAI's Responses API: `output` items of type `function_call`, each answered by an item of
// type `function_call_output`, which takes text or a list with images.
import { modelContent, plainText } from './model-content.js';
import type { ModelContent } from './model-content.js';
import { offerFunctions } from './offer.js';
import { toStrictSchema } from './strict-schema.js';
import { isObject } from '../json/object.js';
import type { FoundCall, WireFormat } from './wire-format.js';

const CALL_TYPES = new Set<unknown>(['function_call', 'custom_tool_call']);

/** Who made the call: the model, or a program it runs; its answer repeats it. */
type Caller = { type: 'direct' } | { type: 'program'; caller_id: string };

/** What of a call item its answer repeats. */
interface Wire {
  readonly custom: boolean;
  readonly caller: Caller | undefined;
}

function callerOf(value: unknown): Caller | undefined {
  if (!isObject(value)) return undefined;
  const { type, caller_id: id } = value;
  if (type === 'program' && typeof id === 'string') return { type, caller_id: id };
  return type === 'direct' ? { type } : undefined;
}

function isCallItem(item: unknown): boolean {
  return isObject(item) && CALL_TYPES.has(item['type']);
}

function itemsOf(body: unknown): { at: string; items: readonly unknown[] } {
  if (Array.isArray(body)) return { at: '', items: body };
  if (isObject(body) && Array.isArray(body['output']))
    return { at: '/output', items: body['output'] };
  return { at: '', items: [] };
}

function read(item: unknown, at: string): FoundCall | undefined {
  if (!isObject(item) || !isCallItem(item)) return undefined;
  const custom = item['type'] === 'custom_tool_call';
  const wire: Wire = { custom, caller: callerOf(item['caller']) };
  return {
    at,
    argumentsAt: `${at}/${custom ? 'input' : 'arguments'}`,
    id: item['call_id'],
    name: item['name'],
    args: custom ? item['input'] : item['arguments'],
    wire,
  };
}

function output(content: ModelContent) {
  if (content.images.length === 0) return plainText(content);
  return [
    { type: 'input_text' as const, text: plainText(content) },
    ...content.images.map(({ mimeType, data }) => ({
      type: 'input_image' as const,
      detail: 'auto' as const,
      image_url: `data:${mimeType};base64,${data}`,
    })),
  ];
}

export const openaiResponses = {
  name: 'openai-responses',

  detect(body) {
    if (Array.isArray(body)) return body.some(isCallItem);
    if (!isObject(body)) return false;
    return body['object'] === 'response' || Array.isArray(body['output']) || isCallItem(body);
  },

  parse(body) {
    if (isCallItem(body)) {
      const only = read(body, '');
      return only ? [only] : [];
    }
    const { at, items } = itemsOf(body);
    return items.flatMap((item, i) => read(item, `${at}/${i}`) ?? []);
  },

  render(answers, options) {
    return answers.map(({ result, wire }) => {
      const { custom, caller } = wire as Wire;
      const answer = {
        call_id: result.id,
        output: output(modelContent(result, options, 'images')),
        ...(caller && { caller }),
      };
      return custom
        ? { type: 'custom_tool_call_output' as const, ...answer }
        : { type: 'function_call_output' as const, ...answer };
    });
  },

  offer(tools, toAlias) {
    return offerFunctions(tools, toAlias, (tool, name, description) => {
      const { schema, strict, notes } = toStrictSchema(tool.inputSchema, 'openai');
      return {
        tool: { type: 'function' as const, name, description, parameters: schema, strict },
        notes,
      };
    });
  },
} as const satisfies WireFormat;
