// Results of MCP tools that may not be used, through the whole product: a promise that is broken after
// the effect (C21 of the case file and more of its kind), results that are none, and too large ones.
import {
  body,
  content,
  type McpRow,
  type Offered,
  READS,
  result,
  row,
  runMcpRows,
  says,
  sse,
  WRITES,
} from './mcp-table.js';
import { type Expected, fails, succeeds } from './table.js';

const ID = { type: 'object', required: ['id'], properties: { id: { type: 'number' } } };
const TICKET = { outputSchema: ID };
const made = (structuredContent: unknown): object => ({
  ...content('created T-7'),
  structuredContent,
});

/** C21: the effect happened, and the unstructured content is delivered all the same. */
const broken = (name: string, value: unknown, more: Offered = {}): McpRow =>
  row(
    name,
    { ...TICKET, ...more },
    result(value),
    fails('TOOL_RESULT_ERROR', false, 'completed', {
      breaker: 'success',
      details: {
        validation_type: 'result',
        transient: false,
        content: [{ type: 'text', text: 'created T-7' }],
      },
    }),
  );

const none = (name: string, value: unknown): McpRow =>
  row(
    name,
    READS,
    result(value),
    fails('TOOL_RESULT_ERROR', false, 'unknown', { breaker: 'failure' }),
  );

const tooLarge: Expected = fails('TOOL_RESULT_TOO_LARGE', false, 'completed', {
  breaker: 'success',
  without: ['content'],
});
const LARGE = content('x'.repeat(20_000));
const framed = (id: unknown, value: unknown): string =>
  `data: ${JSON.stringify({ jsonrpc: '2.0', id, result: value })}\n\n`;

runMcpRows(
  {
    'a promise that is broken after the effect (C21)': [
      broken('a text for a number', made({ id: 'T-7' })),
      broken('the member is missing', made({})),
      broken('null', made({ id: null })),
      broken('a list', made([7])),
      broken('a text', made('T-7')),
      broken('a number', made(7)),
      broken('false', made(false)),
      broken('structured content is null', made(null)),
      broken('no structured content', content('created T-7')),
      broken('a number as a text', made({ id: '7' })),
      broken('a tool that may be repeated: asked once', made({ id: 'T-7' }), READS),
      broken('one member more than allowed', made({ id: 7, more: 1 }), {
        outputSchema: { ...ID, additionalProperties: false },
      }),
      row(
        'kept',
        TICKET,
        result(made({ id: 7 })),
        succeeds(made({ id: 7 }), { breaker: 'success' }),
      ),
    ],

    'no result at all': [
      none('a text', 'done'),
      none('null', null),
      none('a list', [1]),
      none('an empty object', {}),
      none('content is a text', { content: 'done' }),
      none('content is null', { content: null }),
      none('a part without type', { content: [{ text: 'x' }] }),
      none('a part that is a text', { content: ['x'] }),
      none('a result type that nobody knows', { ...content('x'), resultType: 'streaming' }),
      row(
        'the tool asks for input',
        READS,
        result({
          resultType: 'input_required',
          inputRequests: { a: { method: 'elicitation/create' } },
        }),
        fails('TOOL_INPUT_REQUIRED', false, 'completed', { breaker: 'success' }),
      ),
    ],

    'more than the tool may return': [
      row('JSON', WRITES, result(LARGE), tooLarge),
      row('JSON, a tool that may be repeated: asked once', READS, result(LARGE), tooLarge),
      row('an event of a stream', WRITES, (x) => sse(framed(x.id, LARGE), 'open')(x), tooLarge),
      row(
        'structured content',
        WRITES,
        result({ content: [], structuredContent: { a: 'x'.repeat(20_000) } }),
        tooLarge,
      ),
      row('200 KB of no JSON', WRITES, body('application/json', 'x'.repeat(200_000)), tooLarge),
      row(
        'many parts',
        WRITES,
        result({ content: Array.from({ length: 900 }, () => ({ type: 'text', text: 'x' })) }),
        tooLarge,
      ),
      row(
        'an image',
        WRITES,
        result({ content: [{ type: 'image', data: 'A'.repeat(20_000), mimeType: 'image/png' }] }),
        tooLarge,
      ),
      row(
        'just as much as it may',
        WRITES,
        says('x'.repeat(9000)),
        succeeds(content('x'.repeat(9000))),
      ),
    ],
  },
  { server: { result: { max_bytes: 10_000 } } },
);
