// A parsed configuration file that knows where everything in it stands, through aliases and merges.
import {
  isAlias,
  isMap,
  isScalar,
  isSeq,
  visit,
  type Alias,
  type Document,
  type LineCounter,
  type Node,
  type Pair,
  type ParsedNode,
  type YAMLMap,
} from 'yaml';
import type { ConfigPath, Locator, Spot } from './faults.js';

export type YamlDocument = Document.Parsed;
export type YamlPair = Pair<ParsedNode, ParsedNode | null>;

/** Line and column of an offset, both from 1. */
export function position(lines: LineCounter, offset: number): { line: number; column: number } {
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
  findPair(map: YAMLMap, key: string, searched = new Set<YAMLMap>()): YamlPair | undefined {
    // A map may come in several times, or contain itself.
    searched.add(map);
    const pairs = map.items as YamlPair[];
    const own = pairs.find((pair) => keyOf(pair) === key);
    if (own !== undefined) return own;
    for (const source of pairs.filter(isMerge).flatMap((pair) => this.mergeSources(pair))) {
      if (!isMap(source) || searched.has(source)) continue;
      const found = this.findPair(source, key, searched);
      if (found !== undefined) return found;
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
