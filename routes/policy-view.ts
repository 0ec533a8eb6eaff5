// A tool's policy as callers see it: every key of the configuration with the value in force, so that
// what is shown could stand in the file. Nothing of what the author wrote for the upstream.
import type { ToolDefinition } from '../src/call.js';

/** @returns `null` stands where something is switched off or not configured. */
export function policyView(tool: ToolDefinition): Record<string, unknown> {
  const { policy, idempotency, cache, verify } = tool;
  return {
    ...(asConfigured(policy) as Record<string, unknown>),
    idempotency: asConfigured(idempotency ?? null),
    cache: asConfigured(cache ?? null),
    // Its arguments may hold constants of the author's.
    verify: verify === undefined ? null : { tool: verify.tool },
  };
}

/** `maxWaitMs` is `max_wait_ms` in the file, `trust503` is `trust_503`; values are plain. */
function asConfigured(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [
      key.replace(/[A-Z]|\d+/g, (part) => `_${part.toLowerCase()}`),
      asConfigured(member),
    ]),
  );
}
