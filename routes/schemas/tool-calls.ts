// The envelope of POST /v1/tool-calls and its answer. For the document and for client generators:
// the envelope is read by our own parser, which names faults by place and keeps siblings alive.
import { Type } from '../../src/json/schema-type.js';
import { errorInfoRef } from './error-info.js';

const batchExample = {
  calls: [
    { id: 'c1', tool: 'demo.weather', arguments: { city: 'Oslo' } },
    { id: 'c2', tool: 'demo.limited' },
  ],
  deadline_ms: 20_000,
};

export const ToolCallSchema = Type.Object(
  {
    id: Type.Optional(
      Type.String({ description: 'Comes back with the result; call_1… where absent.' }),
    ),
    tool: Type.String({ description: "The tool's name." }),
    arguments: Type.Optional(
      Type.Unknown({
        description:
          'An object, or JSON text of one; validated against the tool\'s input schema. `{"$from": "c1", "pointer": "/items/0"}` in it stands for a value out of the result of an earlier call of this batch (4 MiB of JSON at most in one call), and makes the call wait for that one.',
      }),
    ),
    timeout_ms: Type.Optional(
      Type.Integer({ minimum: 1, description: 'The whole call, retries and waits included.' }),
    ),
    idempotency_key: Type.Optional(
      Type.String({
        maxLength: 256,
        description: 'The same client, tool and key are executed once.',
      }),
    ),
    depends_on: Type.Optional(
      Type.Array(Type.String(), {
        description: 'Ids of calls of this batch that must succeed first.',
      }),
    ),
  },
  { $id: 'ToolCall', additionalProperties: false },
);

const options = {
  deadline_ms: Type.Optional(
    Type.Integer({ minimum: 1, description: 'The whole batch, from receipt.' }),
  ),
  run_id: Type.Optional(Type.String({ maxLength: 256, description: 'Budgets that span batches.' })),
  return_order: Type.Optional(Type.Enum(['submission', 'completion'], { default: 'submission' })),
};

export const BatchSchema = Type.Object(
  { calls: Type.Array(Type.Unsafe({ $ref: 'ToolCall#' }), { minItems: 1 }), ...options },
  { $id: 'Batch', additionalProperties: false, examples: [batchExample] },
);

export const BatchOptionsSchema = Type.Object(
  { ...options, envelope: Type.Optional(Type.Enum(['none'])) },
  { $id: 'BatchOptions', additionalProperties: false },
);

export const ToolResultSchema = Type.Object(
  {
    id: Type.String(),
    tool: Type.String(),
    status: Type.Enum(['ok', 'error', 'declined']),
    result: Type.Unknown({ description: "The tool's answer; null unless status is ok." }),
    error: Type.Union([Type.String(), Type.Null()], { description: 'error_info.message.' }),
    error_info: Type.Union([errorInfoRef, Type.Null()]),
    attempts: Type.Integer({ minimum: 0, description: 'Attempts that reached the upstream.' }),
    duration_ms: Type.Number({ minimum: 0 }),
    cached: Type.Boolean(),
    warnings: Type.Optional(Type.Array(Type.String())),
    truncated: Type.Optional(Type.Boolean()),
    original_bytes: Type.Optional(Type.Integer()),
  },
  { $id: 'ToolResult', additionalProperties: false },
);

export const BatchResultSchema = Type.Object(
  {
    batch_id: Type.String(),
    results: Type.Array(Type.Unsafe({ $ref: 'ToolResult#' })),
    messages: Type.Optional(
      Type.Array(Type.Unknown(), { description: "Ready to append, in the model's own format." }),
    ),
  },
  { $id: 'BatchResult', additionalProperties: false },
);

export const batchResultExample = {
  batch_id: '0c8a2d3e6a0b4c0e9d6e0d5f5a1b2c3d',
  results: [
    {
      id: 'c1',
      tool: 'demo.weather',
      status: 'ok',
      result: { city: 'Oslo', days: 1, forecast: 'light rain', high_c: 7 },
      error: null,
      error_info: null,
      attempts: 1,
      duration_ms: 3.1,
      cached: false,
    },
    {
      id: 'c2',
      tool: 'demo.limited',
      status: 'error',
      result: null,
      error: 'The upstream limits the rate of calls. Slow down.',
      error_info: {
        code: 'TOOL_RATE_LIMITED',
        category: 'rate_limit',
        message: 'The upstream limits the rate of calls. Slow down.',
        retryable: true,
        retry_after_ms: 30_000,
        effect: 'completed',
        details: {
          tool_name: 'demo.limited',
          attempts: 1,
          transient: true,
          classified_by: 'status',
          upstream_status: 429,
          retry_after: 30,
          retry_after_source: 'retry-after',
          retry_stopped_by: 'retry_after_exceeds_deadline',
        },
      },
      attempts: 1,
      duration_ms: 4.2,
      cached: false,
    },
  ],
};
