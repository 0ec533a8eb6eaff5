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
    max_attempts: 3,
    max_concurrent: 32,
    rate_limit: null,
    result_max_bytes: 1_048_576,
  },
  reasons: [],
};
