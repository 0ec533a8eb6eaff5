// The gateway of the soak: a tool of every kind, with every layer somewhere, and short limits so that
// all of them are met in two minutes.
import { fileURLToPath } from 'node:url';

const MODULE = fileURLToPath(new URL('../moody-tool.mjs', import.meta.url));

/** The tools whose upstream is harmed from outside; the others are moody by themselves. */
export const HTTP_TOOLS = ['read', 'book', 'keyed', 'cached', 'limited'] as const;
export const SOAK_TOOLS = [...HTTP_TOOLS, 'module', 'notes.find'] as const;

export function soakConfig(origin: string, mcpUrl: string): object {
  const base = (name: string): object => ({
    name,
    description: name,
    input_schema: { type: 'object', properties: { n: { type: 'string' } } },
  });
  const http = (name: string, method: string, more: object = {}): object => ({
    ...base(name),
    http: { method, url: `${origin}/${name}` },
    ...more,
  });
  return {
    version: 1,
    defaults: {
      timeout_ms: 300,
      retry: { max_attempts: 3, base_ms: 20, max_ms: 100, max_wait_ms: 300 },
      breaker: { window_ms: 2000, min_calls: 20, failure_rate: 0.6, open_ms: 500 },
      bulkhead: { max_concurrent: 32, max_queue: 64, queue_timeout_ms: 500 },
    },
    tools: [
      http('read', 'GET'),
      http('book', 'POST'),
      http('keyed', 'POST', { idempotency: { header: 'Idempotency-Key', ttl_ms: 60_000 } }),
      http('cached', 'GET', { cache: { ttl_ms: 1000 } }),
      http('limited', 'GET', { rate_limit: { calls: 10, per_ms: 1000, burst: 10 } }),
      { ...base('module'), module: MODULE },
    ],
    mcp_servers: [{ name: 'notes', url: mcpUrl, prefix: 'notes.', trusted: true }],
  };
}
