import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { compilePatterns } from '../../src/tools/permissions.js';

describe('patterns', () => {
  test.each([
    [['*'], 'anything', true],
    [[], 'anything', false],
    [['weather.*'], 'weather.forecast', true],
    [['weather.*'], 'weather', false],
    [['weather.*'], 'weatherx', false],
    [['weather.*'], 'weather.', true],
    [['*.get'], 'a.b.get', true],
    [['*.get'], 'a.b.getx', false],
    [['a?c'], 'abc', true],
    [['a?c'], 'ac', false],
    [['a.c'], 'abc', false],
    [['Weather'], 'weather', false],
    [['weather.*', '!weather.admin.*'], 'weather.admin.reset', false],
    [['weather.*', '!weather.admin.*'], 'weather.forecast', true],
    [['!weather.admin.*', 'weather.*'], 'weather.admin.reset', true],
    [['*', '!weather.*', 'weather.forecast'], 'weather.forecast', true],
    [['!weather.*'], 'mail.send', false],
    [['!*'], 'mail.send', false],
    [['**a**'], 'bab', true],
    [['*a*b*c*'], 'xxaxxbxxcxx', true],
    [['*a*b*c*'], 'xxcxxbxxaxx', false],
    [[''], '', true],
    [['[a]', '(b)', 'c+', '\\d', '^', '$'], 'a', false],
  ])('%j on %s: %s', (patterns, name, expected) => {
    expect(compilePatterns(patterns)(name)).toBe(expected);
  });

  test('many stars on a long name do not backtrack', () => {
    const allowed = compilePatterns([`${'*a'.repeat(40)}b`]);
    expect(allowed('a'.repeat(10_000))).toBe(false);
  });

  test('mean the same as a regular expression', () => {
    const letter = fc.constantFrom('a', 'b', '.', '*', '?');
    const pattern = fc.string({ unit: letter, maxLength: 8 });
    const name = fc.string({ unit: fc.constantFrom('a', 'b', '.'), maxLength: 8 });
    fc.assert(
      fc.property(pattern, name, (glob, text) => {
        const source = glob.replaceAll('.', '\\.').replaceAll('*', '.*').replaceAll('?', '.');
        expect(compilePatterns([glob])(text)).toBe(new RegExp(`^${source}$`).test(text));
      }),
      { numRuns: 2000 },
    );
  });
});
