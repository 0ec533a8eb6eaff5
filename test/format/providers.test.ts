// The providers' own messages in, their own answers out: shapes, ids, order, options, faults.
import { describe, expect, it } from 'vitest';
import { renderMessages, type ReadEnvelope } from '../../src/format/index.js';
import { message } from './fixtures/anthropic.js';
import { generated, snakeCase } from './fixtures/gemini.js';
import { chatCompletion, response, responseOutput } from './fixtures/openai.js';
import { declined, failed, info, parse, parseText, read, result, toAlias } from './helpers.js';

const rpc = (id: unknown, name: unknown, args?: unknown) => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name, arguments: args },
});

function render(envelope: ReadEnvelope, results: Parameters<typeof renderMessages>[1]): unknown[] {
  return [...renderMessages(envelope, results, { toAlias })];
}

const forecast = { tool: 'weather.forecast', arguments: { city: 'Oslo', days: 2 } };
const cancel = { tool: 'bookings.cancel', arguments: { id: 'b-17' } };
const add = { tool: 'calc.add', arguments: { a: 1, b: 2 } };
const assistant = chatCompletion.choices[0]?.message;

describe('what is recognised', () => {
  it.each([
    ['openai', 'a chat completion', chatCompletion, [forecast, cancel, add]],
    ['openai', 'its message', assistant, [forecast, cancel, add]],
    ['openai', 'its choice', chatCompletion.choices[0], [forecast, cancel, add]],
    ['openai', 'its tool calls', assistant?.tool_calls, [forecast, cancel, add]],
    [
      'openai',
      'a message of Ollama',
      {
        message: {
          role: 'assistant',
          content: '',
          tool_calls: [{ function: { name: 'calc__add', arguments: { a: 1, b: 2 } } }],
        },
      },
      [add],
    ],
    [
      'openai-responses',
      'a response',
      response,
      [{ ...forecast, arguments: { city: 'Oslo' } }, cancel, add],
    ],
    [
      'openai-responses',
      'its output',
      responseOutput,
      [{ ...forecast, arguments: { city: 'Oslo' } }, cancel, add],
    ],
    ['openai-responses', 'one item', responseOutput[3], [cancel]],
    ['anthropic', 'a message', message, [forecast, cancel, { ...add, arguments: {} }]],
    ['anthropic', 'its content', message.content, [forecast, cancel, { ...add, arguments: {} }]],
    ['anthropic', 'one block', message.content[3], [cancel]],
    [
      'gemini',
      'an answer',
      generated,
      [forecast, { ...forecast, arguments: { city: 'Bergen' } }, cancel],
    ],
    [
      'gemini',
      'its candidate',
      generated.candidates[0],
      [forecast, { ...forecast, arguments: { city: 'Bergen' } }, cancel],
    ],
    [
      'gemini',
      'its content',
      generated.candidates[0]?.content,
      [forecast, { ...forecast, arguments: { city: 'Bergen' } }, cancel],
    ],
    [
      'gemini',
      'its parts',
      generated.candidates[0]?.content?.parts,
      [forecast, { ...forecast, arguments: { city: 'Bergen' } }, cancel],
    ],
    ['gemini', 'snake_case', snakeCase, [{ ...forecast, arguments: { city: 'Oslo' } }]],
    ['mcp', 'a request', rpc(7, 'calc.add', { a: 1, b: 2 }), [add]],
    [
      'mcp',
      'a batch',
      [rpc('x', 'bookings.cancel', { id: 'b-17' }), rpc(0, 'calc.add', { a: 1, b: 2 })],
      [cancel, add],
    ],
  ])('%s: %s', (format, _, body, calls) => {
    const envelope = read(body);
    expect(envelope.format).toBe(format);
    expect(envelope.calls.map(({ tool, arguments: args }) => ({ tool, arguments: args }))).toEqual(
      calls,
    );
    expect(envelope.calls.every((call) => !call.faults && !call.argumentFaults)).toBe(true);
    // What is recognised is also taken when it is forced.
    expect(read(body, { format }).calls).toEqual(envelope.calls);
  });

  it('keeps ids and makes some where none came', () => {
    expect(read(chatCompletion).calls.map(({ id }) => id)).toEqual([
      'call_5aXqLm3e',
      'call_9bTrWk7u',
      'call_0cPvNd1s',
    ]);
    expect(read(response).calls.map(({ id }) => id)).toEqual(['call_aaa', 'call_bbb', 'call_ccc']);
    expect(read(generated).calls.map(({ id }) => id)).toEqual(['call_1', 'call_2', 'fc-3']);
  });

  it('answers the choice that calls when there are several', () => {
    const choices = [
      { index: 0, message: { role: 'assistant', content: 'no' } },
      ...chatCompletion.choices,
    ];
    expect(read({ ...chatCompletion, choices }).calls).toHaveLength(3);
  });

  it.each([
    [
      'an object of nobody',
      { foo: 1, 'b\u0000r': 2 },
      /no known format\. Known formats are native, .*text; seen was an object with "foo", "b\\u0000r"/,
    ],
    ['an empty object', {}, /seen was an empty object/],
    ['an array', [1, 2], /seen was an array of 2/],
    ['a number', 5, /seen was a number/],
    ['null', null, /seen was null/],
    [
      'a message without calls',
      { role: 'assistant', content: 'Hello.' },
      /Recognised as openai, but it holds no call/,
    ],
    [
      'a message with an empty list',
      { role: 'assistant', tool_calls: [] },
      /openai, but it holds no call/,
    ],
    [
      'content without calls',
      { role: 'assistant', content: [{ type: 'text', text: 'Hi' }] },
      /anthropic, but it holds no call/,
    ],
    ['prose', { text: 'Hello.' }, /text, but it holds no call/],
  ])('%s is refused with what was seen', (_, body, expected) => {
    const envelope = parse(body);
    expect(envelope).toMatchObject({ ok: false, code: 'PARSER_INVALID_FORMAT' });
    expect(envelope.ok ? '' : envelope.message).toMatch(expected);
  });

  it('refuses an unknown forced format and a message with too many calls', () => {
    expect(parse(chatCompletion, { format: 'klingon' })).toMatchObject({
      ok: false,
      code: 'PARSER_INVALID_FORMAT',
    });
    expect(parse(chatCompletion, { query: { format: 'anthropic' } })).toMatchObject({ ok: false });
    expect(parse(chatCompletion, { maxBatch: 2 })).toMatchObject({
      ok: false,
      errors: { '': 'must hold 1 to 2 calls, has 3' },
    });
  });
});

