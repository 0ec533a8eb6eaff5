import { describe, expect, it } from 'vitest';
import {
  compilePointer,
  escapePointerToken,
  isPointer,
  pointerGet,
} from '../../src/json/pointer.js';
import { compilePredicate } from '../../src/json/predicate.js';

describe('JSON Pointer', () => {
  // RFC 6901 §5.
  const document = {
    foo: ['bar', 'baz'],
    '': 0,
    'a/b': 1,
    'c%d': 2,
    'e^f': 3,
    'g|h': 4,
    'i\\j': 5,
    'k"l': 6,
    ' ': 7,
    'm~n': 8,
  };
  it.each([
    ['', document],
    ['/foo', ['bar', 'baz']],
    ['/foo/0', 'bar'],
    ['/', 0],
    ['/a~1b', 1],
    ['/c%d', 2],
    ['/e^f', 3],
    ['/g|h', 4],
    ['/i\\j', 5],
    ['/k"l', 6],
    ['/ ', 7],
    ['/m~0n', 8],
  ])('%j leads where RFC 6901 says', (pointer, value) => {
    expect(pointerGet(document, pointer)).toEqual({ found: true, value });
  });

  it.each([
    '/foo/2',
    '/foo/-',
    '/foo/01',
    '/foo/0x0',
    '/foo/length',
    '/foo/0/length',
    '/nope',
    '/constructor',
    '/toString',
    'foo',
    '/m~n',
    '/~2',
  ])('%j leads nowhere', (pointer) => {
    expect(pointerGet(document, pointer)).toEqual({ found: false, value: undefined });
  });

  it('finds null and false, and `~01` is `~1`', () => {
    expect(pointerGet({ a: null }, '/a')).toEqual({ found: true, value: null });
    expect(pointerGet({ '~1': false }, '/~01')).toEqual({ found: true, value: false });
    expect(pointerGet(null, '/a')).toMatchObject({ found: false });
  });

  it('knows what is a pointer, and escapes a token so that it leads back', () => {
    expect(['', '/', '/a~0~1'].every(isPointer)).toBe(true);
    expect(['a', 'a/b', '/~', '/~2', '#/a'].some(isPointer)).toBe(false);
    const key = '~/~01/';
    expect(compilePointer(`/${escapePointerToken(key)}`)({ [key]: 1 })).toEqual({
      found: true,
      value: 1,
    });
  });
});

describe('a predicate', () => {
  it.each([
    [{ pointer: '/s', equals: 'ok' }, { s: 'ok' }, true],
    [{ pointer: '/s', equals: 'ok' }, { s: 'no' }, false],
    [{ pointer: '/s', equals: 'ok' }, {}, false],
    [{ pointer: '/s', equals: { a: [1] } }, { s: { a: [1] } }, true],
    [{ pointer: '/s', equals: null }, { s: null }, true],
    [{ pointer: '/s', notEquals: 'error' }, { s: 'ok' }, true],
    [{ pointer: '/s', notEquals: 'error' }, {}, true],
    [{ pointer: '/s', notEquals: 'error' }, { s: 'error' }, false],
    [{ pointer: '/error', absent: true }, {}, true],
    [{ pointer: '/error', absent: true }, { error: null }, false],
    [{ pointer: '/data', absent: false }, { data: 0 }, true],
    [{ pointer: '/data', absent: false }, null, false],
  ])('%j on %j: %s', (predicate, value, holds) => {
    expect(compilePredicate(predicate)(value)).toBe(holds);
  });
});
