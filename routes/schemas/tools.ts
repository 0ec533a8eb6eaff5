// Examples of GET /v1/tools for the OpenAPI document.
const weather = {
  name: 'demo.weather',
  description: 'Forecast for a city. Always answers.',
  input_schema: {
    type: 'object',
    properties: {
      city: { type: 'string', minLength: 1 },
      days: { type: 'integer', minimum: 1, maximum: 14 },
    },
    required: ['city'],
    additionalProperties: false,
  },
  output_schema: null,
  idempotent: true,
  read_only: true,
};

export const toolListExample = { tools: [weather] };

export const toolExample = {
  ...weather,
  policy: {
    timeout_ms: 2000,
    retry: { max_attempts: 3, base_ms: 50, max_ms: 500, max_wait_ms: 2000 },
    retry_budget: { tokens: 500, retry_cost: 14, success_refill: 1 },
    breaker: {
      window_ms: 10_000,
      min_calls: 10,
      failure_rate: 0.5,
      open_ms: 30_000,
      half_open_probes: 1,
      scope: 'server',
    },
    bulkhead: { max_concurrent: 32, max_queue: 128, queue_timeout_ms: 5000 },
    rate_limit: null,
    result: { max_bytes: 1_048_576, on_oversize: 'error', validation: 'enforce' },
    trust_503: false,
    max_tool_attempts: 12,
    on_suspicion: 'annotate',
    idempotency: null,
    cache: null,
    verify: null,
  },
  reasons: [],
};
