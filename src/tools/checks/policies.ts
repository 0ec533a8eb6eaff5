// Policy keys, wherever they stand: what must fit together once `defaults` and an entry are merged.
import { mergeSetting } from '../policy-merge.js';
import { DEFAULT_SERVER } from '../defaults.js';
import type { ConfigPath } from '../faults.js';
import type { JsonObject } from '../../call.js';
import { type CheckContext, items, members, numberOf } from './context.js';

export function checkPolicies(context: CheckContext, root: JsonObject): void {
  const defaults = members(root['defaults']);
  const server = members(root['server']);
  const longest = numberOf(server['max_deadline_ms']) ?? DEFAULT_SERVER.maxDeadlineMs;
  checkRetry(context, ['defaults'], {}, defaults);
  for (const part of ['tools', 'mcp_servers']) {
    items(root[part]).forEach((entry, index) => {
      const path = [part, index];
      const own = members(entry);
      checkRetry(context, path, defaults, own);
      checkRateLimit(context, path, defaults, own);
      const timeout = numberOf(own['timeout_ms']);
      if (timeout !== undefined && timeout > longest)
        context.warn([...path, 'timeout_ms'], 'never runs out: it is above server.max_deadline_ms');
    });
  }
}

function merged(defaults: JsonObject, own: JsonObject, key: string): JsonObject {
  const under = defaults[key] === undefined ? undefined : members(defaults[key]);
  const over = own[key] === undefined ? undefined : members(own[key]);
  return members(mergeSetting(under, over));
}

function checkRetry(
  context: CheckContext,
  path: ConfigPath,
  defaults: JsonObject,
  own: JsonObject,
): void {
  const given = members(own['retry']);
  if (given['base_ms'] === undefined && given['max_ms'] === undefined) return;
  const retry = merged(defaults, own, 'retry');
  const base = numberOf(retry['base_ms']);
  const max = numberOf(retry['max_ms']);
  if (base === undefined || max === undefined || base <= max) return;
  const key = given['max_ms'] === undefined ? 'base_ms' : 'max_ms';
  context.fault([...path, 'retry', key], 'base_ms is above max_ms', 'base_ms at most max_ms');
}

function checkRateLimit(
  context: CheckContext,
  path: ConfigPath,
  defaults: JsonObject,
  own: JsonObject,
): void {
  const inherited = own['rate_limit'] === undefined;
  const limit = inherited ? defaults['rate_limit'] : own['rate_limit'];
  if (typeof limit !== 'object' || limit === null) return;
  if (merged(defaults, own, 'rate_limit')['calls'] !== undefined) return;
  const at = inherited ? ['defaults', 'rate_limit', 'calls'] : [...path, 'rate_limit', 'calls'];
  context.fault(at, 'is missing, here and in defaults', 'calls per per_ms');
}
