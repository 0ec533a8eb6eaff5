// From YAML nodes to plain values: `${ENV}` is filled in, merge keys and aliases are resolved, and
// what JSON could not carry is a fault.
import {
  isAlias,
  isMap,
  isScalar,
  isSeq,
  type Alias,
  type Node,
  type Scalar,
  type YAMLMap,
} from 'yaml';
import { MAX_DEPTH } from './document.js';
import type { Faults } from './faults.js';
import { interpolate } from './interpolate.js';
import { isMerge, keyOf, type SourceDocument, type YamlPair } from './source-document.js';

/** Values that come in through aliases, counted as often as they are used. */
const MAX_ALIASED_VALUES = 200_000;

export interface EnvUse {
  readonly name: string;
  readonly value: string;
}

export interface Reading {
  readonly value: unknown;
  /** Paths (as JSON text) of values that are nothing but one `${NAME}`. */
  readonly wholeEnv: ReadonlySet<string>;
  readonly envUses: readonly EnvUse[];
}

/** Reads the document's value; faults go to `faults`. */
export function readValues(
  document: SourceDocument,
  env: NodeJS.ProcessEnv,
  faults: Faults,
): Reading {
  const reader = new Reader(document, env, faults);
  const value = reader.read(document.yaml.contents);
  return { value, wholeEnv: reader.wholeEnv, envUses: reader.envUses };
}

class Reader {
  readonly wholeEnv = new Set<string>();
  readonly envUses: EnvUse[] = [];
  readonly #document: SourceDocument;
  readonly #env: NodeJS.ProcessEnv;
  readonly #faults: Faults;
  readonly #path: (string | number)[] = [];
  /** Aliases that the present value is inside of. */
  #aliases = 0;
  #aliased = 0;

  constructor(document: SourceDocument, env: NodeJS.ProcessEnv, faults: Faults) {
    this.#document = document;
    this.#env = env;
    this.#faults = faults;
  }

  read(node: Node | null): unknown {
    if (this.#path.length > MAX_DEPTH) {
      this.#fault('is nested too deeply, or contains itself', `at most ${MAX_DEPTH} levels`);
      return null;
    }
    if (isAlias(node)) return this.#alias(node);
    if (this.#aliases > 0 && ++this.#aliased > MAX_ALIASED_VALUES) {
      if (this.#aliased === MAX_ALIASED_VALUES + 1)
        this.#fault('the file grows too large through its aliases', 'fewer aliases');
      return null;
    }
    if (isMap(node)) return this.#map(node);
    if (isSeq(node)) return node.items.map((item, index) => this.#at(index, item as Node | null));
    return isScalar(node) ? this.#scalar(node) : null;
  }

  #alias(alias: Alias): unknown {
    const target = this.#document.resolve(alias);
    if (target === undefined) {
      this.#fault('names an anchor that is not set before it', 'a known anchor');
      return null;
    }
    this.#aliases++;
    const value = this.read(target);
    this.#aliases--;
    return value;
  }

  #at(step: string | number, node: Node | null): unknown {
    this.#path.push(step);
    const value = this.read(node);
    this.#path.pop();
    return value;
  }

  #map(map: YAMLMap): Record<string, unknown> {
    const value: Record<string, unknown> = {};
    this.#fill(value, map, new Set());
    return value;
  }

  /** Own pairs first, then those of merged maps that are not there yet; each map once. */
  #fill(value: Record<string, unknown>, map: YAMLMap, filled: Set<YAMLMap>): void {
    filled.add(map);
    const pairs = map.items as YamlPair[];
    for (const pair of pairs) if (!isMerge(pair)) this.#pair(value, pair);
    for (const pair of pairs) if (isMerge(pair)) this.#merge(value, pair, filled);
  }

  #pair(value: Record<string, unknown>, pair: YamlPair): void {
    const key = keyOf(pair);
    if (Object.hasOwn(value, key)) return;
    if (key === '__proto__') {
      this.#path.push(key);
      this.#faults.add(this.#path, 'this key is not allowed', 'another name', 'key');
      this.#path.pop();
      return;
    }
    value[key] = this.#at(key, pair.value);
  }

  #merge(value: Record<string, unknown>, pair: YamlPair, filled: Set<YAMLMap>): void {
    for (const source of this.#document.mergeSources(pair)) {
      if (!isMap(source))
        this.#faults.add(
          [...this.#path, '<<'],
          'only maps can be merged',
          'an alias of a map',
          'key',
        );
      else if (!filled.has(source)) this.#fill(value, source, filled);
    }
  }

  #scalar(scalar: Scalar): unknown {
    const { value } = scalar;
    if (typeof value === 'string') return this.#text(value);
    if (typeof value === 'number') {
      if (!Number.isFinite(value))
        this.#fault('is not a number that JSON can carry', 'a finite number');
      else if (
        Number.isInteger(value) &&
        !Number.isSafeInteger(value) &&
        /^[-+]?\d+$/.test(scalar.source ?? '')
      )
        this.#fault(
          'loses digits as a number',
          'a whole number up to 9007199254740991, or a text in quotes',
        );
    }
    return value;
  }

  #text(text: string): string {
    if (!text.includes('${')) return text;
    const result = interpolate(text, this.#env);
    for (const name of result.missing) {
      this.#fault(
        `the environment has no ${name}`,
        `${name} to be set, or "$\${" for a literal "\${"`,
      );
    }
    if (result.malformed)
      this.#fault(
        '"${" is not followed by a name and "}"',
        '"${NAME}", or "$${" for a literal "${"',
      );
    this.envUses.push(...result.uses);
    if (result.whole) this.wholeEnv.add(JSON.stringify(this.#path));
    return result.text;
  }

  #fault(message: string, expected: string): void {
    this.#faults.add(this.#path, message, expected);
  }
}
