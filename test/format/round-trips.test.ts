// For arbitrary calls in every format: ids, order, count, and arguments byte for byte.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { renderMessages } from '../../src/format/index.js';
import { failed, read, result, toAlias } from './helpers.js';

interface Call {
  id: string;
  name: string;
  args: Record<string, unknown>;
}

type Rendered = Record<string, unknown>;

interface Trip {
  /** The calls as the provider sends them. */
  write: (calls: Call[]) => unknown;
  /** The ids that are answered, in order. */
  answered: (messages: Rendered[]) => unknown[];
  /** Ids the format cannot carry are not compared. */
  hasIds?: false;
}

function xmlEscape(text: string, quote: string): string {
  const entities: Record<string, string> = {
    '&': '&amp;',
    '<': '&lt;',
    '>': '&gt;',
    '"': '&quot;',
    "'": '&apos;',
  };
  return quote + text.replace(/[&<>"']/g, (character) => entities[character]!) + quote;
}

const trips: Record<string, Trip> = {
  openai: {
    write: (calls) => ({
      choices: [
        {
          message: {
            role: 'assistant',
            tool_calls: calls.map(({ id, name, args }) => ({
              id,
              type: 'function',
              function: { name, arguments: JSON.stringify(args) },
            })),
          },
        },
      ],
    }),
    answered: (messages) => messages.map((message) => message['tool_call_id']),
  },
  'openai-responses': {
    write: (calls) => ({
      output: calls.map(({ id, name, args }) => ({
        type: 'function_call',
        call_id: id,
        name,
        arguments: JSON.stringify(args),
      })),
    }),
    answered: (messages) => messages.map((message) => message['call_id']),
  },
  anthropic: {
    write: (calls) => ({
      role: 'assistant',
      content: [
        { type: 'text', text: '…' },
        ...calls.map(({ id, name, args }) => ({ type: 'tool_use', id, name, input: args })),
      ],
    }),
    answered: (messages) =>
      messages.flatMap((message) =>
        (message['content'] as Rendered[]).map((block) => block['tool_use_id']),
      ),
  },
  gemini: {
    write: (calls) => ({
      candidates: [
        {
          content: {
            parts: calls.map(({ id, name, args }) => ({ functionCall: { id, name, args } })),
          },
        },
      ],
    }),
    answered: (messages) =>
      messages.flatMap((message) =>
        (message['parts'] as { functionResponse: Rendered }[]).map(
          (part) => part.functionResponse['id'],
        ),
      ),
  },
  mcp: {
    write: (calls) =>
      calls.map(({ id, name, args }) => ({
        jsonrpc: '2.0',
        id,
        method: 'tools/call',
        params: { name, arguments: args },
      })),
    answered: (messages) => messages.map((message) => message['id']),
  },
  text: {
    write: (calls) => ({
      text: calls
        .map(
          ({ id, name, args }) =>
            `So:\n\`\`\`json\n${JSON.stringify({ id, tool: name, arguments: args }, null, 1)}\n\`\`\``,
        )
        .join('\n'),
    }),
    answered: (messages) => messages.map(() => undefined),
    hasIds: false,
  },
  xml: {
    write: (calls) => ({
      text: calls
        .map(({ id, name, args }, i) => {
          const quote = i % 2 === 0 ? '"' : "'";
          return `Now <tool id=${xmlEscape(id, quote)} name=${xmlEscape(name, quote)} args=${xmlEscape(JSON.stringify(args), quote)}/>`;
        })
        .join(' and '),
    }),
    answered: (messages) => messages.map(() => undefined),
    hasIds: false,
  },
};

const id = fc
  .string({ unit: 'grapheme-ascii', minLength: 1, maxLength: 20 })
  .filter((text) => text.trim() !== '');
const json = fc
  .jsonValue({ depthSize: 'small', stringUnit: 'grapheme' })
  .map((value) => JSON.parse(JSON.stringify(value)) as unknown);
const args = fc
  .dictionary(fc.string(), json, { maxKeys: 4 })
  // A key that the gateway refuses wherever it stands.
  .filter((given) => !JSON.stringify(given).includes('"__proto__"'));
const call = fc.record({ id, name: fc.stringMatching(/^[A-Za-z][A-Za-z0-9.-]{0,20}$/), args });
const calls = fc.array(call, { minLength: 1, maxLength: 8 });

describe.each(Object.entries(trips))('%s', (format, { write, answered, hasIds = true }) => {
  it('keeps ids, names, order, count and every byte of the arguments', () => {
    fc.assert(
      fc.property(calls, (given) => {
        const envelope = read(write(given));
        expect(envelope.format).toBe(format);
        expect(envelope.calls.map(({ id: read }) => read)).toEqual(given.map((one) => one.id));
        expect(envelope.calls.map(({ tool }) => tool)).toEqual(given.map((one) => one.name));
        expect(envelope.calls.map((one) => JSON.stringify(one.arguments))).toEqual(
          given.map((one) => JSON.stringify(one.args)),
        );
        expect(envelope.calls.some((one) => one.faults ?? one.argumentFaults)).toBe(false);
      }),
      { numRuns: 200 },
    );
  });

  it('answers every call exactly once and in order, whatever its outcome', () => {
    fc.assert(
      fc.property(calls, fc.infiniteStream(fc.boolean()), (given, fails) => {
        const envelope = read(write(given));
        const results = envelope.calls.map((one) =>
          fails.next().value === true ? failed({}, one.id) : result({ id: one.id, tool: one.tool }),
        );
        const messages = renderMessages(envelope, results, { toAlias }) as Rendered[];
        const ids = answered(messages);
        expect(ids).toHaveLength(given.length);
        if (hasIds) expect(ids).toEqual(given.map((one) => one.id));
      }),
    );
  });
});
