// The answers of the health routes, for the OpenAPI document.

/** A response of one member, `status`. */
export function statusSchema(description: string, example: string): object {
  return {
    description,
    content: {
      'application/json': {
        schema: {
          type: 'object',
          properties: { status: { type: 'string' } },
          required: ['status'],
        },
        example: { status: example },
      },
    },
  };
}

export const healthExample = {
  status: 'degraded',
  version: '0.1.0',
  uptime_ms: 61_234,
  batches_in_flight: 0,
  tools: [
    {
      name: 'demo.broken',
      status: 'degraded',
      breaker: { state: 'open', failure_count: 5, retry_after_ms: 8312 },
      in_flight: 0,
      queued: 0,
      cooldown_ms: 0,
      limits: { max_concurrent: 32, max_queue: 128, rate_limit: null },
      last_failure: { code: 'UPSTREAM_SERVER_ERROR', at: '2026-11-30T12:00:00.000Z' },
      fault: null,
    },
  ],
  mcp_servers: [],
};
