// CHUK's form of a call in text: `<tool name="…" args='{…}'/>`. Either quote, entities, quotes that
// a model forgot to escape, and the arguments as the tag's content. Answers are plain text.
import { parseJson } from '../json/parse.js';
import { renderText, textOf } from './text.js';
import type { FoundCall, WireFormat } from './wire-format.js';

const MAX_TAGS = 1000;
const MAX_QUOTES_TRIED = 16;
const TAG = /<tool(?=[\s/>])/g;
const ATTRIBUTE = /\s*([\w:.-]+)\s*=\s*(["'])/y;
const TAG_END = /\s*(\/?)>/y;
/** What may follow the closing quote of a value. */
const AFTER_VALUE = /\s*(?:\/?>|[\w:.-]+\s*=\s*["'])/y;
const ENTITY = /&(?:#x([0-9a-f]{1,6})|#(\d{1,7})|(lt|gt|amp|quot|apos));/gi;
const NAMED: Readonly<Record<string, string>> = {
  lt: '<',
  gt: '>',
  amp: '&',
  quot: '"',
  apos: "'",
};
const KNOWN = ['name', 'args', 'id'];

interface Tag {
  readonly attributes: ReadonlyMap<string, string>;
  readonly isClosed: boolean;
  /** Behind the tag. */
  readonly end: number;
}

function decode(text: string): string {
  return text.replace(ENTITY, (whole: string, hex?: string, dec?: string, name?: string) => {
    if (name !== undefined) return NAMED[name.toLowerCase()] ?? whole;
    const code = hex === undefined ? Number(dec) : parseInt(hex, 16);
    return code > 0x10ffff ? whole : String.fromCodePoint(code);
  });
}

/** How many characters may still be looked at, so that broken tags cannot cost the square of a text. */
interface Budget {
  left: number;
}

/**
 * Where the value that begins at `start` ends. A quote that something else follows than the next
 * attribute or the tag's end was part of the value; of several ends, the first that makes JSON.
 */
function valueEnd(
  text: string,
  start: number,
  quote: string,
  isJson: boolean,
  budget: Budget,
): number {
  let first = -1;
  let tried = 0;
  let seenTo = start;
  for (let at = text.indexOf(quote, start); at >= 0; at = text.indexOf(quote, at + 1)) {
    budget.left -= at - seenTo;
    seenTo = at;
    if (budget.left < 0) break;
    AFTER_VALUE.lastIndex = at + 1;
    if (!AFTER_VALUE.test(text)) continue;
    if (!isJson || parseJson(decode(text.slice(start, at))).ok) return at;
    if (first < 0) first = at;
    budget.left -= at - start;
    if (++tried >= MAX_QUOTES_TRIED) break;
  }
  return first;
}

/** Reads the tag whose name ends at `start`; undefined if it is not well-formed. */
function readTag(text: string, start: number, budget: Budget): Tag | undefined {
  const attributes = new Map<string, string>();
  let at = start;
  for (;;) {
    TAG_END.lastIndex = at;
    const end = TAG_END.exec(text);
    if (end !== null) return { attributes, isClosed: end[1] === '/', end: TAG_END.lastIndex };
    ATTRIBUTE.lastIndex = at;
    const [, name = '', quote = ''] = ATTRIBUTE.exec(text) ?? [];
    if (name === '' || attributes.has(name)) return undefined;
    const from = ATTRIBUTE.lastIndex;
    const to = valueEnd(text, from, quote, name === 'args', budget);
    if (to < 0) return undefined;
    attributes.set(name, decode(text.slice(from, to)));
    at = to + 1;
  }
}

/** `{\"a\": 1}`: a model escaped the quotes of its JSON for the attribute. */
function unescaped(args: string): string {
  return /^\s*\{\s*\\"/.test(args) ? args.replace(/\\(["\\])/g, '$1') : args;
}

function toCall(tag: Tag, content: string | undefined): FoundCall {
  const { attributes } = tag;
  const faults: Record<string, string> = {};
  for (const name of attributes.keys()) {
    if (!KNOWN.includes(name))
      faults[`/${name}`] = `is an unknown attribute (known: ${KNOWN.join(', ')})`;
  }
  const args = attributes.get('args') ?? (content === '' ? undefined : content);
  return {
    id: attributes.get('id'),
    name: attributes.get('name'),
    args: args === undefined ? undefined : unescaped(args),
    ...(Object.keys(faults).length > 0 && { faults }),
  };
}

/** A tag that names a tool but cannot be read to its end. */
function malformed(text: string, start: number): FoundCall {
  const named = /^\s+name\s*=\s*(["'])(.{1,200}?)\1/.exec(text.slice(start, start + 256));
  return {
    id: undefined,
    name: named?.[2] === undefined ? undefined : decode(named[2]),
    args: {},
    faults: { '': `is no well-formed tag (character ${start + 1} of the text)` },
  };
}

function findCalls(text: string): FoundCall[] {
  const calls: FoundCall[] = [];
  const budget: Budget = { left: 16 * text.length + 4096 };
  TAG.lastIndex = 0;
  for (
    let match = TAG.exec(text);
    match !== null && calls.length < MAX_TAGS;
    match = TAG.exec(text)
  ) {
    const behindName = TAG.lastIndex;
    const tag = readTag(text, behindName, budget);
    if (tag === undefined) {
      calls.push(malformed(text, behindName));
      continue;
    }
    TAG.lastIndex = tag.end;
    // A bare <tool> is prose about tools.
    if (tag.attributes.size === 0) continue;
    const close =
      tag.isClosed || tag.attributes.has('args') ? -1 : text.indexOf('</tool>', tag.end);
    const content = close < 0 ? undefined : decode(text.slice(tag.end, close)).trim();
    if (close >= 0) TAG.lastIndex = close;
    calls.push(toCall(tag, content));
  }
  return calls;
}

export const xml = {
  name: 'xml',

  detect(body) {
    const text = textOf(body);
    return text !== undefined && /<tool\s+[\w:.-]+\s*=/.test(text);
  },

  parse(body) {
    return findCalls(textOf(body) ?? '');
  },

  render(answers, options) {
    return answers.map((answer) => renderText(answer, options));
  },
} as const satisfies WireFormat;
