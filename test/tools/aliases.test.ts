import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { aliasOf, buildAliases } from '../../src/tools/aliases.js';

const toolName = fc.stringMatching(/^[A-Za-z0-9_.-]{1,64}$/);

describe('aliases', () => {
  test.each([
    ['weather.forecast', 'weather__forecast'],
    ['plain_name-1', 'plain_name-1'],
    ['a.b.c', 'a__b__c'],
    ['2fa.send', '_2fa__send'],
    ['-x', '_-x'],
    ['.x', '__x'],
    ['tool with ünicode', 'tool_with__nicode'],
  ])('%s is %s', (name, alias) => {
    expect(aliasOf(name)).toBe(alias);
  });

  test('every provider can carry every one', () => {
    fc.assert(
      fc.property(toolName, (name) => {
        expect(aliasOf(name)).toMatch(/^[A-Za-z_][A-Za-z0-9_-]{0,63}$/);
      }),
    );
  });

  test('long names that differ late have aliases that differ', () => {
    const names = ['a', 'b'].map((end) => `${'x.'.repeat(31)}${end}`);
    const { ok, fromAlias } = buildAliases(names);
    expect(ok).toBe(true);
    expect([...fromAlias.values()]).toEqual(names);
    for (const alias of fromAlias.keys()) expect(alias).toHaveLength(64);
  });

  test('there and back again', () => {
    fc.assert(
      fc.property(fc.uniqueArray(toolName, { maxLength: 20 }), (names) => {
        const { toAlias, fromAlias, ok, collisions } = buildAliases(names);
        expect(ok).toBe(collisions.length === 0);
        for (const [name, alias] of toAlias) expect(fromAlias.get(alias)).toBe(name);
        expect(toAlias.size + collisions.length).toBe(names.length);
      }),
    );
  });

  test('a collision names both, the first keeps the alias', () => {
    const { ok, collisions, fromAlias, toAlias } = buildAliases(['a.b', 'a__b', 'c', 'c']);
    expect(ok).toBe(false);
    expect(collisions).toEqual([{ alias: 'a__b', names: ['a.b', 'a__b'] }]);
    expect(fromAlias.get('a__b')).toBe('a.b');
    expect(toAlias.has('a__b')).toBe(false);
  });
});
