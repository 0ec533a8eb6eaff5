// Finding tools: by words (`GET /v1/tools?q=`), and the names nearest to one that does not exist.
import MiniSearch from 'minisearch';
import type { JsonObject, ToolDefinition } from '../call.js';
import { similarity } from './similar.js';

/** Longer queries and names are cut; no real one is longer. */
const MAX_QUERY_CHARS = 200;
const MAX_NAME_CHARS = 80;

const MAX_SUGGESTIONS = 3;
/** A name less alike than this is no help. */
const MIN_SIMILARITY = 0.4;
/** Names looked at closely for a suggestion. */
const MAX_CANDIDATES = 24;

type Listed = Pick<ToolDefinition, 'name' | 'description' | 'inputSchema'>;
type Allowed = (name: string) => boolean;

const everyone: Allowed = () => true;

/** An index over a fixed set of tools; build a new one when the set changes. */
export class ToolIndex {
  readonly names: readonly string[];
  readonly #tools: readonly Listed[];
  #words: MiniSearch | undefined;
  #letters: MiniSearch | undefined;

  constructor(tools: Iterable<Listed>) {
    this.#tools = [...tools];
    this.names = this.#tools.map((tool) => tool.name);
  }

  /**
   * Names of the tools that match, best first. Every word must be found, in the name, the description
   * or a parameter's name or description; typing errors and beginnings of words are forgiven.
   */
  search(query: string, allowed: Allowed = everyone): string[] {
    const found = this.#wordIndex().search(query.slice(0, MAX_QUERY_CHARS), {
      filter: (result) => allowed(String(result.id)),
    });
    return found.map((result) => String(result.id));
  }

  /** At most three names like this one, nearest first. */
  suggest(name: string, allowed: Allowed = everyone): string[] {
    const wanted = name.slice(0, MAX_NAME_CHARS);
    return this.#letterIndex()
      .search(wanted, { filter: (result) => allowed(String(result.id)) })
      .slice(0, MAX_CANDIDATES)
      .map((result) => ({ name: String(result.id), score: similarity(wanted, String(result.id)) }))
      .filter(({ score }) => score >= MIN_SIMILARITY)
      .sort((a, b) => b.score - a.score)
      .slice(0, MAX_SUGGESTIONS)
      .map((candidate) => candidate.name);
  }

  #wordIndex(): MiniSearch {
    if (this.#words !== undefined) return this.#words;
    const index = new MiniSearch({
      idField: 'name',
      fields: ['words', 'description', 'parameters'],
      tokenize: words,
      searchOptions: {
        combineWith: 'AND',
        prefix: true,
        fuzzy: (term) => (term.length > 3 ? 0.25 : false),
        boost: { words: 4, parameters: 1.5 },
      },
    });
    index.addAll(
      this.#tools.map((tool) => ({
        name: tool.name,
        words: tool.name,
        description: tool.description,
        parameters: parameterText(tool.inputSchema),
      })),
    );
    return (this.#words = index);
  }

  #letterIndex(): MiniSearch {
    if (this.#letters !== undefined) return this.#letters;
    const index = new MiniSearch({ idField: 'name', fields: ['letters'], tokenize: triples });
    index.addAll(this.names.map((name) => ({ name, letters: name })));
    return (this.#letters = index);
  }
}

/** Words of a text; `camelCase`, `snake_case` and dots part words too. */
function words(text: string): string[] {
  const spaced = text.replace(/([\p{Ll}\p{N}])(\p{Lu})/gu, '$1 $2');
  return spaced.match(/[\p{L}\p{N}]+/gu) ?? [];
}

/** Every three neighbouring characters, ends marked. */
function triples(text: string): string[] {
  const padded = `  ${text.toLowerCase()} `;
  const parts: string[] = [];
  for (let i = 0; i + 3 <= padded.length; i++) parts.push(padded.slice(i, i + 3));
  return parts;
}

function parameterText(schema: JsonObject): string {
  const { properties } = schema;
  if (typeof properties !== 'object' || properties === null) return '';
  return Object.entries(properties as JsonObject)
    .map(([name, property]) => {
      const description = (property as JsonObject | null)?.['description'];
      return typeof description === 'string' ? `${name} ${description}` : name;
    })
    .join(' ');
}
