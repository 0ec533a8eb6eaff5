// The native envelope: what is taken, what is a call's fault, what is the whole request's.
import { describe, expect, it, vi } from 'vitest';
import { addFault, faultList } from '../../src/format/pointers.js';
import { parse, parseText, read } from './helpers.js';

function one(call: unknown) {
  return read({ calls: [call, { id: 'sibling', tool: 'calc.add', arguments: { a: 1 } }] })
    .calls[0]!;
}

describe('calls', () => {
  it('takes every field of the contract', () => {
    const envelope = read({
      calls: [
        { id: 'c0', tool: 'calc.add' },
        {
          id: 'c1',
          tool: 'weather.forecast',
          arguments: { city: 'Oslo' },
          timeout_ms: 5000,
          idempotency_key: 'k-1',
          depends_on: ['c0'],
        },
      ],
      deadline_ms: 20000,
      run_id: 'run-7',
      return_order: 'completion',
    });
    expect(envelope.format).toBe('native');
    expect(envelope.options).toEqual({
      deadlineMs: 20000,
      runId: 'run-7',
      returnOrder: 'completion',
    });
    expect(envelope.calls).toEqual([
      { id: 'c0', tool: 'calc.add', arguments: {} },
      {
        id: 'c1',
        tool: 'weather.forecast',
        arguments: { city: 'Oslo' },
        timeoutMs: 5000,
        idempotencyKey: 'k-1',
        dependsOn: ['c0'],
      },
    ]);
  });

  it('numbers calls without an id by their position and lets ids repeat', () => {
    const { calls } = read({
      calls: [
        { tool: 'a' },
        { id: 'x', tool: 'a' },
        { id: 'x', tool: 'b' },
        { id: null, tool: 'c' },
      ],
    });
    expect(calls.map(({ id }) => id)).toEqual(['call_1', 'x', 'x', 'call_4']);
  });

  it.each([
    ['a misspelt field', { tool: 'a', timout_ms: 5 }, '/timout_ms', /did you mean timeout_ms/],
    ['a field of nobody', { tool: 'a', zzzzzz: 5 }, '/zzzzzz', /known: id, tool, arguments/],
    ['no tool', { id: 'a' }, '/tool', /is required/],
    ['a tool that is no string', { tool: 7 }, '/tool', /must be a string/],
    ['an id that is no string', { tool: 'a', id: 7 }, '/id', /non-empty string/],
    ['an empty id', { tool: 'a', id: '' }, '/id', /non-empty string/],
    ['a long id', { tool: 'a', id: 'x'.repeat(257) }, '/id', /at most 256/],
    ['a negative timeout', { tool: 'a', timeout_ms: -1 }, '/timeout_ms', /positive integer/],
    ['a zero timeout', { tool: 'a', timeout_ms: 0 }, '/timeout_ms', /positive integer/],
    ['a fractional timeout', { tool: 'a', timeout_ms: 1.5 }, '/timeout_ms', /positive integer/],
    ['a timeout as text', { tool: 'a', timeout_ms: '5' }, '/timeout_ms', /positive integer/],
    ['a long key', { tool: 'a', idempotency_key: 'k'.repeat(257) }, '/idempotency_key', /256/],
    [
      'a key with a line end',
      { tool: 'a', idempotency_key: 'k\n' },
      '/idempotency_key',
      /printable/,
    ],
    ['an empty key', { tool: 'a', idempotency_key: '' }, '/idempotency_key', /1 to 256/],
    ['depends_on that is no list', { tool: 'a', depends_on: 'sibling' }, '/depends_on', /array/],
    ['a list', [], '', /must be an object/],
    ['null', null, '', /must be an object/],
  ])('%s is the fault of its call alone', (_, call, pointer, problem) => {
    const envelope = read({
      calls: [call, { id: 'sibling', tool: 'calc.add', arguments: { a: 1 } }],
    });
    expect(envelope.calls[0]?.faults?.[pointer]).toMatch(problem);
    expect(envelope.calls[1]).toEqual({ id: 'sibling', tool: 'calc.add', arguments: { a: 1 } });
  });

  it('keeps a tool name of 10 kB as it is', () => {
    const name = '\u0000<tool>'.repeat(1250);
    expect(one({ tool: name })).toEqual({ id: 'call_1', tool: name, arguments: {} });
  });

  it('bounds what it says about a hostile key', () => {
    const { faults } = one({ tool: 'a', ['k'.repeat(10_000)]: 1 });
    expect(JSON.stringify(faults).length).toBeLessThan(500);
  });

  it('names at most 20 faults of a call', () => {
    const fields = Object.fromEntries(Array.from({ length: 50 }, (_, i) => [`field${i}`, 1]));
    expect(Object.keys(one({ tool: 'a', ...fields }).faults ?? {})).toHaveLength(20);
  });
});

