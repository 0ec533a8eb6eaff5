// Takes the power out of untrusted text: nothing in it can close our envelope, open a turn in a
// chat template, hide behind invisible characters or turn the reading direction. The words stay.
import type { JsonObject } from '../call.js';
import { ShapeReader } from './shape-reader.js';

export interface Neutralised {
  readonly text: string;
  /** How many markers were taken out. */
  readonly markers: number;
}

/** What stands in a marker's place. */
export const MARKER_REMOVED = '[marker removed]';

/** Our own markers as shapes (see `shapeOf`): lower case, no whitespace, `_` as `-`. */
const OWN_MARKERS = tags('untrusted-data', 'untrusteddata');

/** Markers of chat templates and tool protocols, which no blank may interrupt. */
const TEMPLATE_MARKERS = [
  ...tags('function-calls', 'function-results', 'antml:'),
  ...tags('tool-call', 'tool-calls', 'tool-response', 'tool-result', 'tool-results', 'tool-use'),
  ...tags('start-of-turn', 'end-of-turn', 'extra-id-', 's>', 'bos>', 'eos>', 'system>', 'think>'),
  ...['[inst]', '[/inst]', '[tool-calls]', '[available-tools]', '[/available-tools]'],
  ...['[tool-results]', '[/tool-results]', '[system-prompt]', '[/system-prompt]'],
  ...['<<sys>>', '<</sys>>', '[gmask]', '<sop>'],
];

/** Longest name between `<|` and `|>`. */
const MAX_NAME = 64;

interface Node {
  readonly next: Map<string, Node>;
  marks: 'ours' | 'template' | undefined;
}

function tags(...names: string[]): string[] {
  return names.flatMap((name) => [`<${name}`, `</${name}`]);
}

function node(): Node {
  return { next: new Map(), marks: undefined };
}

const ROOT = node();

function learn(marker: string, marks: 'ours' | 'template'): void {
  let at = ROOT;
  for (const character of marker) {
    let next = at.next.get(character);
    if (next === undefined) at.next.set(character, (next = node()));
    at = next;
  }
  at.marks = marks;
}

for (const marker of OWN_MARKERS) learn(marker, 'ours');
for (const marker of TEMPLATE_MARKERS) learn(marker, 'template');

/** Controls but tab and line ends, bidi controls, zero-width and tag characters. */
const INVISIBLE =
  /(?![\t\n\r])\p{Cc}|[\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e0fff}]/gu;
const PRINTABLE_ASCII = /^[\t\n\r -~]*$/;
const LONE_SURROGATE = /\p{Surrogate}/gu;
/** Where a marker may begin: a bracket, its escape, or a character that may look like one. */
const CANDIDATE = /[<[&%\\\u0080-\uffff]/g;

/** Whether `<|` and what was read after it may still become `<|name|>`. */
function mayBeBars(seen: string): boolean {
  if (seen.length > MAX_NAME) return false;
  for (let i = 0; i < seen.length && i < 2; i++) if (seen[i] !== '<|'[i]) return false;
  return !/[^a-z0-9:.|>-]/.test(seen.slice(2));
}

/**
 * Where the marker ends that begins with `first`, -1 where there is none. The reader stands behind
 * `first`. Reads no further than a marker may reach.
 */
function markerEnd(text: string, start: number, reader: ShapeReader, first: string): number {
  const isUnbroken = (): boolean => !/\s/.test(text.slice(start, reader.end));
  let at: Node | undefined = ROOT;
  let end = -1;
  let seen = '';
  for (let shape = first; ; shape = reader.read()) {
    for (const character of shape) {
      at = at?.next.get(character);
      seen += character;
      if (at?.marks === 'ours' || (at?.marks === 'template' && isUnbroken())) end = reader.end;
    }
    if (seen.length > 3 && seen.startsWith('<|') && seen.endsWith('|>'))
      return isUnbroken() ? reader.end : end;
    if (at === undefined && !mayBeBars(seen)) return end;
    if (reader.end >= text.length) return end;
  }
}

/** Takes the end of a tag with it, where it follows at once. */
function withTagEnd(text: string, end: number): number {
  const tail = /^[\s/]{0,8}>/.exec(text.slice(end, end + 9));
  return tail === null ? end : end + tail[0].length;
}

function removeMarkers(text: string): Neutralised {
  const reader = new ShapeReader(text);
  let clean = '';
  let kept = 0;
  let markers = 0;
  CANDIDATE.lastIndex = 0;
  for (let match = CANDIDATE.exec(text); match !== null; match = CANDIDATE.exec(text)) {
    reader.end = match.index;
    const first = reader.read();
    CANDIDATE.lastIndex = reader.end;
    const mayOpen = first.startsWith('<') || first.startsWith('[');
    const end = mayOpen ? markerEnd(text, match.index, reader, first) : -1;
    if (end < 0) continue;
    clean += text.slice(kept, match.index) + MARKER_REMOVED;
    kept = CANDIDATE.lastIndex = withTagEnd(text, end);
    markers++;
  }
  return { text: kept === 0 ? text : clean + text.slice(kept), markers };
}

/** Neutralises untrusted text. Linear in its length. */
export function neutralise(text: string): Neutralised {
  if (PRINTABLE_ASCII.test(text)) return removeMarkers(text);
  return removeMarkers(text.replace(INVISIBLE, '').replace(LONE_SURROGATE, '\ufffd'));
}

/** Containers deeper than this become a note: nothing a model could use stands there. */
const MAX_DEPTH = 128;

function neutraliseValue(value: unknown, depth: number): unknown {
  if (typeof value === 'string') return neutralise(value).text;
  if (typeof value !== 'object' || value === null) return value;
  if (depth >= MAX_DEPTH) return '[nested too deep]';
  if (Array.isArray(value)) return value.map((item) => neutraliseValue(item, depth + 1));
  const members = Object.entries(value);
  return Object.fromEntries(
    members.map(([key, item]) => [neutralise(key).text, neutraliseValue(item, depth + 1)]),
  );
}

/** A JSON object with every string and key in it neutralised; structure and numbers stay. */
export function neutraliseObject(object: JsonObject | undefined): JsonObject | undefined {
  return object && (neutraliseValue(object, 0) as JsonObject);
}
