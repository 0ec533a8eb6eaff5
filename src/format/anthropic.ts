// Anthropic Messages: `tool_use` blocks in a message's content. All answers stand in one user
// message that holds nothing before them; errors carry `is_error`, a refusal is data.
import { modelContent, sentenceAndText } from './model-content.js';
import type { ModelContent } from './model-content.js';
import { offerFunctions } from './offer.js';
import { toStrictSchema } from './strict-schema.js';
import { isObject } from '../json/object.js';
import type { FoundCall, WireFormat } from './wire-format.js';

/** Block types that tell a list of content blocks from other lists. */
const KNOWN_BLOCKS = new Set<unknown>(['text', 'thinking', 'redacted_thinking', 'tool_use']);

interface Wire {
  readonly toolset: unknown;
}

function blocksOf(body: unknown): { at: string; blocks: readonly unknown[] } {
  if (Array.isArray(body)) return { at: '', blocks: body };
  if (isObject(body) && Array.isArray(body['content']))
    return { at: '/content', blocks: body['content'] };
  return { at: '', blocks: [] };
}

function isToolUse(block: unknown): boolean {
  return isObject(block) && block['type'] === 'tool_use';
}

function read(block: unknown, at: string): FoundCall | undefined {
  if (!isObject(block) || !isToolUse(block)) return undefined;
  const wire: Wire = { toolset: block['toolset_name'] };
  const { id, name, input: args } = block;
  return { at, argumentsAt: `${at}/input`, id, name, args, wire };
}

function content(of: ModelContent) {
  const text = sentenceAndText(of);
  if (of.images.length === 0) return text;
  return [
    { type: 'text' as const, text },
    ...of.images.map(({ mimeType, data }) => ({
      type: 'image' as const,
      source: { type: 'base64' as const, media_type: mimeType, data },
    })),
  ];
}

export const anthropic = {
  name: 'anthropic',

  detect(body) {
    if (Array.isArray(body)) return body.some(isToolUse);
    if (!isObject(body)) return false;
    if (isToolUse(body)) return true;
    const blocks = body['content'];
    return (
      Array.isArray(blocks) &&
      (body['role'] === 'assistant' ||
        blocks.some((block) => isObject(block) && KNOWN_BLOCKS.has(block['type'])))
    );
  },

  parse(body) {
    if (isToolUse(body)) {
      const only = read(body, '');
      return only ? [only] : [];
    }
    const { at, blocks } = blocksOf(body);
    return blocks.flatMap((block, i) => read(block, `${at}/${i}`) ?? []);
  },

  render(answers, options) {
    const blocks = answers.map(({ result, wire }) => {
      const { toolset } = wire as Wire;
      return {
        type: 'tool_result' as const,
        tool_use_id: result.id,
        content: content(modelContent(result, options, 'images')),
        ...(result.status === 'error' && { is_error: true }),
        ...(typeof toolset === 'string' && { toolset_name: toolset }),
      };
    });
    return [{ role: 'user' as const, content: blocks }];
  },

  offer(tools, toAlias) {
    return offerFunctions(tools, toAlias, (tool, name, description) => {
      const { schema, strict, notes } = toStrictSchema(tool.inputSchema, 'anthropic');
      return {
        tool: { name, description, input_schema: schema, ...(strict && { strict }) },
        notes,
      };
    });
  },
} as const satisfies WireFormat;