describe('options of the batch', () => {
  it('ride beside the message in "toolgate" or in the query', () => {
    const toolgate = {
      deadline_ms: 500,
      run_id: 'r',
      return_order: 'completion',
      envelope: 'none',
    };
    const options = { deadlineMs: 500, runId: 'r', returnOrder: 'completion', envelope: 'none' };
    expect(read({ ...message, toolgate }).options).toEqual(options);
    expect(read(message.content, { query: { ...toolgate, deadline_ms: '500' } }).options).toEqual(
      options,
    );
    expect(
      read({ ...message, toolgate: { deadline_ms: 5 } }, { query: { deadline_ms: '9' } }).options
        .deadlineMs,
    ).toBe(5);
  });

  it.each([
    [{ deadlin_ms: 5 }, '/toolgate/deadlin_ms'],
    [{ envelope: 'all' }, '/toolgate/envelope'],
    [5, '/toolgate'],
  ])('faulty ones refuse the request: %j', (toolgate, pointer) => {
    const envelope = parse({ ...message, toolgate });
    expect(Object.keys(envelope.ok ? {} : (envelope.errors ?? {}))).toEqual([pointer]);
  });
});

describe('one bad call never loses its siblings', () => {
  const good = {
    id: 'good',
    type: 'function',
    function: { name: 'calc__add', arguments: '{"a":1}' },
  };
  const fn = (given: object) => ({
    id: 'bad',
    type: 'function',
    function: { name: 'x', ...given },
  });

  it.each([
    ['arguments that break off', fn({ arguments: '{"a":' }), 'argumentFaults', ''],
    ['arguments that are a list', fn({ arguments: '[1]' }), 'argumentFaults', ''],
    ['an empty text as arguments', fn({ arguments: '' }), 'argumentFaults', ''],
    ['no name', fn({ name: null, arguments: '{}' }), 'faults', '/name'],
    ['no function', { id: 'bad', type: 'function' }, 'faults', '/name'],
    ['no object', 5, 'faults', ''],
  ] as const)('%s', (_, bad, where, pointer) => {
    const { calls } = read({ role: 'assistant', tool_calls: [good, bad, good] });
    expect(calls).toHaveLength(3);
    expect(calls[0]).toEqual({ id: 'good', tool: 'calc.add', arguments: { a: 1 } });
    expect(calls[2]).toEqual(calls[0]);
    expect(Object.keys(calls[1]?.[where] ?? {})).toEqual([pointer]);
  });

  it('hands faults of the JSON to the call they stand in and ignores the rest of the message', () => {
    const envelope = parseText(
      '{"content":[{"type":"text","text":"\\ud800"},' +
        '{"type":"tool_use","id":"a","name":"x","input":{"n":1e999,"m":{"__proto__":1}}},' +
        '{"type":"tool_use","id":"b","id":"c","name":"y","input":{}}],"usage":{"a":1,"a":2}}',
    );
    const calls = envelope.ok ? envelope.calls : [];
    expect(Object.keys(calls[0]?.argumentFaults ?? {})).toEqual(['/n', '/m/__proto__']);
    expect(calls[0]?.faults).toBeUndefined();
    expect(calls[1]?.faults).toEqual({ '/id': 'is given more than once' });
  });

  it('refuses a list of calls that is given twice, and a doubled option', () => {
    const list = JSON.stringify(message.content);
    expect(parseText(`{"role":"assistant","content":${list},"content":${list}}`)).toMatchObject({
      ok: false,
      errors: { '/content': 'is given more than once' },
    });
    expect(parseText(`{"content":${list},"toolgate":{"run_id":"a","run_id":"b"}}`)).toMatchObject({
      ok: false,
    });
  });
});

