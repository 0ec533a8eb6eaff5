// A tool's input schema for a provider's strict mode, in which the model's arguments are held to a
// subset of JSON Schema while it writes. Keywords outside the subset are left out where that only
// lets the model write more (the gateway still validates all of them). Where the subset would
// forbid what the tool accepts, the schema goes out whole and strict mode stays off; the notes say why.
import type { JsonObject } from '../call.js';
import { pointerTo } from './pointers.js';
import { isObject } from '../json/object.js';

export interface StrictSchema {
  /** Always an object schema, as every provider wants its root. */
  readonly schema: JsonObject & { readonly type: 'object' };
  readonly strict: boolean;
  readonly notes: readonly { readonly at: string; readonly note: string }[];
}

interface Dialect {
  /** Keywords that are kept as they are. */
  readonly keywords: ReadonlySet<string>;
  readonly formats: ReadonlySet<unknown>;
  /** Every property must be required. */
  readonly allRequired: boolean;
  readonly references: boolean;
}

const COMMON = ['type', 'enum', 'const', 'description', 'title', 'required'];
const FORMATS = [
  'date-time',
  'time',
  'date',
  'duration',
  'email',
  'hostname',
  'ipv4',
  'ipv6',
  'uuid',
];

const DIALECTS: Readonly<Record<'openai' | 'anthropic', Dialect>> = {
  // OpenAI, Structured Outputs, "Supported schemas".
  openai: {
    keywords: new Set([
      ...COMMON,
      ...['pattern', 'multipleOf', 'minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum'],
      ...['minItems', 'maxItems'],
    ]),
    formats: new Set(FORMATS),
    allRequired: true,
    references: true,
  },
  // Anthropic, Structured outputs, "JSON Schema limitations".
  anthropic: {
    keywords: new Set([...COMMON, 'default']),
    formats: new Set([...FORMATS, 'uri']),
    allRequired: false,
    references: false,
  },
};

/** Keywords without which the arguments cannot be described: strict mode stays off. */
const STRUCTURAL = new Set(['allOf', 'patternProperties', 'prefixItems', '$dynamicRef', '$anchor']);
/** Keywords that say nothing about the arguments: left out without a word. */
const ANNOTATIONS = new Set([
  '$schema',
  '$id',
  '$comment',
  'examples',
  'deprecated',
  'readOnly',
  'writeOnly',
]);
const MAX_DEPTH = 24;

type Note = (at: string, note: string) => void;

class Converter {
  readonly #dialect: Dialect;
  readonly blockers: { at: string; note: string }[] = [];
  readonly dropped: { at: string; note: string }[] = [];

  constructor(dialect: Dialect) {
    this.#dialect = dialect;
  }

  readonly #block: Note = (at, note) => {
    if (this.blockers.length < 20) this.blockers.push({ at, note });
  };

  schema(value: unknown, at: string): JsonObject {
    if (!isObject(value)) this.#block(at, 'a schema that is no object');
    else if (at.split('/').length > MAX_DEPTH * 2) this.#block(at, 'nested too deep');
    else return this.#object(value, at);
    return {};
  }

  #object(value: JsonObject, at: string): JsonObject {
    const out: JsonObject = {};
    for (const [keyword, given] of Object.entries(value)) {
      const here = at + pointerTo(keyword);
      if (keyword === 'properties' || keyword === '$defs' || keyword === 'definitions')
        out[keyword] = this.#map(given, here);
      else if (keyword === 'items') out[keyword] = this.schema(given, here);
      // oneOf as anyOf lets the model write more, never less.
      else if (keyword === 'anyOf' || keyword === 'oneOf') out['anyOf'] = this.#list(given, here);
      else if (keyword === '$ref') this.#reference(out, given, here);
      else if (keyword === 'additionalProperties') {
        if (given !== false) this.#block(here, 'open to properties it does not name');
      } else if (STRUCTURAL.has(keyword)) this.#block(here, `has no ${keyword}`);
      else if (
        keyword === 'format'
          ? this.#dialect.formats.has(given)
          : this.#dialect.keywords.has(keyword)
      )
        out[keyword] = given;
      else if (!ANNOTATIONS.has(keyword))
        this.dropped.push({ at: here, note: `${keyword} was left out` });
    }
    this.#close(out, at);
    return out;
  }

  #map(given: unknown, at: string): JsonObject {
    const members = isObject(given) ? Object.entries(given) : [];
    return Object.fromEntries(
      members.map(([name, of]) => [name, this.schema(of, at + pointerTo(name))]),
    );
  }

  #list(given: unknown, at: string): JsonObject[] {
    return Array.isArray(given) ? given.map((of, i) => this.schema(of, at + pointerTo(i))) : [];
  }

  #reference(out: JsonObject, given: unknown, at: string): void {
    const isLocal = typeof given === 'string' && given.startsWith('#');
    if (isLocal && this.#dialect.references) out['$ref'] = given;
    else this.#block(at, 'has no references of this kind');
  }

  /** An object names all it holds; what has no type at all cannot be held to one. */
  #close(out: JsonObject, at: string): void {
    const { type } = out;
    const isTyped = ['type', 'anyOf', 'enum', 'const', '$ref'].some((keyword) => keyword in out);
    if (!isTyped) this.#block(at, 'needs a type');
    if (type !== 'object' && !(Array.isArray(type) && type.includes('object'))) return;
    if (!isObject(out['properties']) && at !== '') this.#block(at, 'needs its properties named');
    const properties = isObject(out['properties']) ? out['properties'] : {};
    const names = Object.keys(properties);
    const required: readonly unknown[] = Array.isArray(out['required']) ? out['required'] : [];
    const optional = names.filter((name) => !required.includes(name));
    if (this.#dialect.allRequired) {
      for (const name of optional)
        this.#block(`${at}/properties${pointerTo(name)}`, 'has no optional properties');
    }
    out['properties'] = properties;
    out['required'] = required.filter((name) => names.includes(String(name)));
    out['additionalProperties'] = false;
  }
}

/** The input schema of a tool for a provider's strict mode, or whole without it. */
export function toStrictSchema(input: JsonObject, provider: keyof typeof DIALECTS): StrictSchema {
  const whole = { ...input, type: 'object' as const };
  const converter = new Converter(DIALECTS[provider]);
  const schema = { ...converter.schema(whole, ''), type: 'object' as const };
  if ('anyOf' in schema) converter.blockers.push({ at: '', note: 'has no anyOf at its root' });
  if (converter.blockers.length === 0) return { schema, strict: true, notes: converter.dropped };
  const notes = converter.blockers.map(({ at, note }) => ({
    at,
    note: `strict mode is off: it ${note}`,
  }));
  return { schema: whole, strict: false, notes };
}
