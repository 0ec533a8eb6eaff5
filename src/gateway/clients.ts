// Who calls: API keys stand hashed in the configuration and are compared in constant time.
// A client's patterns decide what it may use, and so what it is shown.
import { createHash, timingSafeEqual } from 'node:crypto';
import type { ClientDefinition } from '../config.js';
import { CallLimiter } from '../policy/token-bucket.js';
import { compilePatterns } from '../tools/permissions.js';

export interface Client {
  /** '' for an anonymous caller. */
  readonly id: string;
  readonly mayUse: (toolName: string) => boolean;
  /** Limit of calls over all tools; undefined: none. */
  readonly limiter: CallLimiter | undefined;
}

/** The caller where no clients are configured: anyone, everything. */
export const ANONYMOUS: Client = { id: '', mayUse: () => true, limiter: undefined };

interface Entry {
  readonly digest: Buffer;
  readonly definition: ClientDefinition;
  readonly client: Client;
}

/** The clients of the configuration; a reload builds another and keeps what did not change. */
export class ClientRegistry {
  readonly #entries: readonly Entry[];

  /** @param previous a registry whose unchanged clients keep their limiter's state over a reload. */
  constructor(definitions: readonly ClientDefinition[], previous?: ClientRegistry) {
    const present = previous === undefined ? [] : previous.#entries;
    this.#entries = definitions.map((definition) => {
      const kept = present.find(
        (entry) => JSON.stringify(entry.definition) === JSON.stringify(definition),
      );
      return kept ?? createEntry(definition);
    });
  }

  /** Whether callers must show a key. */
  get required(): boolean {
    return this.#entries.length > 0;
  }

  /** The client of a key, or undefined. Every entry is compared, whatever matched before. */
  authenticate(key: string): Client | undefined {
    const digest = createHash('sha256').update(key).digest();
    let found: Client | undefined;
    for (const entry of this.#entries) {
      if (timingSafeEqual(entry.digest, digest)) found = entry.client;
    }
    return found;
  }
}

function createEntry(definition: ClientDefinition): Entry {
  const limit = definition.rateLimit;
  return {
    digest: Buffer.from(definition.keySha256, 'hex'),
    definition,
    client: {
      id: definition.id,
      mayUse: compilePatterns(definition.tools),
      limiter: limit === null ? undefined : new CallLimiter({ ...limit, burst: limit.calls }),
    },
  };
}
