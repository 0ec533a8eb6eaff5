// A tool's URL with placeholders in path and query, compiled once. An argument can fill a place; it
// can never change the scheme, the host, or which path segment it is in.
import type { JsonObject } from '../../call.js';
import { ArgumentFault } from './argument-fault.js';
import {
  argumentOf,
  asText,
  compileTemplate,
  splitPlaceholders,
  type IsArgument,
  type Piece,
} from '../../json/template.js';

export interface CompiledUrl {
  /** `https://api.example.com:8443` */
  readonly origin: string;
  /** `Basic …` from the URL's userinfo. */
  readonly authorization: string | undefined;
  /** Arguments that the URL itself uses. */
  readonly uses: ReadonlySet<string>;
  /** Path and query. Throws ArgumentFault. */
  path(args: JsonObject): string;
}

/** Writes one query parameter's pairs; '' where the argument is absent. */
export type QueryWriter = (args: JsonObject) => string;

const URL_PARTS = /^(https?:\/\/[^/?#]+)([^?#]*)(?:\?([^#]*))?/i;

/**
 * Compiles a URL template.
 *
 * @throws Error where it is not an absolute http(s) URL, or a placeholder stands in its host
 */
export function compileUrl(template: string): CompiledUrl {
  const [, , path = '', query = ''] = URL_PARTS.exec(template) ?? [];
  const base = baseOf(template);
  const uses = new Set<string>();
  const isArgument: IsArgument = (name) => {
    uses.add(name);
    return true;
  };
  const segments = path
    .replace(/^\//, '')
    .split('/')
    .map((segment) => compileSegment(escapedPieces(segment, isArgument)));
  const pairs = query
    .split('&')
    .filter((pair) => pair !== '')
    .map((pair) => compileRawPair(pair, isArgument));
  return {
    origin: base.origin,
    authorization: basicAuthorization(base),
    uses,
    path: (args) => {
      let text = '';
      for (const segment of segments) text += `/${segment(args)}`;
      return withQuery(text, writeQuery(pairs, args));
    },
  };
}

/** Scheme, userinfo and host of a URL template. Throws as `compileUrl` does. */
export function baseOf(template: string): URL {
  const authority = URL_PARTS.exec(template)?.[1] ?? '';
  if (/[{}]/.test(authority)) throw new Error('A placeholder may not stand in scheme or host.');
  return new URL(authority);
}

/** Compiles `query:` of the configuration: arrays repeat, objects become JSON, null is left out. */
export function compileQuery(
  query: Readonly<Record<string, unknown>>,
  isArgument: IsArgument,
): QueryWriter {
  const pairs = Object.entries(query).map(([name, source]): QueryWriter => {
    const template = compileTemplate(source, isArgument);
    const key = encodeURIComponent(name);
    return (args) => writePairs(key, template(args), name);
  });
  return (args) => writeQuery(pairs, args);
}

/** The arguments that `skip` does not name, as a query. */
export function restAsQuery(args: JsonObject, skip: ReadonlySet<string>): string {
  let query = '';
  for (const name in args) {
    if (!skip.has(name))
      query = joined(query, writePairs(encodeArgument(name, name), args[name], name));
  }
  return query;
}

/** Appends a query, which may be empty, to a path that may have one already. */
export function withQuery(path: string, query: string): string {
  if (query === '') return path;
  return `${path}${path.includes('?') ? '&' : '?'}${query}`;
}

function writeQuery(pairs: readonly QueryWriter[], args: JsonObject): string {
  let query = '';
  for (const pair of pairs) query = joined(query, pair(args));
  return query;
}

function writePairs(key: string, value: unknown, argument: string): string {
  if (value === undefined || value === null) return '';
  if (!Array.isArray(value)) return `${key}=${encodeArgument(asText(value), argument)}`;
  let pairs = '';
  for (const item of value as unknown[]) {
    if (item === undefined || item === null) continue;
    pairs = joined(pairs, `${key}=${encodeArgument(asText(item), argument)}`);
  }
  return pairs;
}

/** Two queries as one; either may be empty. */
function joined(query: string, more: string): string {
  if (query === '' || more === '') return query + more;
  return `${query}&${more}`;
}

/** A `key=value` of the URL itself, whose literal parts are escaped already. */
function compileRawPair(pair: string, isArgument: IsArgument): QueryWriter {
  const at = pair.indexOf('=');
  const pieces = escapedPieces(at === -1 ? '' : pair.slice(at + 1), isArgument);
  const key = escapeLiteral(at === -1 ? pair : pair.slice(0, at));
  const [first] = pieces;
  if (pieces.length === 1 && first !== undefined && 'argument' in first) {
    return (args) => writePairs(key, argumentOf(args, first.argument), first.argument);
  }
  const literal = escapeLiteral(pair);
  if (pieces.every((piece) => 'literal' in piece)) return () => literal;
  return (args) => {
    let text = `${key}=`;
    for (const piece of pieces) {
      const part = writePiece(piece, args);
      if (part === undefined) return '';
      text += part;
    }
    return text;
  };
}

function compileSegment(pieces: readonly Piece[]): (args: JsonObject) => string {
  const names = pieces.flatMap((piece) => ('argument' in piece ? [piece.argument] : []));
  const [first] = names;
  if (first === undefined) {
    const literal = pieces.map((piece) => ('literal' in piece ? piece.literal : '')).join('');
    return () => literal;
  }
  return (args) => {
    let segment = '';
    for (const piece of pieces) {
      const part = writePiece(piece, args);
      if (part === undefined) throw new ArgumentFault(nameOf(piece), 'is needed in the URL');
      segment += part;
    }
    // RFC 3986 §5.2.4: `.` and `..` would climb, escaped or not; an empty one joins its neighbours.
    if (/^(?:\.|%2e){0,2}$/i.test(segment)) {
      throw new ArgumentFault(first, 'may not be empty, "." or ".." in a URL path');
    }
    return segment;
  };
}

/** The pieces of a part of the URL, literal ones ready to be sent. */
function escapedPieces(part: string, isArgument: IsArgument): Piece[] {
  return splitPlaceholders(part, isArgument).map((piece) =>
    'literal' in piece ? { literal: escapeLiteral(piece.literal) } : piece,
  );
}

function nameOf(piece: Piece): string {
  return 'argument' in piece ? piece.argument : '';
}

function writePiece(piece: Piece, args: JsonObject): string | undefined {
  if ('literal' in piece) return piece.literal;
  const value = argumentOf(args, piece.argument);
  if (value === undefined || value === null) return undefined;
  return encodeArgument(asText(value), piece.argument);
}

function encodeArgument(text: string, argument: string): string {
  try {
    return encodeURIComponent(text);
  } catch {
    throw new ArgumentFault(argument, 'holds half a surrogate pair, which is no character');
  }
}

/** Escapes what a URL cannot hold and leaves the author's own escapes alone. */
function escapeLiteral(text: string): string {
  return encodeURI(text).replace(/%25([0-9a-f]{2})/gi, '%$1');
}

function basicAuthorization(url: URL): string | undefined {
  if (url.username === '' && url.password === '') return undefined;
  const credentials = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`;
  return `Basic ${Buffer.from(credentials).toString('base64')}`;
}