describe('arguments', () => {
  it.each([
    ['absent', undefined, {}],
    ['null', null, {}],
    ['an object', { a: [1] }, { a: [1] }],
    ['JSON text', '{"plan": []}', { plan: [] }],
    ['JSON text encoded twice', '"{\\"plan\\":[]}"', { plan: [] }],
  ])('%s', (_, given, expected) => {
    const call = one({ tool: 'a', arguments: given });
    expect(call.arguments).toEqual(expected);
    expect(call.argumentFaults).toBeUndefined();
  });

  it.each([
    [
      'text that breaks off',
      '{"plan": [1,',
      /^is not valid JSON: the text ends too early at line 1, column 13; expected a value$/,
    ],
    ['an empty text', '', /empty text/],
    ['JSON text of a list', '[1]', /must be a JSON object, is an array/],
    [
      'text encoded three times',
      JSON.stringify(JSON.stringify('{}')),
      /must be a JSON object, is a string/,
    ],
    ['a list', [1], /must be a JSON object, is an array/],
    ['a number', 5, /must be a JSON object, is a number/],
    ['true', true, /must be a JSON object, is a boolean/],
  ])('%s is a fault and never an empty object', (_, given, problem) => {
    const call = one({ tool: 'a', arguments: given });
    expect(call.argumentFaults?.['']).toMatch(problem);
    expect(call.arguments).toEqual(given);
  });

  it('leaves strings inside arguments alone', () => {
    expect(one({ tool: 'a', arguments: { note: '[1]', plan: '{}' } }).arguments).toEqual({
      note: '[1]',
      plan: '{}',
    });
  });

  it('never shows what was sent', () => {
    const { argumentFaults } = one({ tool: 'a', arguments: '{"password": "hunter2" oops' });
    expect(JSON.stringify(argumentFaults)).not.toContain('hunter2');
  });

  it('is as strict with JSON text as with JSON', () => {
    const { argumentFaults } = one({
      tool: 'a',
      arguments: '{"a":1,"a":2,"__proto__":{},"b":1e999}',
    });
    expect(Object.keys(argumentFaults ?? {})).toEqual(['/a', '/__proto__', '/b']);
  });
});

describe('faults of the JSON itself', () => {
  it('belong to the arguments, the call or the envelope they stand in', () => {
    const envelope = parseText(
      '{"calls":[{"tool":"a","arguments":{"x":1,"x":2}},{"tool":"b","tool":"c"},{"tool":"d"}]}',
    );
    expect(envelope.ok).toBe(true);
    if (!envelope.ok) return;
    expect(envelope.calls[0]?.argumentFaults).toEqual({ '/x': 'is given more than once' });
    expect(envelope.calls[0]?.faults).toBeUndefined();
    expect(envelope.calls[1]?.faults).toEqual({ '/tool': 'is given more than once' });
    expect(envelope.calls[1]?.argumentFaults).toBeUndefined();
    expect(envelope.calls[2]).toEqual({ id: 'call_3', tool: 'd', arguments: {} });
    expect(parseText('{"calls":[{"tool":"a"}],"run_id":"x","run_id":"y"}')).toMatchObject({
      ok: false,
      errors: { '/run_id': 'is given more than once' },
    });
  });

  it('do not mistake a field that begins like "arguments" for it', () => {
    const envelope = parseText('{"calls":[{"tool":"a","arguments2":{"x":1,"x":2}}]}');
    const call = envelope.ok ? envelope.calls[0] : undefined;
    expect(call?.argumentFaults).toBeUndefined();
    expect(call?.faults?.['/arguments2/x']).toBe('is given more than once');
  });
});

describe('the envelope', () => {
  const calls = [{ tool: 'a' }];

  it.each([
    ['a misspelt field', { calls, deadlin_ms: 5 }, '/deadlin_ms', /did you mean deadline_ms/],
    ['the field of other formats', { calls, toolgate: {} }, '/toolgate', /unknown field/],
    ['calls that are no list', { calls: {} }, '/calls', /array/],
    ['no calls', { calls: [] }, '/calls', /1 to 3 calls, has 0/],
    ['too many calls', { calls: Array(4).fill(calls[0]) }, '/calls', /1 to 3 calls, has 4/],
    ['a bad deadline', { calls, deadline_ms: '5' }, '/deadline_ms', /positive integer/],
    ['a bad run id', { calls, run_id: 'a\u0007' }, '/run_id', /printable/],
    ['a bad order', { calls, return_order: 'random' }, '/return_order', /submission/],
  ])('%s refuses the request and says where', (_, body, pointer, problem) => {
    const envelope = parse(body, { maxBatch: 3 });
    expect(envelope).toMatchObject({ ok: false, code: 'PARSER_INVALID_FORMAT' });
    if (envelope.ok) return;
    expect(envelope.errors?.[pointer]).toMatch(problem);
    expect(envelope.message).toContain(pointer);
  });

  it('takes its options from the query, too, where its own fields win', () => {
    const query = { deadline_ms: '50', run_id: 'query', return_order: 'completion' };
    expect(read({ calls, run_id: 'body' }, { query }).options).toEqual({
      deadlineMs: 50,
      runId: 'body',
      returnOrder: 'completion',
    });
    expect(parse({ calls }, { query: { deadlin_ms: '5' } })).toMatchObject({
      ok: false,
      errors: { '?deadlin_ms': 'is an unknown field, did you mean deadline_ms?' },
    });
  });

  it('is read as native only where it is or is forced to be', () => {
    expect(parse({ call: [] }, { format: 'native' })).toMatchObject({
      ok: false,
      errors: { '/calls': 'must be an array of calls' },
    });
    expect(parse([], { format: 'native' })).toMatchObject({ ok: false });
  });
});

it('what is wrong with very many fields is worked out only for those that are named', () => {
  const many = Object.fromEntries(Array.from({ length: 500 }, (_, i) => [`timeoutms${i}`, 1]));
  expect(Object.keys(one({ tool: 'a', ...many }).faults ?? {})).toHaveLength(20);
  const faults = faultList();
  const say = vi.fn(() => 'is unknown');
  for (const name in many) addFault(faults, `/${name}`, say);
  expect([Object.keys(faults).length, say.mock.calls.length]).toEqual([20, 20]);
});
