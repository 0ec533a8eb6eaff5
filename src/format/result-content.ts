// What a model can be shown of a tool's answer: its text, its images, and a note for the rest.
// Answers that came from an MCP server are lists of content blocks; all others are JSON or text.
import type { JsonObject, ResultBody } from '../call.js';
import { isObject } from '../json/object.js';

/** An image that every provider with image blocks takes. */
export interface Image {
  readonly mimeType: ImageType;
  /** Base64. */
  readonly data: string;
}

export interface ResultContent {
  readonly text: string;
  readonly images: readonly Image[];
}

const EMPTY = '(empty)';
type ImageType = 'image/png' | 'image/jpeg' | 'image/gif' | 'image/webp';
const IMAGE_TYPES = new Set<unknown>(['image/png', 'image/jpeg', 'image/gif', 'image/webp']);
const BLOCK_TYPES = new Set<unknown>(['text', 'image', 'audio', 'resource', 'resource_link']);

/** Whether a value is an MCP tool result: a list of content blocks in `content`. */
export function isMcpResult(value: unknown): value is JsonObject & { content: JsonObject[] } {
  if (!isObject(value) || !Array.isArray(value['content'])) return false;
  return value['content'].every((block) => isObject(block) && BLOCK_TYPES.has(block['type']));
}

function decode(chunks: readonly Uint8Array[]): string {
  return Buffer.concat(chunks).toString('utf8');
}

/** A result as a JSON value. */
export function readValue(body: ResultBody): unknown {
  switch (body.kind) {
    case 'value':
      return body.value ?? null;
    case 'text':
      return body.text;
    case 'json':
      return JSON.parse(body.text) as unknown;
    case 'json-bytes':
      return JSON.parse(decode(body.chunks)) as unknown;
  }
}

function sizeNote(base64: unknown): string {
  if (typeof base64 !== 'string') return '';
  return `, ${Math.floor((base64.length * 3) / 4)} bytes`;
}

function blockText(block: JsonObject): string {
  const { type, text, mimeType, data, uri } = block;
  if (type === 'text') return typeof text === 'string' ? text : '';
  if (type === 'resource_link') return `[resource link ${String(uri)}]`;
  if (type !== 'resource')
    return `[${String(type)} ${String(mimeType)}${sizeNote(data)}, not shown]`;
  const resource = isObject(block['resource']) ? block['resource'] : {};
  return typeof resource['text'] === 'string'
    ? resource['text']
    : `[resource ${String(resource['uri'])}${sizeNote(resource['blob'])}, not shown]`;
}

function mcpContent(
  result: JsonObject & { content: JsonObject[] },
  takesImages: boolean,
): ResultContent {
  const images: Image[] = [];
  const texts: string[] = [];
  for (const block of result.content) {
    const { type, mimeType, data } = block;
    if (takesImages && type === 'image' && IMAGE_TYPES.has(mimeType) && typeof data === 'string') {
      images.push({ mimeType: mimeType as ImageType, data });
    } else texts.push(blockText(block));
  }
  if (result.content.length === 0 && result['structuredContent'] !== undefined) {
    texts.push(JSON.stringify(result['structuredContent']));
  }
  const text = texts.join('\n');
  return { text: text === '' && images.length === 0 ? EMPTY : text, images };
}

function plain(text: string): ResultContent {
  return { text: text === '' ? EMPTY : text, images: [] };
}

/**
 * The text and the images of a result. JSON stays the text it came as; a JSON string becomes its
 * own text; an MCP result becomes its blocks.
 */
export function readContent(body: ResultBody | null, takesImages: boolean): ResultContent {
  if (body === null) return plain('null');
  if (body.kind === 'text') return plain(body.text);
  const isValue = body.kind === 'value';
  const json = isValue ? undefined : body.kind === 'json' ? body.text : decode(body.chunks);
  // Most JSON is shown as it came, without a look at its value.
  if (json !== undefined && !/^\s*"/.test(json) && !/"content"\s*:\s*\[/.test(json))
    return plain(json);
  const value: unknown = json === undefined ? readValue(body) : JSON.parse(json);
  if (typeof value === 'string') return plain(value);
  if (isMcpResult(value)) return mcpContent(value, takesImages);
  return plain(json ?? JSON.stringify(value));
}
