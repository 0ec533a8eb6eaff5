// The parts of an entry that tools and MCP servers have in common, in the gateway's own form.
import type { CachePolicy, ErrorRule, IdempotencyPolicy, Predicate } from '../call.js';
import { DEFAULT_CACHE_MAX_BYTES, DEFAULT_IDEMPOTENCY_TTL_MS } from './defaults.js';
import type { ToolEntry } from './schema/document.js';

type Defined<T> = { [K in keyof T]?: Exclude<T[K], undefined> };
type RuleEntry = NonNullable<ToolEntry['errors']>[number];
type PredicateEntry = NonNullable<NonNullable<ToolEntry['http']>['success_when']>;

/** Without the members that are undefined. */
export function withoutUndefined<T extends object>(value: T): Defined<T> {
  return Object.fromEntries(
    Object.entries(value).filter(([, member]) => member !== undefined),
  ) as Defined<T>;
}

export function toPredicate(entry: PredicateEntry): Predicate {
  const { pointer, equals, not_equals: notEquals, absent } = entry;
  return { pointer, ...withoutUndefined({ equals, notEquals, absent }) };
}

export function toIdempotency(entry: ToolEntry['idempotency']): IdempotencyPolicy | undefined {
  if (entry === undefined) return undefined;
  return {
    ttlMs: entry.ttl_ms ?? DEFAULT_IDEMPOTENCY_TTL_MS,
    ...withoutUndefined({ header: entry.header }),
  };
}

export function toCache(entry: ToolEntry['cache']): CachePolicy | undefined {
  if (entry === undefined) return undefined;
  return {
    ttlMs: entry.ttl_ms,
    maxBytes: entry.max_bytes ?? DEFAULT_CACHE_MAX_BYTES,
    perClient: entry.per_client ?? true,
  };
}

export function toErrorRules(entries: ToolEntry['errors']): ErrorRule[] {
  return (entries ?? []).map(({ when, then }) => ({
    when: toWhen(when),
    then: {
      ...withoutUndefined({
        declined: then.declined,
        transient: then.transient,
        permanent: then.permanent,
        code: then.code,
        message: then.message,
        retryAfterMs: then.retry_after_ms,
        retryAfterPointer: then.retry_after_pointer,
      }),
    },
  }));
}

function toWhen(when: RuleEntry['when']): ErrorRule['when'] {
  const { body, header } = when;
  return withoutUndefined({
    status: when.status,
    transport: when.transport,
    body: body && {
      pointer: body.pointer,
      ...withoutUndefined({ equals: body.equals, matches: body.matches }),
    },
    header: header && {
      name: header.name.toLowerCase(),
      ...withoutUndefined({ equals: header.equals, matches: header.matches }),
    },
    mcpCode: when.mcp_code,
    isError: when.is_error,
    type: when.type,
    text: when.text,
  });
}
