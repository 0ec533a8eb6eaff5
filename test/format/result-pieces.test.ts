// A ToolResult on the wire: the contract's keys in its order, results spliced as they came.
import { expect, it } from 'vitest';
import type { ToolResult } from '../../src/call.js';
import { resultPieces } from '../../src/format/index.js';
import { declined, failed, result } from './helpers.js';

function wire(given: ToolResult): string {
  return Buffer.concat(resultPieces(given).map((piece) => Buffer.from(piece))).toString();
}

it('has the keys of the contract in their order', () => {
  expect(wire(result())).toBe(
    '{"id":"c1","tool":"weather.forecast","status":"ok","result":{"temperature":7},"error":null,' +
      '"error_info":null,"attempts":1,"duration_ms":12.3,"cached":false}',
  );
});

it('repeats the message of a failure beside its error_info', () => {
  const given = failed();
  expect(JSON.parse(wire(given))).toEqual({
    id: 'c1',
    tool: 'weather.forecast',
    status: 'error',
    result: null,
    error: 'Slow down.',
    error_info: given.errorInfo,
    attempts: 1,
    duration_ms: 12.3,
    cached: false,
  });
  expect(JSON.parse(wire(declined()))).toMatchObject({ status: 'declined', result: null });
});

it('splices JSON text as it came, blanks and digits included', () => {
  const text = ' { "n" : 12345678901234567890, "f": 1.0 }';
  expect(wire(result({ result: { kind: 'json', text } }))).toContain(`"result":${text},"error"`);
});

it('hands bytes through without a copy, one string on either side', () => {
  const chunks = [Buffer.from('{"a":"ä'), Buffer.from('"}')];
  const pieces = resultPieces(result({ result: { kind: 'json-bytes', chunks, byteLength: 10 } }));
  expect(pieces).toHaveLength(4);
  expect(pieces[1]).toBe(chunks[0]);
  expect(pieces[2]).toBe(chunks[1]);
  expect(
    JSON.parse(wire(result({ result: { kind: 'json-bytes', chunks, byteLength: 10 } }))),
  ).toMatchObject({
    result: { a: 'ä' },
  });
});

it('is one string where no bytes are', () => {
  for (const body of [null, { kind: 'json', text: '1' }, { kind: 'text', text: 'x' }] as const) {
    expect(resultPieces(result({ result: body }))).toHaveLength(1);
  }
});

it('makes plain text a JSON string and nothing null', () => {
  const text = 'line\n"quoted" \u0000 \ud800';
  expect(JSON.parse(wire(result({ result: { kind: 'text', text } })))).toMatchObject({
    result: text,
  });
  expect(JSON.parse(wire(result({ result: { kind: 'value', value: undefined } })))).toMatchObject({
    result: null,
  });
  expect(JSON.parse(wire(result({ result: { kind: 'value', value: [0, ''] } })))).toMatchObject({
    result: [0, ''],
  });
});

it('survives ids and names full of quotes', () => {
  const name = '"},{"\\\n';
  expect(JSON.parse(wire(result({ id: name, tool: name })))).toMatchObject({
    id: name,
    tool: name,
  });
});

it('adds warnings and the size before a cut, only where there are any', () => {
  const text = wire(result({ warnings: ['TOOL_RESULT_ERROR'], truncatedFromBytes: 4096 }));
  expect(text).toMatch(
    /"warnings":\["TOOL_RESULT_ERROR"\],"truncated":true,"original_bytes":4096\}$/,
  );
  expect(wire(result({ truncatedFromBytes: 0 }))).toContain('"original_bytes":0');
});

it.each([
  [0, 0],
  [0.04, 0],
  [0.05, 0.1],
  [310, 310],
  [1234.5678, 1234.6],
])('gives %d ms as %d', (durationMs, expected) => {
  expect((JSON.parse(wire(result({ durationMs }))) as { duration_ms: number }).duration_ms).toBe(
    expected,
  );
});
