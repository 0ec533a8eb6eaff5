// The byte checker against JSON.parse, on sound texts, broken ones, and sound ones broken a little.
import { isUtf8 } from 'node:buffer';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isValidJson, JsonChecker } from '../../src/json/check.js';

function parses(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** A small generator of our own: fast-check's is too slow for hundreds of thousands of inputs. */
function randomInts(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

const SEEDS = [
  '{"a":[1,-0.5e+10,0,-0,1E5,2.25],"b":{"c":null,"d":true,"e":false},"":"\\u00e9\\n\\"\\\\\\/"}',
  ' [ ] ',
  '{ }',
  '"\\ud83d\\ude00 é 漢字 😀"',
  '[[[[[]]]],{"x":{"y":{}}}]',
  '-12.5e-3',
  '0',
  'true',
  '\t\r\n{"k" : [ "v" , 1 , { } ] }\n',
  '[1e1,1e+1,1e-1,10,100.001]',
];
const PIECES = [
  ...Array.from('{}[]:,"\\/ \t\n\r0123456789+-.eEtfnulrsa\u0000\u001f\u007f\u00a0\ufeff'),
  'true',
  'null',
  'false',
  '\\u12',
  '""',
  '1.5',
  '-',
  '"a":',
  '\u2028',
  'é',
  '😀',
  'NaN',
  "'",
];

describe('the byte checker', () => {
  it('agrees with JSON.parse on 300 000 mutated texts, whole or in chunks', () => {
    const int = randomInts(20_260_101);
    const piece = (): string => PIECES[int(PIECES.length)]!;
    const disagreements: string[] = [];
    for (let round = 0; round < 300_000; round++) {
      let text = SEEDS[int(SEEDS.length)]!;
      for (let edits = int(4); edits > 0; edits--) {
        const at = int(text.length + 1);
        const gone = int(3);
        text = text.slice(0, at) + (int(3) > 0 ? piece() : '') + text.slice(at + gone);
      }
      // A text that ends within a surrogate pair has no UTF-8 form.
      const bytes = Buffer.from(text);
      const expected = parses(bytes.toString('utf8'));
      const cut = int(bytes.length + 1);
      const chunks = [bytes.subarray(0, cut), bytes.subarray(cut)];
      if (isValidJson(bytes) !== expected || isValidJson(chunks) !== expected) {
        disagreements.push(text);
      }
    }
    expect(disagreements).toEqual([]);
  });

  it('agrees with JSON.parse and isUtf8 on arbitrary bytes', () => {
    fc.assert(
      fc.property(
        fc.json(),
        fc.array(fc.tuple(fc.nat(), fc.nat(255)), { maxLength: 3 }),
        (text, edits) => {
          const bytes = Buffer.from(text);
          for (const [at, byte] of edits) if (bytes.length > 0) bytes[at % bytes.length] = byte;
          const expected = isUtf8(bytes) && parses(bytes.toString('utf8'));
          expect(isValidJson(bytes)).toBe(expected);
          expect(isValidJson([...bytes].map((byte) => Uint8Array.of(byte)))).toBe(expected);
        },
      ),
      { numRuns: 3_000 },
    );
  });

  it.each([
    '',
    ' ',
    '[',
    '{"a"',
    '"',
    '-',
    '1.',
    '1e',
    '01',
    '+1',
    '.5',
    '[1,]',
    '{,}',
    '{"a":1,}',
    '[}',
    '{]',
    '1 2',
    'nul',
    'truee',
    '"\\x"',
    '"\\u12g4"',
    '"\t"',
    '\ufeff1',
    'NaN',
    '[1}',
    ']',
  ])('refuses %j', (text) => {
    expect(isValidJson(Buffer.from(text))).toBe(false);
  });

  it('refuses bytes that are not UTF-8, also where chunks split a character', () => {
    const euro = Buffer.from('"€"');
    expect(isValidJson([euro.subarray(0, 2), euro.subarray(2)])).toBe(true);
    expect(isValidJson([euro.subarray(0, 2), euro.subarray(3)])).toBe(false);
    expect(isValidJson(Buffer.from([0x22, 0xff, 0x22]))).toBe(false);
    // A surrogate and an overlong form, which decoders replace rather than refuse.
    expect(isValidJson(Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22]))).toBe(false);
    expect(isValidJson(Buffer.from([0x22, 0xc0, 0xaf, 0x22]))).toBe(false);
  });

  it('holds the depth limit exactly and survives bottomless nesting without one', () => {
    const nested = (depth: number): Buffer => Buffer.from('['.repeat(depth) + ']'.repeat(depth));
    expect(isValidJson(nested(64), 64)).toBe(true);
    expect(isValidJson(nested(65), 64)).toBe(false);
    expect(isValidJson(nested(300_000))).toBe(true);
  });

  it('knows the offset of the first bad byte over chunks, and what could have stood there', () => {
    const checker = new JsonChecker();
    expect(checker.push(Buffer.from('{"a": '))).toBe(true);
    expect(checker.push(Buffer.from('1, b'))).toBe(false);
    expect(checker.offset).toBe(9);
    expect(checker.expected).toBe('a property name in double quotes');
  });
});
