// The text of a configuration file as a YAML document (JSON is a subset) that knows where everything
// stands. Reading is bounded: size, nesting, aliases.
import {
  Composer,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  Parser,
  visit,
  type Alias,
  type Document,
  type Node,
  type Pair,
  type ParsedNode,
  type YAMLError,
  type YAMLMap,
} from 'yaml';
import type { ConfigPath, Locator, Spot } from './faults.js';

export type YamlDocument = Document.Parsed;
export type YamlPair = Pair<ParsedNode, ParsedNode | null>;

/** Levels of nesting in a configuration file. */
export const MAX_DEPTH = 64;

/** Constructions open at a time in the parser; a level takes at most three. */
const MAX_PARSER_STACK = 3 * MAX_DEPTH + 16;

export interface ReadProblem {
  readonly line: number;
  readonly column: number;
  readonly message: string;
  readonly expected: string;
}

class TooDeep extends Error {}

/** The parser itself is iterative, what follows it is not: nesting is bounded here. */
class BoundedParser extends Parser {
  override *next(source: string): ReturnType<Parser['next']> {
    if (this.stack.length > MAX_PARSER_STACK) throw new TooDeep();
    yield* super.next(source);
  }
}

/** Parses the text; syntax problems come back all at once. */
export function readDocument(
  text: string,
): { document: SourceDocument } | { problems: ReadProblem[] } {
  const lines = new LineCounter();
  const parser = new BoundedParser(lines.addNewLine);
  const composer = new Composer({
    lineCounter: lines,
    stringKeys: true,
    merge: true,
    resolveKnownTags: false,
    logLevel: 'silent',
  });
  const at = (offset: number) => position(lines, offset);
  const problems: ReadProblem[] = [];
  let first: YamlDocument | undefined;
  try {
    for (const document of composer.compose(parser.parse(text), true, text.length)) {
      if (first === undefined) first = document;
      else {
        const start = document.contents?.range[0] ?? document.range[0];
        problems.push({ ...at(start), message: 'is a second document', expected: 'one document' });
        break;
      }
    }
  } catch (error) {
    if (!(error instanceof TooDeep)) throw error;
    const expected = `at most ${MAX_DEPTH} levels`;
    return { problems: [{ ...at(parser.offset), message: 'is nested too deeply', expected }] };
  }
  for (const error of [...(first?.errors ?? []), ...(first?.warnings ?? [])]) {
    problems.push({
      ...at(error.pos[0]),
      message: explain(error),
      expected: 'valid YAML or JSON',
    });
  }
  if (first === undefined || problems.length > 0) return { problems };
  return { document: new SourceDocument(first, lines) };
}

const WORDS: Readonly<Record<string, string>> = {
  DUPLICATE_KEY: 'this key stands here twice',
  NON_STRING_KEY: 'a key must be a text',
  TAG_RESOLVE_FAILED: 'tags (!…) are not supported',
};

/** The library's words, without what it quotes of the text. */
function explain({ code, message }: YAMLError): string {
  const sentence = message.split('\n')[0] ?? message;
  return WORDS[code] ?? sentence.charAt(0).toLowerCase() + sentence.slice(1, 160);
}

function position(lines: LineCounter, offset: number): { line: number; column: number } {
  const { line, col } = lines.linePos(offset);
  return { line: Math.max(1, line), column: Math.max(1, col) };
}

/** A parsed file: its root node and where each path of it stands. */
export class SourceDocument implements Locator {
  readonly yaml: YamlDocument;
  readonly #lines: LineCounter;
  #targets: ReadonlyMap<Alias, Node> | undefined;

  constructor(yaml: YamlDocument, lines: LineCounter) {
    this.yaml = yaml;
    this.#lines = lines;
  }

  /** The place of a path, or of the nearest thing around it that exists. */
  locate(path: ConfigPath, spot: Spot): { line: number; column: number } {
    return position(this.#lines, this.#offset(path, spot));
  }

  #offset(path: ConfigPath, spot: Spot): number {
    let node: Node | null = this.yaml.contents;
    let pair: YamlPair | undefined;
    for (const step of path) {
      const container = this.resolve(node);
      let next: Node | null | undefined;
      pair = undefined;
      if (isMap(container)) {
        pair = this.findPair(container, String(step));
        next = pair === undefined ? undefined : pair.value;
      } else if (isSeq(container) && typeof step === 'number') {
        next = container.items[step] as Node | null | undefined;
      }
      if (next === undefined) return startOf(node);
      node = next;
    }
    const key = pair?.key;
    const empty = node === null || (isScalar(node) && node.source === '' && node.type === 'PLAIN');
    if (key != null && (spot === 'key' || empty)) return startOf(key);
    return startOf(node);
  }

  /** What an alias stands for; anything else as it is. */
  resolve(node: Node | null): Node | undefined {
    if (!isAlias(node)) return node ?? undefined;
    this.#targets ??= aliasTargets(this.yaml);
    return this.#targets.get(node);
  }

  /** A pair of a map, or of the maps merged into it (`<<`). */
  findPair(map: YAMLMap, key: string): YamlPair | undefined {
    const items = map.items as YamlPair[];
    for (const pair of items) {
      if (keyOf(pair) === key && !isMerge(pair)) return pair;
    }
    for (const pair of items) {
      if (!isMerge(pair)) continue;
      for (const source of this.mergeSources(pair)) {
        if (!isMap(source)) continue;
        const found = this.findPair(source, key);
        if (found !== undefined) return found;
      }
    }
    return undefined;
  }

  /** The maps that a `<<` names, first wins. */
  mergeSources(pair: YamlPair): (Node | undefined)[] {
    const value = this.resolve(pair.value);
    if (isSeq(value)) return value.items.map((item) => this.resolve(item as Node | null));
    return [value];
  }
}

/** For every alias, the last node before it that bears its anchor: one pass over the whole document. */
function aliasTargets(yaml: YamlDocument): Map<Alias, Node> {
  const anchors = new Map<string, Node>();
  const targets = new Map<Alias, Node>();
  visit(yaml, {
    Alias(_, alias) {
      const target = anchors.get(alias.source);
      if (target !== undefined) targets.set(alias, target);
    },
    Value(_, node) {
      if (node.anchor !== undefined) anchors.set(node.anchor, node);
    },
  });
  return targets;
}

/** The key of a pair as text (keys are always text, see `stringKeys`). */
export function keyOf(pair: YamlPair): string {
  return isScalar(pair.key) ? String(pair.key.value) : '';
}

/** A plain `<<`. */
export function isMerge(pair: YamlPair): boolean {
  return isScalar(pair.key) && pair.key.value === '<<' && pair.key.type === 'PLAIN';
}

function startOf(node: Node | null): number {
  return node?.range?.[0] ?? 0;
}
