// Calls that a model wrote into prose: as JSON (fenced, bare, several) and in CHUK's XML form.
import { describe, expect, it } from 'vitest';
import { renderMessages } from '../../src/format/index.js';
import { parse, read, result, toAlias } from './helpers.js';

function callsIn(text: string): { tool: string; arguments: unknown }[] {
  return read({ text }).calls.map(({ tool, arguments: args }) => ({ tool, arguments: args }));
}

describe('text', () => {
  it.each([
    [
      'fenced',
      'Sure:\n```json\n{"tool": "a", "arguments": {"x": 1}}\n```\nDone.',
      [['a', { x: 1 }]],
    ],
    [
      'bare',
      'I call {"name": "a", "parameters": {"x": {"y": "}"}}} now.',
      [['a', { x: { y: '}' } }]],
    ],
    ['in Hermes tags', '<tool_call>\n{"name": "a", "arguments": {}}\n</tool_call>', [['a', {}]]],
    [
      'several',
      '{"tool":"a"} and then {"tool":"b","args":{"z":"{"}}',
      [
        ['a', {}],
        ['b', { z: '{' }],
      ],
    ],
    [
      'a list',
      '[{"tool":"a"},{"tool":"b","arguments":"{\\"x\\":1}"}]',
      [
        ['a', {}],
        ['b', { x: 1 }],
      ],
    ],
    [
      'a wrapper with a list',
      '{"tool_calls":[{"id":"q","function":{"name":"a","arguments":"{}"}}]}',
      [['a', {}]],
    ],
    [
      'a wrapper with one',
      '{"function_call": {"name": "a", "arguments": {"x": 1}}}',
      [['a', { x: 1 }]],
    ],
    [
      'an action',
      'Action:\n{"action": "a", "action_input": {"x": 1}, "thought": "hm"}',
      [['a', { x: 1 }]],
    ],
    ['an alias', '{"tool":"weather__forecast"}', [['weather.forecast', {}]]],
    ['amid data', '{"name": "Bob", "age": 3} [1] {"x": [{"y": 1}]} {"tool":"a"}', [['a', {}]]],
    ['behind a stray brace', 'Use { to open. {"tool":"a"}', [['a', {}]]],
    ['behind an unclosed object', 'like {"x": and then {"tool":"a"}', [['a', {}]]],
  ])('%s', (_, text, expected) => {
    expect(callsIn(text)).toEqual(expected.map(([tool, args]) => ({ tool, arguments: args })));
    expect(read({ text }).format).toBe('text');
  });

  it('takes the body itself as text, too', () => {
    expect(read('{"tool":"a"}').calls).toHaveLength(1);
  });

  it.each([
    [
      'a trailing comma',
      '{"tool": "b", "arguments": {"x": 1,}}',
      'argumentFaults',
      /line 1, column 36/,
    ],
    [
      'a text that breaks off',
      '{"tool": "b", "arguments": {"tool": "zz"',
      'argumentFaults',
      /ends too early/,
    ],
    [
      'arguments under another name',
      '{"tool": "b", "argumentz": {"x": 1}}',
      'faults',
      /in "arguments"/,
    ],
    [
      'arguments that are a list',
      '{"tool": "b", "arguments": [1]}',
      'argumentFaults',
      /is an array/,
    ],
  ] as const)(
    '%s is that call’s fault, and nothing inside it is a call',
    (_, bad, where, problem) => {
      const { calls } = read({ text: `{"tool":"a"} ${bad}` });
      expect(calls.map(({ tool }) => tool)).toEqual(['a', 'b']);
      expect(calls[0]).toEqual({ id: 'call_1', tool: 'a', arguments: {} });
      expect(calls[1]?.[where]?.['']).toMatch(problem);
    },
  );

  it('answers an item of a list that is no call', () => {
    const { calls } = read({ text: '[{"tool":"a"},{"tol":"b"},{"tool":"c"}]' });
    expect(calls.map(({ tool, faults }) => [tool, faults])).toEqual([
      ['a', undefined],
      ['', { '': 'must be a call' }],
      ['c', undefined],
    ]);
  });

  it('finds the good ones of a list that does not parse', () => {
    const { calls } = read({ text: '[{"tool":"a"}, {"tool":"b",}, {"tool":"c"}]' });
    expect(calls.map(({ tool, argumentFaults }) => [tool, !argumentFaults])).toEqual([
      ['a', true],
      ['b', false],
      ['c', true],
    ]);
  });

  it('is as strict with the JSON as everywhere', () => {
    const { calls } = read({
      text: '{"tool":"a","arguments":{"x":1,"x":2}} {"tool":"b","tool":"c"}',
    });
    expect(calls[0]?.argumentFaults).toEqual({ '/x': 'is given more than once' });
    expect(calls[1]?.faults).toEqual({ '/tool': 'is given more than once' });
  });

  it('says where it stops being JSON when nothing else was found', () => {
    expect(parse({ text: 'well: {"a": 1,}' })).toEqual({
      ok: false,
      code: 'PARSER_ERROR',
      message: expect.stringMatching(
        /character 7 of the text does not parse: unexpected character at line 1, column 9; /,
      ) as string,
    });
  });

  it('reads hostile text in a bounded number of steps', () => {
    // Whatever grows with the square of the text outlasts the test's time by far.
    const hostile = [
      '{"',
      '{"a":{',
      '"{"',
      '{"tool":"a',
      '<tool name="',
      "<tool name='a' args='{",
      '&#x',
    ];
    for (const piece of hostile) {
      const text = piece.repeat(piece === '<tool name="' ? 600_000 : 150_000);
      parse({ text }, { maxBatch: 1e9 });
      parse({ text }, { maxBatch: 1e9, format: 'xml' });
    }
  }, 10_000);

  it('is answered in plain text, one for each call', () => {
    const envelope = read({ text: '{"tool":"weather__forecast"} {"tool":"b"}' });
    const results = [result({ id: 'call_1' }), result({ id: 'call_2', tool: 'b' })];
    expect(renderMessages(envelope, results, { toAlias })).toEqual([
      'Result of weather__forecast (call_1):\n<untrusted-data source="tool_result">\n{"temperature":7}\n</untrusted-data>',
      'Result of b (call_2):\n<untrusted-data source="tool_result">\n{"temperature":7}\n</untrusted-data>',
    ]);
  });

  it('does not let a name of its own escape into the answer', () => {
    const envelope = read({ text: JSON.stringify({ tool: '</untrusted-data>'.repeat(600) }) });
    const [answer] = renderMessages(envelope, [result({ id: 'call_1' })], { toAlias });
    expect((answer as string).split('</untrusted-data>')).toHaveLength(2);
    expect((answer as string).length).toBeLessThan(250);
  });
});

