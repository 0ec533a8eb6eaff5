// The small pieces that the configuration schema is made of. Every object is closed, so that a
// mistyped key is a fault; every piece says in `expected` what a fault message asks for.
import {
  Type,
  type TLiteral,
  type TNull,
  type TObject,
  type TProperties,
  type TUnion,
} from '../../json/schema-type.js';
import { MAX_TIME_MS } from '../defaults.js';

// A type alias: an interface would not fit the library's open options.
type Note = { description: string; default?: unknown };

/** A closed object. */
export function object<P extends TProperties>(properties: P, note?: Note): TObject<P> {
  return Type.Object(properties, { additionalProperties: false, ...note });
}

/** An object, or `false` (or null) to switch the thing off. */
export function switchable<P extends TProperties>(
  properties: P,
  note: Note,
): TUnion<[TObject<P>, TLiteral<false>, TNull]> {
  return Type.Union([object(properties), Type.Literal(false), Type.Null()], {
    ...note,
    expected: 'an object, or false to switch it off',
  });
}

/** Milliseconds; whole, at most a day. */
export function ms(note: Note, minimum = 1) {
  return Type.Integer({ minimum, maximum: MAX_TIME_MS, ...note });
}

/** A whole number in a range. */
export function count(note: Note, minimum: number, maximum: number) {
  return Type.Integer({ minimum, maximum, ...note });
}

export function flag(note: Note) {
  return Type.Boolean(note);
}

/** Text that says something. */
export function text(note: Note) {
  return Type.String({ minLength: 1, ...note });
}

/** One of a few words. */
export function oneOf<const W extends string>(words: readonly W[], note: Note) {
  return Type.Unsafe<W>({ type: 'string', enum: [...words], ...note });
}

/** A list of texts. */
export function texts(note: Note) {
  return Type.Array(Type.String({ minLength: 1 }), note);
}

/** A JSON Pointer (RFC 6901). */
export function pointer(note: Note) {
  return Type.String({
    pattern: '^(/([^~/]|~[01])*)*$',
    expected: 'a JSON Pointer such as /data/0',
    ...note,
  });
}

/** Any JSON value. */
export function anything(note: Note) {
  return Type.Unknown(note);
}

/** A JSON Schema; checked by its own dialect later. */
export function jsonSchema(note: Note) {
  return Type.Record(Type.String(), Type.Unknown(), {
    ...note,
    expected: 'a JSON Schema (an object)',
  });
}

/** Names to texts. */
export function textMap(note: Note) {
  return Type.Record(Type.String(), Type.String(), { ...note, expected: 'an object of texts' });
}
