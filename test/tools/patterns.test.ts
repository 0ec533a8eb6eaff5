import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { compilePattern } from '../../src/tools/patterns.js';
import { compileValidator } from '../../src/tools/validator.js';

function testOf(source: string, trusted = false) {
  const compiled = compilePattern(source, trusted);
  if (!compiled.ok) throw new Error(compiled.problem);
  return (text: string) => compiled.pattern.test(text);
}

describe('patterns mean what ECMA-262 says', () => {
  test.each([
    ['^[a-z]{2,8}-\\d+$', 'order-12', 'order-'],
    ['b', 'abc', 'ac'],
    ['^\\-x$', '-x', 'x'],
    ['^[\\w.\\-]+$', 'a-b.c', 'a b'],
    ['^\\p{L}+$', 'Žižek', 'a1'],
    ['^\\u0041\\/$', 'A/', 'B/'],
    ['^\\u{1F600}$', '😀', 'x'],
    ['^.$', '😀', 'ab'],
    ['^(?<year>\\d{4})$', '2026', '26'],
    ['^(?:a|b)?$', '', 'c'],
    ['a$', 'a', 'a\n'],
    ['^\\S+$', 'ab', 'a\u00a0b'],
    ['^\\s$', '\u2003', 'x'],
    ['^[\\s\\d]+$', '1\u00a02', 'x'],
    ['^[^\\s]+$', 'ab', 'a\u3000b'],
    ['^(?:(?<=a)b|a)+$', 'ab', 'b'],
    ['^[^\\S\\n]$', '\u00a0', '\n'],
    ['^[^]$', '\n', ''],
    ['^.$', 'a', '\r'],
    ['^[[:alpha:]]$', ':]', 'q'],
    ['^[a[b]$', '[', '^'],
    ['^\\uD83D\\uDE00$', '😀', 'x'],
    ['^\\cA\\x41\\0$', '\u0001A\u0000', 'cA'],
    ['^\\A\\z$', 'Az', ''],
    ['^[\\b]$', '\b', 'b'],
    ['^\\p{Script=Greek}+$', 'αβγ', 'abc'],
    ['^\\P{L}$', '1', 'a'],
    ['^\\[\\(\\?=\\]$', '[(?=]', 'x'],
    ['^[(?=]+$', '(?=', 'x'],
    ['^a{,2}$', 'a{,2}', 'aa'],
  ])('%s', (source, matches, fails) => {
    expect(testOf(source)(matches)).toBe(true);
    expect(testOf(source)(fails)).toBe(false);
  });
});

test('what RE2 takes, it takes as ECMA-262 does', () => {
  const piece = fc.constantFrom(
    ...[
      'a',
      'b',
      '-',
      '.',
      '\\s',
      '\\S',
      '\\d',
      '\\w',
      '\\W',
      '\\b',
      '[ab]',
      '[^a]',
      '[\\s-]',
      '[\\S]',
      '[a-c\\d]',
    ],
    ...[
      '(',
      ')',
      '(?:',
      '|',
      '*',
      '+',
      '?',
      '{1,2}',
      '^',
      '$',
      '\\u0041',
      '\\/',
      '\\.',
      '\\t',
      '[^]',
      '\\x20',
    ],
  );
  const letters = fc.string({
    unit: fc.constantFrom(
      'a',
      'b',
      'A',
      '1',
      '-',
      ' ',
      '\t',
      '\n',
      '\r',
      '\u00a0',
      '.',
      '/',
      'é',
      '_',
    ),
    maxLength: 6,
  });
  fc.assert(
    fc.property(
      fc.array(piece, { maxLength: 8 }).map((pieces) => pieces.join('')),
      letters,
      (source, text) => {
        let native: RegExp;
        try {
          native = new RegExp(source, 'u');
        } catch {
          return;
        }
        const compiled = compilePattern(source, false);
        if (compiled.ok) expect(compiled.pattern.test(text)).toBe(native.test(text));
      },
    ),
    { numRuns: 3000 },
  );
});

describe('what RE2 cannot express', () => {
  test.each([
    ['^(?=a)b', 'lookahead'],
    ['^(?!a)b', 'lookahead'],
    ['(a)\\1', 'a backreference'],
    ['(?<n>a)\\k<n>', 'a backreference'],
    ['a{2000}', 'a repetition above 1000'],
  ])('%s: named, and refused from strangers', (source, name) => {
    expect(compilePattern(source, false)).toEqual({
      ok: false,
      problem: `the pattern uses ${name}, which RE2 does not have`,
    });
  });

  test('runs natively for the operator, with a warning', () => {
    const compiled = compilePattern('^(?=.*\\d)[a-z\\d]{2}$', true);
    expect(compiled).toMatchObject({ ok: true, warning: expect.stringContaining('lookahead') });
    expect(testOf('^(?=.*\\d)[a-z\\d]{2}$', true)('a1')).toBe(true);
    expect(testOf('^(?=.*\\d)[a-z\\d]{2}$', true)('ab')).toBe(false);
    // `\-` is no escape under the u flag.
    expect(testOf('^(?=a)a\\-$', true)('a-')).toBe(true);
  });

  test('no pattern at all, or one beyond reason', () => {
    for (const trusted of [true, false]) {
      expect(compilePattern('(', trusted)).toMatchObject({ ok: false });
      expect(compilePattern('a'.repeat(20_000), trusted)).toMatchObject({ ok: false });
    }
  });
});

describe('evil patterns take no time', () => {
  test.each([['^(a|a)*$'], ['^(a+)+$'], ['^([a-zA-Z]+)*$'], ['(x+x+)+y'], ['^(.*a){20}$']])(
    '%s',
    (source) => {
      const schema = {
        properties: { a: { type: 'string', pattern: source } },
        patternProperties: { [source]: {} },
      };
      for (const trusted of [true, false]) {
        const compiled = compileValidator(schema, { trusted });
        if (!compiled.ok) throw new Error(compiled.problem);
        expect(compiled.validator.validate({ a: `${'a'.repeat(50_000)}!` })).toBeDefined();
      }
    },
  );
});