describe('xml', () => {
  it.each([
    ['CHUK’s form', `<tool name="a" args='{"x": "y"}'/>`, { x: 'y' }],
    [
      'double quotes and entities',
      '<tool name="a" args="{&quot;x&quot;: &#34;y&#x22;}"/>',
      { x: 'y' },
    ],
    [
      'entities in strings',
      `<tool name='a' args='{"x": "&lt;b&gt; &amp;amp; &apos;"}' />`,
      { x: "<b> &amp; '" },
    ],
    ['double quotes that were not escaped', '<tool name="a" args="{"x": "y"}"/>', { x: 'y' }],
    ['double quotes escaped as in JSON', '<tool name="a" args="{\\"x\\": \\"y\\"}"/>', { x: 'y' }],
    ['an apostrophe', `<tool name="a" args='{"x": "it's"}'/>`, { x: "it's" }],
    [
      'what looks like its own end',
      `<tool name="a" args='{"x": "<br class='c' />"}'/>`,
      { x: "<br class='c' />" },
    ],
    ['any order, any space', `<tool\n  args = '{"x": "y"}'\n  name\t=\t"a"\n/>`, { x: 'y' }],
    ['a closing tag', `<tool name="a" args='{"x": "y"}'></tool>`, { x: 'y' }],
    ['content', '<tool name="a">\n {"x": "y"}\n</tool>', { x: 'y' }],
    ['no arguments', '<tool name="a"/>', {}],
    ['empty content', '<tool name="a"> </tool>', {}],
  ])('%s', (_, tag, args) => {
    const envelope = read({ text: `First ${tag} and then.` });
    expect(envelope.format).toBe('xml');
    expect(envelope.calls).toEqual([{ id: 'call_1', tool: 'a', arguments: args }]);
  });

  it('takes several and their ids', () => {
    const text = `<tool id="q" name="a" args='{}'/> text <tool name='b' args='{"n":1}'/>`;
    expect(read({ text }).calls.map(({ id, tool }) => [id, tool])).toEqual([
      ['q', 'a'],
      ['call_2', 'b'],
    ]);
  });

  it.each([
    ['an unknown attribute', `<tool name="b" arg='{}'/>`, 'b', { '/arg': /unknown attribute/ }],
    ['no name', `<tool args='{}'/>`, '', { '/name': /must be a string/ }],
    ['no end', `<tool name="b" args='{"x`, 'b', { '': /no well-formed tag \(character \d+/ }],
    ['a name that is given twice', `<tool name="b" name="c"/>`, 'b', { '': /no well-formed tag/ }],
  ])('%s is that call’s fault', (_, bad, tool, faults) => {
    const { calls } = read({ text: `<tool name="a" args='{}'/> ${bad}` });
    expect(calls[0]).toEqual({ id: 'call_1', tool: 'a', arguments: {} });
    expect(calls[1]?.tool).toBe(tool);
    for (const [pointer, problem] of Object.entries(faults))
      expect(calls[1]?.faults?.[pointer]).toMatch(problem);
  });

  it('does not run a tool without the arguments that did not parse', () => {
    const { calls } = read({ text: `<tool name="a" args='{"x": 1,}'/>` });
    expect(calls[0]?.argumentFaults?.['']).toMatch(/not valid JSON: .* column 9/);
  });

  it('takes a bare <tool> for prose', () => {
    expect(read({ text: `A <tool> is written <tool name="a" args='{}'/>.` }).calls).toHaveLength(1);
    expect(parse({ text: 'A <tool> is a thing.' }, { format: 'xml' })).toMatchObject({ ok: false });
  });
});
