// The shared documents of the contract as JSON Schema: what the OpenAPI document refers to.
import { type Static, Type } from '../../src/json/schema-type.js';
import { CATEGORIES, ERROR_CODES, type ErrorCategory } from '../../src/errors/catalogue.js';

const categories = Object.keys(CATEGORIES) as ErrorCategory[];

export const ErrorInfoSchema = Type.Object(
  {
    code: Type.Enum(ERROR_CODES, { description: 'Stable code; GET /v1/errors is the catalogue.' }),
    category: Type.Enum(categories, { description: 'What kind of reaction fits.' }),
    reason: Type.Optional(Type.String({ description: "The tool author's own stable code." })),
    message: Type.String({ description: 'For people and models; scrubbed, never empty.' }),
    retryable: Type.Boolean({
      description: 'Sending the same call again is safe and may succeed.',
    }),
    retry_after_ms: Type.Union([Type.Integer({ minimum: 0, maximum: 86_400_000 }), Type.Null()], {
      description: 'Milliseconds to wait before sending the same call again; null: not known.',
    }),
    effect: Type.Enum(['not_sent', 'completed', 'unknown'], {
      description:
        'not_sent: the upstream cannot have seen the call. completed: it gave a definite answer. unknown: it may have had its effect.',
    }),
    details: Type.Object(
      {
        tool_name: Type.String(),
        attempts: Type.Integer({ minimum: 0 }),
        transient: Type.Boolean(),
        classified_by: Type.Enum([
          'gateway',
          'author',
          'upstream',
          'status',
          'transport',
          'mcp',
          'type',
          'text',
        ]),
      },
      {
        additionalProperties: true,
        description: 'Structured facts; more members where they apply.',
      },
    ),
  },
  { $id: 'ErrorInfo', additionalProperties: false },
);

export const ProblemSchema = Type.Object(
  {
    type: Type.String(),
    title: Type.String(),
    status: Type.Integer(),
    detail: Type.String(),
    instance: Type.String(),
    error_info: Type.Unsafe({ $ref: 'ErrorInfo#' }),
  },
  { $id: 'Problem', additionalProperties: false, description: 'RFC 9457.' },
);

export const errorInfoRef = Type.Unsafe<Static<typeof ErrorInfoSchema>>({
  $ref: 'ErrorInfo#',
});
