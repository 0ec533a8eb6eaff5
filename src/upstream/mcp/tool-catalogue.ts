// The tools that a server offers, as of its last complete answer. One listing at a time; a change
// that is announced while one is under way is fetched after it.
import { isDeepStrictEqual } from 'node:util';
import type { Connection } from './connection.js';
import { type DiscoveredTool, listTools, type ToolListing } from './discovery.js';

/** A listing this young answers the question whether a tool is still there, milliseconds. */
const FRESH_MS = 1_000;
const RETRY_MS = 10_000;
const MAX_RETRIES = 5;

export interface ToolCatalogueDeps {
  /** Which names of the server's are wanted. */
  readonly include: (remoteName: string) => boolean;
  readonly onChanged: () => void;
  /** A listing failed, or not all of it could be used. */
  readonly onTrouble: (listing: ToolListing | undefined) => void;
}

/** One per server; it outlives the connections that it asks. */
export class ToolCatalogue {
  readonly #deps: ToolCatalogueDeps;
  #tools: readonly DiscoveredTool[] = [];
  #offered: ReadonlySet<string> = new Set();
  #listedAt = Number.NEGATIVE_INFINITY;
  #listing: Promise<boolean> | undefined;
  #again = false;
  #retries = 0;
  #retryTimer: NodeJS.Timeout | undefined;

  constructor(deps: ToolCatalogueDeps) {
    this.#deps = deps;
  }

  /** The wanted tools. They stay when the connection goes: calls then say what is wrong. */
  get tools(): readonly DiscoveredTool[] {
    return this.#tools;
  }

  /**
   * Fetches the list anew.
   *
   * @returns whether the server answered.
   */
  refresh(connection: Connection): Promise<boolean> {
    if (this.#listing !== undefined) {
      this.#again = true;
      return this.#listing;
    }
    this.#listing = this.#list(connection).finally(() => {
      this.#listing = undefined;
    });
    return this.#listing;
  }

  /** Whether the server offers this name now; undefined when it does not say. */
  async isOffered(remoteName: string, connection: Connection): Promise<boolean | undefined> {
    if (performance.now() - this.#listedAt > FRESH_MS && !(await this.refresh(connection))) {
      return undefined;
    }
    return this.#offered.has(remoteName);
  }

  close(): void {
    clearTimeout(this.#retryTimer);
  }

  async #list(connection: Connection): Promise<boolean> {
    let listing: ToolListing | undefined;
    do {
      this.#again = false;
      listing = await listTools(connection);
    } while (isAnnounced(this.#again) && listing !== undefined);
    clearTimeout(this.#retryTimer);
    if (listing === undefined) {
      this.#retryLater(connection);
      return false;
    }
    this.#retries = 0;
    if (listing.skipped > 0 || listing.cut) this.#deps.onTrouble(listing);
    this.#adopt(listing);
    return true;
  }

  #adopt({ tools }: ToolListing): void {
    this.#listedAt = performance.now();
    this.#offered = new Set(tools.map(({ remoteName }) => remoteName));
    const wanted = tools.filter(({ remoteName }) => this.#deps.include(remoteName));
    if (isDeepStrictEqual(wanted, this.#tools)) return;
    this.#tools = wanted;
    this.#deps.onChanged();
  }

  #retryLater(connection: Connection): void {
    this.#deps.onTrouble(undefined);
    if (connection.closed || this.#retries >= MAX_RETRIES) return;
    this.#retries += 1;
    const retry = (): void => {
      if (!connection.closed) void this.refresh(connection);
    };
    this.#retryTimer = setTimeout(retry, RETRY_MS).unref();
  }
}

/** Asked anew after a wait, which the compiler does not see. */
function isAnnounced(again: boolean): boolean {
  return again;
}
