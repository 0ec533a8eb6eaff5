// The report of a failure that POST /v1/errors/classify takes, and its example.
import { Type } from '../../src/json/schema-type.js';

const classifyExample = {
  idempotent: false,
  error: { status: 503, headers: { 'retry-after': '2' } },
};

export const ErrorReportSchema = Type.Object(
  {
    tool: Type.Optional(
      Type.String({ description: 'Unknown here: the answer is TOOL_NOT_FOUND.' }),
    ),
    idempotent: Type.Optional(
      Type.Boolean({ description: "Default: the tool's own setting, else true." }),
    ),
    error: Type.Object(
      {
        type: Type.Optional(Type.String({ description: "The exception's class name." })),
        message: Type.Optional(Type.String()),
        status: Type.Optional(Type.Integer({ minimum: 100, maximum: 999 })),
        headers: Type.Optional(
          Type.Record(
            Type.String(),
            Type.Union([Type.String(), Type.Number(), Type.Array(Type.String())]),
          ),
        ),
        body: Type.Optional(Type.Unknown({ description: 'JSON, or text.' })),
        code: Type.Optional(Type.String({ description: 'A transport code such as ECONNRESET.' })),
        jsonrpc_code: Type.Optional(Type.Integer()),
      },
      { additionalProperties: false },
    ),
  },
  { $id: 'ErrorReport', additionalProperties: false, examples: [classifyExample] },
);

export const classifyResultExample = {
  error_info: {
    code: 'UPSTREAM_UNAVAILABLE',
    category: 'connection',
    message: 'The upstream is unavailable for now (status 503).',
    retryable: false,
    retry_after_ms: 2000,
    effect: 'unknown',
    details: {
      tool_name: '',
      attempts: 0,
      transient: true,
      classified_by: 'status',
      upstream_status: 503,
      retry_after_source: 'retry-after',
    },
  },
  bucket: 'transient',
};
