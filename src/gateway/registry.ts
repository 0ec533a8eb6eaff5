// The tools that can be called right now: those of the configuration and those that MCP servers
// offer. Rebuilt as a whole when either changes; unchanged tools keep their runtime and its state.
import { isDeepStrictEqual } from 'node:util';
import type { ToolDefinition } from '../call.js';
import { type AliasCollision, type Aliases, buildAliases } from '../tools/aliases.js';
import { ToolIndex } from '../tools/catalogue.js';
import type { ToolRuntime } from './tool-runtime.js';

const MAX_AVAILABLE = 20;

/** A tool to be offered. */
export interface ToolSource {
  readonly definition: ToolDefinition;
  /** What its upstream belongs to beyond the definition (an MCP server): a change rebuilds it. */
  readonly origin?: object;
  /** Why it cannot be called; undefined for a sound tool. */
  readonly fault?: string | undefined;
}

interface Entry {
  readonly source: ToolSource;
  readonly runtime: ToolRuntime;
}

function isUnchanged(a: ToolSource, b: ToolSource): boolean {
  return (
    a.origin === b.origin && a.fault === b.fault && isDeepStrictEqual(a.definition, b.definition)
  );
}

/** Looked up on every call; replaced as a whole, never edited. */
export class ToolRegistry {
  #entries = new Map<string, Entry>();
  #index: ToolIndex | undefined;
  #aliases: Aliases = buildAliases([]);
  readonly #onCollision: (collision: AliasCollision) => void;

  /** @param onCollision hears once of every tool that is left without an alias. */
  constructor(onCollision: (collision: AliasCollision) => void = () => undefined) {
    this.#onCollision = onCollision;
  }

  find(name: string): ToolRuntime | undefined {
    return this.#entries.get(name)?.runtime;
  }

  all(): ToolRuntime[] {
    return [...this.#entries.values()].map(({ runtime }) => runtime);
  }

  /**
   * Puts these tools in place of the present ones.
   *
   * @param build makes the runtime of a tool that is new or changed.
   * @returns the runtimes that are gone; the caller closes them.
   */
  replace(
    sources: Iterable<ToolSource>,
    build: (source: ToolSource) => ToolRuntime,
  ): ToolRuntime[] {
    const next = new Map<string, Entry>();
    for (const source of sources) {
      const { name } = source.definition;
      const present = this.#entries.get(name);
      const kept = present !== undefined && isUnchanged(present.source, source);
      next.set(name, kept ? present : { source, runtime: build(source) });
    }
    const gone = [...this.#entries].flatMap(([name, { runtime }]) =>
      next.get(name)?.runtime === runtime ? [] : [runtime],
    );
    this.#entries = next;
    this.#index = undefined;
    const known = new Set(this.#aliases.collisions.map(({ names }) => names.join(' ')));
    this.#aliases = buildAliases(next.keys());
    for (const collision of this.#aliases.collisions) {
      if (!known.has(collision.names.join(' '))) this.#onCollision(collision);
    }
    return gone;
  }

  /** Tools that a client may use, in the order of the configuration. */
  visible(mayUse: (name: string) => boolean): ToolDefinition[] {
    return this.all()
      .map(({ definition }) => definition)
      .filter(({ name }) => mayUse(name));
  }

  /** Names for TOOL_NOT_FOUND: only what this client may use. */
  alternatives(
    name: string,
    mayUse: (name: string) => boolean,
  ): { available: string[]; suggestions: string[] } {
    const available: string[] = [];
    for (const known of this.#entries.keys()) {
      if (available.length === MAX_AVAILABLE) break;
      if (mayUse(known)) available.push(known);
    }
    return { available, suggestions: this.index.suggest(name, mayUse) };
  }

  /** Names of the tools that match a search, best first. */
  get index(): ToolIndex {
    return (this.#index ??= new ToolIndex(this.all().map(({ definition }) => definition)));
  }

  /** Names as providers can carry them, and back. */
  get aliases(): Aliases {
    return this.#aliases;
  }
}
