// The tools that can be called right now: those of the configuration and those that MCP servers
// offer. Rebuilt as a whole when either changes; unchanged tools keep their runtime and its state.
import { isDeepStrictEqual } from 'node:util';
import type { ToolDefinition } from '../call.js';
import { type Aliases, buildAliases } from '../tools/aliases.js';
import { ToolIndex } from '../tools/catalogue.js';
import type { ToolRuntime } from './tool-runtime.js';

const MAX_AVAILABLE = 20;

export class ToolRegistry {
  #runtimes = new Map<string, ToolRuntime>();
  #index: ToolIndex | undefined;
  #aliases: Aliases | undefined;

  find(name: string): ToolRuntime | undefined {
    return this.#runtimes.get(name);
  }

  get size(): number {
    return this.#runtimes.size;
  }

  all(): IterableIterator<ToolRuntime> {
    return this.#runtimes.values();
  }

  /**
   * Puts these tools in place of the present ones.
   *
   * @param build makes the runtime of a tool that is new or changed.
   * @returns the runtimes that are gone; the caller closes them.
   */
  replace(
    definitions: Iterable<ToolDefinition>,
    build: (definition: ToolDefinition) => ToolRuntime,
  ): ToolRuntime[] {
    const next = new Map<string, ToolRuntime>();
    for (const definition of definitions) {
      const present = this.#runtimes.get(definition.name);
      const unchanged = present !== undefined && isDeepStrictEqual(present.definition, definition);
      next.set(definition.name, unchanged ? present : build(definition));
    }
    const gone = [...this.#runtimes.values()].filter(
      (runtime) => next.get(runtime.definition.name) !== runtime,
    );
    this.#runtimes = next;
    this.#index = undefined;
    this.#aliases = undefined;
    return gone;
  }

  /** Removes every tool; the caller closes them. */
  clear(): ToolRuntime[] {
    return this.replace([], (definition) => {
      throw new Error(`nothing to build: ${definition.name}`);
    });
  }

  /** Tools that a client may use, in the order of the configuration. */
  visible(mayUse: (name: string) => boolean): ToolDefinition[] {
    return [...this.#runtimes.values()]
      .map((runtime) => runtime.definition)
      .filter((definition) => mayUse(definition.name));
  }

  /** Names for TOOL_NOT_FOUND: only what this client may use. */
  alternatives(
    name: string,
    mayUse: (name: string) => boolean,
  ): { available: string[]; suggestions: string[] } {
    const available: string[] = [];
    for (const known of this.#runtimes.keys()) {
      if (available.length === MAX_AVAILABLE) break;
      if (mayUse(known)) available.push(known);
    }
    return { available, suggestions: this.index.suggest(name, mayUse) };
  }

  /** Names of the tools that match a search, best first. */
  get index(): ToolIndex {
    return (this.#index ??= new ToolIndex([...this.#runtimes.values()].map((r) => r.definition)));
  }

  /** Names as providers can carry them, and back. */
  get aliases(): Aliases {
    return (this.#aliases ??= buildAliases([...this.#runtimes.keys()]));
  }
}
