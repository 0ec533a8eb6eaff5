// What we render satisfies the parameter types of the providers' own packages. `tsc` proves it;
// the assertions keep the values honest.
import type { MessageParam, Tool } from '@anthropic-ai/sdk/resources/messages';
import type { Content, Tool as GeminiTool } from '@google/genai';
import type { CallToolResult, Tool as McpTool } from '@modelcontextprotocol/client';
import type {
  ChatCompletionTool,
  ChatCompletionToolMessageParam,
} from 'openai/resources/chat/completions';
import type { FunctionTool, ResponseInputItem } from 'openai/resources/responses/responses';
import { expect, it } from 'vitest';
import { anthropic } from '../../src/format/anthropic.js';
import { gemini } from '../../src/format/gemini.js';
import { mcp } from '../../src/format/mcp.js';
import { openaiResponses } from '../../src/format/openai-responses.js';
import { openai } from '../../src/format/openai.js';
import type { Answer } from '../../src/format/wire-format.js';
import { failed, result, toAlias, tool } from './helpers.js';

const options = { toAlias };
const picture = {
  content: [
    { type: 'text', text: 'A map' },
    { type: 'image', mimeType: 'image/png', data: 'iVBORw0KGgo=' },
  ],
};

function answers(wire: unknown): Answer[] {
  const results = [result(), failed(), result({ result: { kind: 'value', value: picture } })];
  return results.map((given) => ({ result: given, name: 'weather__forecast', wire }));
}

it('openai', () => {
  const messages: ChatCompletionToolMessageParam[] = openai.render(answers(undefined), options);
  const tools: ChatCompletionTool[] = openai.offer([tool()], toAlias).tools;
  expect(messages).toHaveLength(3);
  expect(tools).toHaveLength(1);
});

it('openai-responses', () => {
  const wire = { custom: false, caller: { type: 'program', caller_id: 'p' } };
  const items: ResponseInputItem[] = openaiResponses.render(answers(wire), options);
  const tools: FunctionTool[] = openaiResponses.offer([tool()], toAlias).tools;
  expect(items).toHaveLength(3);
  expect(tools).toHaveLength(1);
});

it('anthropic', () => {
  const messages: MessageParam[] = anthropic.render(answers({ toolset: 'travel' }), options);
  const tools: Tool[] = anthropic.offer([tool()], toAlias).tools;
  expect(messages).toHaveLength(1);
  expect(tools).toHaveLength(1);
});

it('gemini', () => {
  const contents: Content[] = gemini.render(answers({ id: 'x' }), options);
  const tools: GeminiTool[] = gemini.offer([tool()], toAlias).tools;
  expect(contents).toHaveLength(1);
  expect(tools).toHaveLength(1);
});

it('mcp', () => {
  const results: (CallToolResult | undefined)[] = mcp
    .render(answers({ id: 1 }), options)
    .map((response) => response.result);
  const tools: McpTool[] = mcp.offer([tool()]).tools;
  expect(results).toHaveLength(3);
  expect(tools).toHaveLength(1);
});