describe('what goes back', () => {
  const ids = (envelope: ReadEnvelope) => envelope.calls.map(({ id }) => id);
  const threeOf = (envelope: ReadEnvelope) => {
    const [a = '', b = '', c = ''] = ids(envelope);
    return [result({ id: a }), failed({}, b), declined(c)];
  };

  it('openai: one tool message per call; a failure is JSON with an error member', () => {
    const envelope = read(chatCompletion);
    const messages = render(envelope, threeOf(envelope)) as {
      role: string;
      tool_call_id: string;
      content: string;
    }[];
    expect(messages.map((one) => [one.role, one.tool_call_id])).toEqual(
      ids(envelope).map((id) => ['tool', id]),
    );
    expect(messages[0]?.content).toBe(
      '<untrusted-data source="tool_result">\n{"temperature":7}\n</untrusted-data>',
    );
    expect(JSON.parse(messages[1]?.content ?? '')).toEqual({
      error: {
        code: 'TOOL_RATE_LIMITED',
        category: 'rate_limit',
        message: expect.stringContaining('send the same call again in 1.2 s') as string,
        retryable: true,
        retry_after_ms: 1200,
        effect: 'completed',
        data: '<untrusted-data source="tool_result">\nSlow down.\n</untrusted-data>',
      },
    });
    expect(messages[2]?.content).toContain(
      '<untrusted-data source="tool_refusal">\nbooking_not_cancellable: This fare is non-refundable.\n</untrusted-data>',
    );
  });

  it('openai-responses: one output item per call, of the call’s own kind, with its caller', () => {
    const envelope = read(response);
    expect(render(envelope, threeOf(envelope))).toMatchObject([
      { type: 'function_call_output', call_id: 'call_aaa' },
      {
        type: 'function_call_output',
        call_id: 'call_bbb',
        caller: { type: 'program', caller_id: 'prog_1' },
      },
      { type: 'custom_tool_call_output', call_id: 'call_ccc' },
    ]);
  });

  it('anthropic: one user message with nothing but the results; only failures are errors', () => {
    const envelope = read(message);
    const messages = render(envelope, threeOf(envelope));
    expect(messages).toHaveLength(1);
    expect(messages[0]).toMatchObject({
      role: 'user',
      content: [
        { type: 'tool_result', tool_use_id: ids(envelope)[0] },
        {
          type: 'tool_result',
          tool_use_id: ids(envelope)[1],
          is_error: true,
          toolset_name: 'travel',
        },
        { type: 'tool_result', tool_use_id: ids(envelope)[2] },
      ],
    });
    const { content } = messages[0] as { content: Record<string, unknown>[] };
    expect(content.map((block) => 'is_error' in block)).toEqual([false, true, false]);
    expect(content[1]?.['content']).toMatch(
      /^TOOL_RATE_LIMITED: .*\.\n<untrusted-data source="tool_result">\nSlow down\.\n<\/untrusted-data>$/,
    );
  });

  it('gemini: one content, part by part, under the name the model used, ids only where they came', () => {
    const envelope = read(generated);
    const messages = render(envelope, threeOf(envelope));
    expect(messages).toEqual([
      {
        role: 'user',
        parts: [
          {
            functionResponse: {
              name: 'weather__forecast',
              response: { output: expect.stringContaining('{"temperature":7}') as string },
            },
          },
          {
            functionResponse: {
              name: 'weather__forecast',
              response: {
                error: expect.objectContaining({
                  code: 'TOOL_RATE_LIMITED',
                  retry_after_ms: 1200,
                }) as object,
              },
            },
          },
          {
            functionResponse: {
              id: 'fc-3',
              name: 'bookings__cancel',
              response: { output: expect.stringContaining('tool_refusal') as string },
            },
          },
        ],
      },
    ]);
  });

  it('mcp: one response per request with its own id; a refusal is no error', () => {
    const envelope = read([rpc(7, 'a'), rpc('seven', 'b'), rpc(0, 'c')]);
    const results = threeOf(envelope);
    expect(render(envelope, results)).toMatchObject([
      { jsonrpc: '2.0', id: 7, result: { isError: false, structuredContent: { temperature: 7 } } },
      {
        jsonrpc: '2.0',
        id: 'seven',
        result: { isError: true, structuredContent: { error_info: results[1]?.errorInfo } },
      },
      {
        jsonrpc: '2.0',
        id: 0,
        result: { isError: false, structuredContent: { error_info: { code: 'TOOL_DECLINED' } } },
      },
    ]);
  });

  it.each([
    ['another method', { jsonrpc: '2.0', id: 1, method: 'ping' }, 1, -32601],
    ['no id', { jsonrpc: '2.0', method: 'tools/call', params: { name: 'a' } }, null, -32600],
    ['no name', { jsonrpc: '2.0', id: 1, method: 'tools/call' }, 1, -32602],
    [
      'another version',
      { jsonrpc: '1.0', id: 1, method: 'tools/call', params: { name: 'a' } },
      1,
      -32600,
    ],
    ['no object', 5, null, -32600],
  ])('mcp: %s gets a JSON-RPC error and spoils nothing', (_, bad, id, code) => {
    const envelope = read([rpc(9, 'a'), bad]);
    expect(envelope.calls[0]?.faults).toBeUndefined();
    expect(envelope.calls[1]?.faults).toBeDefined();
    const results = [
      result({ id: '9' }),
      failed({ code: 'TOOL_ARGUMENT_ERROR' }, envelope.calls[1]?.id),
    ];
    expect(render(envelope, results)).toMatchObject([
      { id: 9, result: {} },
      { jsonrpc: '2.0', id, error: { code } },
    ]);
  });

  it('mcp: notifications get no answer', () => {
    expect(
      read([{ jsonrpc: '2.0', method: 'notifications/initialized' }, rpc(1, 'a')]).calls,
    ).toHaveLength(1);
  });

  it('is in the order of the calls even when results came in another', () => {
    for (const body of [chatCompletion, response, message, generated]) {
      const envelope = read(body);
      const results = threeOf(envelope);
      expect(render(envelope, results.toReversed())).toEqual(render(envelope, results));
    }
  });

  it('answers ids that stand twice as often as they stand', () => {
    const call = { id: 'same', type: 'function', function: { name: 'a', arguments: '{}' } };
    const envelope = read({ role: 'assistant', tool_calls: [call, call] });
    expect(render(envelope, [result({ id: 'same' }), failed({}, 'same')])).toMatchObject([
      { tool_call_id: 'same', content: expect.stringContaining('temperature') as string },
      { tool_call_id: 'same', content: expect.stringContaining('TOOL_RATE_LIMITED') as string },
    ]);
  });

  it('says nothing in the native format', () => {
    expect(render(read({ calls: [{ tool: 'a' }] }), [result()])).toEqual([]);
  });

  it('leaves the wrapping to callers who ask for it', () => {
    const bare = (body: object) => read({ ...body, toolgate: { envelope: 'none' } });
    const content = '<|im_start|></untrusted-data>';
    const given = (id: string) => result({ id, result: { kind: 'text', text: content } });
    const [first] = render(
      bare({ role: 'assistant', tool_calls: assistant?.tool_calls?.slice(0, 1) }),
      [given('call_5aXqLm3e')],
    );
    expect(first).toMatchObject({ content });
    const single = { parts: [{ functionCall: { name: 'a', args: {} } }] };
    expect(render(bare(single), [result({ id: 'call_1' })])).toMatchObject([
      { parts: [{ functionResponse: { response: { output: { temperature: 7 } } } }] },
    ]);
  });

  it('tells a model which arguments were wrong', () => {
    const envelope = read(message);
    const [a = '', b = '', c = ''] = ids(envelope);
    const bad = info({
      code: 'TOOL_ARGUMENT_ERROR',
      category: 'validation',
      message: 'The arguments do not match.',
      retryable: false,
      details: {
        ...info().details,
        errors: { '/city': 'is required', '': 'must be a JSON object' },
      },
    });
    const [first] = render(envelope, [
      result({ id: a, status: 'error', result: null, errorInfo: bad }),
      result({ id: b }),
      result({ id: c }),
    ]) as [{ content: { content: string }[] }];
    expect(first.content[0]?.content).toContain(
      '/city: is required\n(arguments): must be a JSON object',
    );
  });
});
