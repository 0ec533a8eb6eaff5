// Finding tools: by words (`GET /v1/tools?q=`), and the names nearest to one that does not exist.
import MiniSearch from 'minisearch';
import type { JsonObject, ToolDefinition } from '../call.js';
import { NameIndex } from './name-index.js';

/** Longer queries are cut. */
const MAX_QUERY_CHARS = 200;

const MAX_SUGGESTIONS = 3;
type Listed = Pick<ToolDefinition, 'name' | 'description' | 'inputSchema'>;
type Allowed = (name: string) => boolean;

const everyone: Allowed = () => true;

/** An index over a fixed set of tools; build a new one when the set changes. */
export class ToolIndex {
  readonly names: readonly string[];
  readonly #tools: readonly Listed[];
  #words: MiniSearch | undefined;
  #nearest: NameIndex | undefined;

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
    this.#nearest ??= new NameIndex(this.names);
    return this.#nearest.nearest(name, allowed, MAX_SUGGESTIONS);
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
        fuzzy: typingErrors,
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
}

/** Words of a text; `camelCase`, `snake_case` and dots part words too. */
function words(text: string): string[] {
  const spaced = text.replace(/([\p{Ll}\p{N}])(\p{Lu})/gu, '$1 $2');
  return spaced.match(/\p{L}+|\p{N}+/gu) ?? [];
}

/** Edits forgiven in a word. */
function typingErrors(word: string): number {
  if (word.length < 3) return 0;
  return word.length < 6 ? 1 : 2;
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
