// The wire formats: one line each. Adding one is its file and its line here.
import type { ToolCall, ToolDefinition, ToolResult } from '../call.js';
import type { JsonFault } from '../json/parse.js';
import { anthropic } from './anthropic.js';
import { optionsFromObject, optionsFromQuery } from './batch-options.js';
import { envelopeFaults, toCalls } from './find-calls.js';
import { gemini } from './gemini.js';
import { mcp } from './mcp.js';
import { parseNative } from './native.js';
import { openaiResponses } from './openai-responses.js';
import { openai } from './openai.js';
import { addFault, envelopeFault, faultList, hasFaults } from './pointers.js';
import { text } from './text.js';
import { isObject } from '../json/object.js';
import type {
  EnvelopeFault,
  FoundCall,
  Offer,
  ParseOptions,
  ReadEnvelope as Envelope,
  RenderOptions,
  WireFormat,
} from './wire-format.js';
import { xml } from './xml.js';

export { resultPieces, resultText } from './result-pieces.js';

/** In the order in which shapes are tried: the most telling first. */
const FORMATS = [mcp, openai, openaiResponses, anthropic, gemini, xml, text] as const;

type ModelFormatName = (typeof FORMATS)[number]['name'];
type FormatName = 'native' | ModelFormatName;

/** Every format a request may have. */
export const FORMAT_NAMES: readonly FormatName[] = ['native', ...FORMATS.map(({ name }) => name)];

/** A request body that was read. */
export type ReadEnvelope = Envelope<FormatName>;
export type ParsedEnvelope = ReadEnvelope | EnvelopeFault;

/** What `renderMessages` needs of the request. */
interface Context {
  readonly calls: readonly { readonly id: string; readonly name: string; readonly wire: unknown }[];
}

function formatNamed(name: string): WireFormat | undefined {
  return FORMATS.find((format) => format.name === name);
}

/** What a body looks like from outside, for a sentence about it. */
function seen(body: unknown): string {
  if (Array.isArray(body)) return `an array of ${body.length}`;
  if (!isObject(body)) return body === null ? 'null' : `a ${typeof body}`;
  const names = Object.keys(body)
    .slice(0, 8)
    .map((name) => JSON.stringify(name.slice(0, 32)));
  return names.length === 0 ? 'an empty object' : `an object with ${names.join(', ')}`;
}

function noCalls(problem: string, body: unknown): EnvelopeFault {
  const message = `${problem}. Known formats are ${FORMAT_NAMES.join(', ')}; seen was ${seen(body)}.`;
  return { ok: false, code: 'PARSER_INVALID_FORMAT', message };
}

function parseModel(
  format: WireFormat & { readonly name: string },
  body: unknown,
  jsonFaults: readonly JsonFault[],
  opts: ParseOptions,
): ParsedEnvelope {
  const found = format.parse(body);
  if ('code' in found) return { ok: false, ...found };
  if (found.length === 0)
    return noCalls(`Recognised as ${format.name}, but it holds no call`, body);
  const faults = faultList();
  if (found.length > opts.maxBatch)
    addFault(faults, '', `must hold 1 to ${opts.maxBatch} calls, has ${found.length}`);
  const options = optionsFromQuery(opts.query, faults);
  const own = isObject(body) ? body['toolgate'] : undefined;
  if (isObject(own)) optionsFromObject(options, own, '/toolgate', faults);
  else if (own !== undefined) addFault(faults, '/toolgate', 'must be an object');
  envelopeFaults(found, jsonFaults, faults);
  if (hasFaults(faults)) return envelopeFault(faults);
  const calls = toCalls(found, jsonFaults, opts.fromAlias);
  const context: Context = { calls: found.map((call, i) => contextOf(call, calls[i])) };
  return { ok: true, format: format.name as FormatName, calls, options, context };
}

function contextOf(found: FoundCall, call: ToolCall | undefined): Context['calls'][number] {
  const name = typeof found.name === 'string' ? found.name : '';
  return { id: call?.id ?? '', name, wire: found.wire };
}

/**
 * Reads a request body in whatever known shape it has, or in the one that is forced. Never throws.
 *
 * @param value the parsed body
 * @param faults what `parseJson` found in it
 * @returns calls in order, or why the request cannot be read as a whole (HTTP 400)
 */
export function parseEnvelope(
  value: unknown,
  faults: readonly JsonFault[],
  opts: ParseOptions,
): ParsedEnvelope {
  const forced = opts.format ?? opts.query['format'];
  if (forced === 'native' || (forced === undefined && isObject(value) && 'calls' in value))
    return parseNative(value, faults, opts);
  if (forced === undefined) {
    const format = FORMATS.find((candidate) => candidate.detect(value));
    return format
      ? parseModel(format, value, faults, opts)
      : noCalls('The request has no known format', value);
  }
  const format = formatNamed(forced);
  if (format !== undefined) return parseModel(format, value, faults, opts);
  return envelopeFault({ '?format': `must be one of ${FORMAT_NAMES.join(', ')}` });
}

/** Puts results into the order of the calls, whatever order they completed in. */
function inOrder(results: readonly ToolResult[], context: Context): ToolResult[] {
  if (results.every((result, i) => result.id === context.calls[i]?.id)) return [...results];
  const left = [...results];
  return context.calls.flatMap(({ id }) => {
    const at = left.findIndex((result) => result.id === id);
    return at < 0 ? [] : left.splice(at, 1);
  });
}

/**
 * The answers in a model's own form, ready to append: every call answered exactly once, in the
 * order of the calls. Empty for the native format.
 *
 * @param envelope what `parseEnvelope` returned
 * @param results one per call of the envelope, in any order
 */
export function renderMessages(
  envelope: ReadEnvelope,
  results: readonly ToolResult[],
  opts: Omit<RenderOptions, 'envelope'>,
): readonly unknown[] {
  const format = formatNamed(envelope.format);
  if (format === undefined) return [];
  const context = envelope.context as Context;
  const answers = inOrder(results, context).map((result, i) => ({
    result,
    name: context.calls[i]?.name ?? '',
    wire: context.calls[i]?.wire,
  }));
  const isBare = envelope.options.envelope === 'none';
  return format.render(answers, isBare ? { ...opts, envelope: 'none' } : opts);
}

/** A format in which tools can be declared. */
export type OfferFormat = Extract<(typeof FORMATS)[number], { offer: unknown }>['name'];

/** Every format in which tools can be declared. */
export const OFFER_FORMATS = FORMATS.flatMap((format) => ('offer' in format ? [format.name] : []));

/** Whether tools can be declared in a format of this name. */
export function isOfferFormat(format: string): format is OfferFormat {
  return formatNamed(format)?.offer !== undefined;
}

/**
 * The tools as a provider declares them, and notes on what it cannot carry.
 *
 * @param toAlias undefined where another tool has the name that this one would have
 */
export function offerTools(
  format: OfferFormat,
  tools: readonly ToolDefinition[],
  toAlias: (name: string) => string | undefined,
): Offer {
  return formatNamed(format)?.offer?.(tools, toAlias) ?? { tools: [], notes: [] };
}
