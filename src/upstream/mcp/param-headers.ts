// Arguments that a tool's schema marks with `x-mcp-header` are repeated as HTTP headers (MCP
// 2026-07-28, Streamable HTTP, "Custom parameter headers"); the server refuses a call without them.
// The official client does this inside `callTool`, which we do not use.
import type { JsonObject } from '../../call.js';
import { isObject } from '../../json/object.js';

const KEYWORD = 'x-mcp-header';
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const TYPES = new Set<unknown>(['string', 'integer', 'boolean']);
const MAX_DEPTH = 32;

/** One marked argument. */
export interface ParamHeader {
  readonly path: readonly string[];
  readonly header: string;
}

/** The marked arguments of a schema; those that are marked wrongly are left out. */
export function paramHeaders(schema: JsonObject): readonly ParamHeader[] {
  return walk(schema, []).flatMap((found) => (found.fault === undefined ? [found] : []));
}

/** What is wrong with the marks in a schema; such a tool must not be offered. */
export function paramHeaderFault(schema: JsonObject): string | undefined {
  const found = walk(schema, []);
  const fault = found.find((one) => one.fault !== undefined)?.fault;
  if (fault !== undefined) return fault;
  const names = new Set(found.map(({ header }) => header.toLowerCase()));
  return names.size < found.length ? `its ${KEYWORD} names repeat` : undefined;
}

/** The headers of one call. An absent or null argument has none. */
export function buildParamHeaders(
  declared: readonly ParamHeader[],
  args: JsonObject,
): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const { path, header } of declared) {
    const text = toText(path.reduce<unknown>(memberOf, args));
    if (text !== undefined) headers[`mcp-param-${header.toLowerCase()}`] = encode(text);
  }
  return headers;
}

interface Found extends ParamHeader {
  readonly fault: string | undefined;
}

/** Marks count on properties that are reached through `properties` alone. */
function walk(schema: JsonObject, path: readonly string[]): Found[] {
  if (path.length > MAX_DEPTH) return [];
  const found: Found[] = [];
  const header = schema[KEYWORD];
  if (header !== undefined) {
    const name = typeof header === 'string' ? header : '';
    found.push({ path, header: name, fault: markFault(name, schema, path) });
  }
  const { properties } = schema;
  if (!isObject(properties)) return found;
  for (const [name, child] of Object.entries(properties)) {
    if (isObject(child)) found.push(...walk(child, [...path, name]));
  }
  return found;
}

function markFault(
  header: string,
  schema: JsonObject,
  path: readonly string[],
): string | undefined {
  if (path.length === 0) return `its ${KEYWORD} stands on the schema itself`;
  if (!TOKEN.test(header)) return `its ${KEYWORD} is not the name of a header`;
  return TYPES.has(schema['type']) ? undefined : `its ${KEYWORD} marks a value that is no scalar`;
}

function memberOf(value: unknown, name: string): unknown {
  return isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

function toText(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  if (typeof value === 'boolean') return String(value);
  return typeof value === 'number' && Number.isSafeInteger(value) ? String(value) : undefined;
}

/** As it is where it is a plain field value, else `=?base64?…?=`. */
function encode(text: string): string {
  const plain = /^[\x21-\x7e](?:[\x20-\x7e\t]*[\x21-\x7e])?$/.test(text);
  if (plain && !(text.startsWith('=?base64?') && text.endsWith('?='))) return text;
  return `=?base64?${Buffer.from(text, 'utf8').toString('base64')}?=`;
}
