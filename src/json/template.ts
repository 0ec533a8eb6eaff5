// `{argument}` placeholders in texts and in whole JSON trees, compiled once per tool.
import type { JsonObject } from '../call.js';

/** The arguments' value at this place; undefined: leave it out. */
export type Template = (args: JsonObject) => unknown;

/** Which placeholders stand for arguments; any other `{text}` is literal. */
export type IsArgument = (name: string) => boolean;

/** A text in pieces: literal ones, and the names of arguments. */
export type Piece = { readonly literal: string } | { readonly argument: string };

const PLACEHOLDER = /\{([A-Za-z_$][\w$.-]*)\}/g;

/** Splits a text at its placeholders. */
export function splitPlaceholders(text: string, isArgument: IsArgument): Piece[] {
  const pieces: Piece[] = [];
  let from = 0;
  for (const match of text.matchAll(PLACEHOLDER)) {
    const name = match[1] ?? '';
    if (!isArgument(name)) continue;
    if (match.index > from) pieces.push({ literal: text.slice(from, match.index) });
    pieces.push({ argument: name });
    from = match.index + match[0].length;
  }
  if (from < text.length) pieces.push({ literal: text.slice(from) });
  return pieces;
}

/** An argument; undefined where it is absent. */
export function argumentOf(args: JsonObject, name: string): unknown {
  return Object.hasOwn(args, name) ? args[name] : undefined;
}

/** A value within a text: strings as they are, anything else as JSON. */
export function asText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/**
 * Compiles any JSON value with placeholders in its texts. A text that is one placeholder takes the
 * argument's value, type and all; within a longer text arguments become text. A text whose argument
 * is absent (or, within a longer text, null) is left out with its key.
 */
export function compileTemplate(source: unknown, isArgument: IsArgument): Template {
  if (typeof source === 'string') return compileText(splitPlaceholders(source, isArgument), source);
  if (Array.isArray(source)) {
    const items = source.map((item) => compileTemplate(item, isArgument));
    return (args) => items.map((item) => item(args)).filter((value) => value !== undefined);
  }
  if (typeof source === 'object' && source !== null) {
    const members = Object.entries(source).map(
      ([key, value]) => [key, compileTemplate(value, isArgument)] as const,
    );
    return (args) => {
      const object: JsonObject = {};
      for (const [key, member] of members) {
        const value = member(args);
        if (value !== undefined) object[key] = value;
      }
      return object;
    };
  }
  return () => source;
}

function compileText(pieces: readonly Piece[], source: string): Template {
  const [first] = pieces;
  if (pieces.length === 1 && first !== undefined && 'argument' in first) {
    return (args) => argumentOf(args, first.argument);
  }
  if (pieces.every((piece) => 'literal' in piece)) return () => source;
  return (args) => {
    let text = '';
    for (const piece of pieces) {
      if ('literal' in piece) {
        text += piece.literal;
      } else {
        const value = argumentOf(args, piece.argument);
        if (value === undefined || value === null) return undefined;
        text += asText(value);
      }
    }
    return text;
  };
}
