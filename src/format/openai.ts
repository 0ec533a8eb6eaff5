// OpenAI chat completions (and the many APIs that speak them): an assistant message with
// `tool_calls`, or a whole completion. Each call is answered by a message of its own.
import { modelContent, plainText } from './model-content.js';
import { offerFunctions } from './offer.js';
import { toStrictSchema } from './strict-schema.js';
import { isObject } from '../json/object.js';
import type { FoundCall, WireFormat } from './wire-format.js';

interface Located {
  readonly at: string;
  readonly list: readonly unknown[];
}

/** `tool_calls` of a message, or of the first choice that has any. */
function locate(body: unknown): Located | undefined {
  if (Array.isArray(body)) return { at: '', list: body };
  if (!isObject(body)) return undefined;
  if (Array.isArray(body['tool_calls'])) return { at: '/tool_calls', list: body['tool_calls'] };
  if (isObject(body['message'])) {
    const inner = locate(body['message']);
    return inner && { at: `/message${inner.at}`, list: inner.list };
  }
  if (!Array.isArray(body['choices'])) return undefined;
  for (const [i, choice] of body['choices'].entries()) {
    const inner = isObject(choice) ? locate(choice) : undefined;
    if (inner !== undefined && inner.list.length > 0)
      return { at: `/choices/${i}${inner.at}`, list: inner.list };
  }
  return undefined;
}

function read(raw: unknown, at: string): FoundCall {
  if (!isObject(raw)) {
    return { at, id: undefined, name: undefined, args: {}, faults: { '': 'must be an object' } };
  }
  const { id } = raw;
  if (isObject(raw['custom'])) {
    const { name, input } = raw['custom'];
    return { at, argumentsAt: `${at}/custom/input`, id, name, args: input };
  }
  const fn = isObject(raw['function']) ? raw['function'] : {};
  return {
    at,
    argumentsAt: `${at}/function/arguments`,
    id,
    name: fn['name'],
    args: fn['arguments'],
  };
}

export const openai = {
  name: 'openai',

  detect(body) {
    if (Array.isArray(body)) {
      return body.some(
        (item) => isObject(item) && (isObject(item['function']) || isObject(item['custom'])),
      );
    }
    if (!isObject(body)) return false;
    if (Array.isArray(body['choices']) || Array.isArray(body['tool_calls'])) return true;
    if (isObject(body['message'])) return Array.isArray(body['message']['tool_calls']);
    return body['role'] === 'assistant' && !Array.isArray(body['content']);
  },

  parse(body) {
    const located = locate(body);
    return located?.list.map((raw, i) => read(raw, `${located.at}/${i}`)) ?? [];
  },

  render(answers, options) {
    return answers.map((answer) => ({
      role: 'tool' as const,
      tool_call_id: answer.result.id,
      content: plainText(modelContent(answer.result, options)),
    }));
  },

  offer(tools, toAlias) {
    return offerFunctions(tools, toAlias, (tool, name, description) => {
      const { schema, strict, notes } = toStrictSchema(tool.inputSchema, 'openai');
      return {
        tool: {
          type: 'function' as const,
          function: { name, description, parameters: schema, strict },
        },
        notes,
      };
    });
  },
} as const satisfies WireFormat;
