// Strict parsing: what JSON.parse lets pass is named with its place; the value is never touched.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseJson, type JsonFault } from '../../src/json/parse.js';

function faultsOf(text: string, maxDepth?: number): readonly JsonFault[] {
  const parsed = parseJson(text, maxDepth);
  if (!parsed.ok) throw new Error(parsed.message);
  return parsed.faults;
}

const LONE = 'holds half a surrogate pair, which is no character';
const DIGITS = 'is an integer that would lose digits; send it as a string';

describe('faults of a text that parses', () => {
  it.each([
    ['a duplicate key', '{"a":1,"b":2,"a":3}', '/a', 'is given more than once'],
    [
      'a duplicate key, escaped differently',
      '{"x":{"a":1,"\\u0061":2}}',
      '/x/a',
      'is given more than once',
    ],
    [
      'a duplicate key that needs escaping in a pointer',
      '{"a/b~":1,"a/b~":2}',
      '/a~1b~0',
      'is given more than once',
    ],
    [
      'a duplicate key behind strings that look like structure',
      '[{"s":"\\\\\\"{:,","s":1}]',
      '/0/s',
      'is given more than once',
    ],
    [
      '__proto__',
      '{"calls":[{},{"arguments":{"__proto__":{"admin":true}}}]}',
      '/calls/1/arguments/__proto__',
      'is not allowed as a property name',
    ],
    [
      '__proto__, escaped',
      '{"\\u005f_proto__":1}',
      '/__proto__',
      'is not allowed as a property name',
    ],
    ['a lone high surrogate', '["x","\\ud800"]', '/1', LONE],
    ['a lone low surrogate', '{"a":"\\uDC00\\uD800"}', '/a', LONE],
    ['a lone surrogate that is not escaped', `["\ud83d"]`, '/0', LONE],
    ['half a pair in a name', '{"\\ud800":1}', '/\ud800', 'has half a surrogate pair in its name'],
    ['1e999', '{"n":[0,1e999]}', '/n/1', 'is a number too large to represent'],
    ['-1E+400', '-1E+400', '', 'is a number too large to represent'],
    [
      'an integer of 400 digits',
      `{"n":${'9'.repeat(400)}}`,
      '/n',
      'is a number too large to represent',
    ],
    ['1e-999', '{"n":1e-999}', '/n', 'is a number too small to represent'],
    [
      'a fraction of 400 zeros',
      `[0.${'0'.repeat(400)}1]`,
      '/0',
      'is a number too small to represent',
    ],
    ['20 digits', '{"id":12345678901234567890}', '/id', DIGITS],
    ['2^53 + 1', '[-9007199254740993]', '/0', DIGITS],
    ['a large integer that is printed otherwise', '[123456789012345680000001]', '/0', DIGITS],
  ])('%s', (_name, text, pointer, problem) => {
    expect(faultsOf(text)).toEqual([{ pointer, problem }]);
  });

  it.each([
    ['2^53 and 2^54, which a double holds', '[9007199254740992,18014398509481984]'],
    ['a surrogate pair', '["\\ud83d\\ude00","😀"]'],
    ['ordinary exponents and zeros', '[1e5,1E-7,0e999,0.0,-0]'],
    ['equal keys in different objects', '{"a":{"a":1},"b":[{"a":1},{"a":2}]}'],
    ['keys of Object.prototype', '{"constructor":1,"toString":2,"hasOwnProperty":3}'],
    ['a __proto__ that is a value', '["__proto__"]'],
    ['escaped backslashes before a closing quote', '{"a":"\\\\","b":"\\\\\\\\"}'],
    ['a scalar', '"x"'],
  ])('none in %s', (_name, text) => {
    expect(faultsOf(text)).toEqual([]);
  });

  it('names the place where nesting crosses the limit, once per place, and siblings keep their faults', () => {
    const deep = '['.repeat(4) + ']'.repeat(4);
    const problem = 'is nested more than 3 levels deep';
    expect(faultsOf(`{"a":${'['.repeat(2)}${']'.repeat(2)}}`, 3)).toEqual([]);
    expect(faultsOf(`{"a":${deep},"b":{"c":1,"c":2}}`, 3)).toEqual([
      { pointer: '/a/0/0', problem },
      { pointer: '/b/c', problem: 'is given more than once' },
    ]);
  });

  it('reads bottomless nesting without overflowing the stack', () => {
    const text = '{"a":'.repeat(100_000) + '1' + '}'.repeat(100_000);
    const [fault] = faultsOf(text);
    expect(fault?.problem).toBe('is nested more than 64 levels deep');
    expect(fault?.pointer).toBe('/a'.repeat(64));
  });

  it('reports at most 20 faults, in the order of the text', () => {
    const text = `[${Array.from({ length: 50 }, () => '1e999').join()}]`;
    expect(faultsOf(text).map((fault) => fault.pointer)).toEqual(
      Array.from({ length: 20 }, (_, index) => `/${index}`),
    );
  });

  it('gives the value that JSON.parse gives, faults or not, and finds no fault in what JSON.stringify wrote', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 5 }), (value) => {
        const text = JSON.stringify(value);
        const parsed = parseJson(text);
        expect(parsed).toMatchObject({ ok: true });
        if (!parsed.ok) return;
        expect(parsed.value).toEqual(JSON.parse(text));
        const harmless = parsed.faults.filter((fault) => fault.problem !== DIGITS);
        if (!text.includes('__proto__')) expect(harmless).toEqual([]);
      }),
      { numRuns: 1_000 },
    );
  });

  it('finds a duplicate wherever one is put', () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ minLength: 1 }), { minLength: 1, maxLength: 6 }),
        fc.nat(),
        fc.jsonValue({ maxDepth: 2 }),
        (names, pick, value) => {
          const keys = [...new Set(names.filter((name) => name !== '__proto__'))];
          fc.pre(keys.length > 0);
          const all = [...keys, keys[pick % keys.length]!];
          const members = all.map((key) => `${JSON.stringify(key)}:${JSON.stringify(value)}`);
          const problems = faultsOf(`[{${members.join()}}]`).map((fault) => fault.problem);
          expect(problems).toContain('is given more than once');
        },
      ),
      { numRuns: 500 },
    );
  });
});

describe('a text that does not parse', () => {
  it.each([
    ['{"a":[1,2,}', 1, 11, 10, /^unexpected character at line 1, column 11; expected a value$/],
    ['{"a"', 1, 5, 4, /^the text ends too early at line 1, column 5; expected ":"$/],
    ['{\n  "é": "x",\n  "😀": nope\n}', 3, 10, 23, /true, false or null/],
    ['', 1, 1, 0, /ends too early/],
    ['[1]\n\nx', 3, 1, 5, /or the end/],
    ['\ufeff{}', 1, 1, 0, /expected a value/],
    ["{'a':1}", 1, 2, 1, /double quotes/],
    ['["\u0001"]', 1, 3, 2, /control characters/],
  ])('%j stands at line %i, column %i', (text, line, column, offset, message) => {
    const parsed = parseJson(text);
    expect(parsed).toMatchObject({ ok: false, line, column, offset });
    expect(!parsed.ok && parsed.message).toMatch(message);
  });

  it('never repeats the text in the message', () => {
    const parsed = parseJson('{"password": hunter2}');
    expect(JSON.stringify(parsed)).not.toContain('hunter2');
  });
});
