// The responses that any route can fail with, each with an example that the code really gives.
import { problemDocument, type ProblemOptions } from '../../src/plugins/problem.js';

const EXAMPLES = {
  400: {
    status: 400,
    code: 'PARSER_ERROR',
    title: 'Bad Request',
    detail:
      'The request body is not valid JSON: unexpected character at line 1, column 12; expected a property name in double quotes or "}".',
    details: { line: 1, column: 12, offset: 11 },
  },
  401: {
    status: 401,
    code: 'TOOL_NOT_PERMITTED',
    title: 'Unauthorized',
    detail: 'A valid API key is required: "Authorization: Bearer KEY" or "X-API-Key: KEY".',
  },
  403: {
    status: 403,
    code: 'TOOL_NOT_PERMITTED',
    title: 'Forbidden',
    detail: 'Without configured clients no other origin may call.',
  },
  404: {
    status: 404,
    code: 'TOOL_NOT_FOUND',
    title: 'Not Found',
    detail: 'There is no tool of this name that you may use.',
  },
  405: {
    status: 405,
    code: 'PARSER_INVALID_FORMAT',
    title: 'Method Not Allowed',
    detail: 'This route answers POST.',
  },
  413: {
    status: 413,
    code: 'PARSER_ERROR',
    title: 'Content Too Large',
    detail: 'The request body is larger than server.max_body_bytes.',
  },
  415: {
    status: 415,
    code: 'PARSER_INVALID_FORMAT',
    title: 'Unsupported Media Type',
    detail: 'The request body must be application/json.',
  },
  422: {
    status: 422,
    code: 'TOOL_REGISTRATION_FAILED',
    title: 'Unprocessable Content',
    detail: 'The configuration is faulty; nothing was changed.',
    details: {
      errors: {
        'tools[0].http.url':
          'is no absolute http or https URL (expected an absolute URL such as https://api.example.com/v1/{id})',
      },
    },
  },
  429: {
    status: 429,
    code: 'TOOL_RATE_LIMITED',
    title: 'Too Many Requests',
    detail: 'More than 1000 requests in 1000 ms.',
    retryAfterMs: 740,
    details: { scope: 'envelope', limit: 1000, retry_after: 0.74 },
  },
  500: {
    status: 500,
    code: 'INTERNAL_ERROR',
    title: 'Internal Server Error',
    detail: 'A fault of the gateway. Request id: req-1',
  },
  503: {
    status: 503,
    code: 'RESOURCE_EXHAUSTED',
    title: 'Service Unavailable',
    detail: 'The gateway is shutting down and takes no new work.',
    retryAfterMs: 10_000,
  },
} as const satisfies Record<number, ProblemOptions>;

export type ProblemStatus = keyof typeof EXAMPLES;

/** OpenAPI responses for these statuses. */
export function problems(...statuses: ProblemStatus[]): Record<number, object> {
  return Object.fromEntries(statuses.map((status) => [status, problemResponse(status)]));
}

function problemResponse(status: ProblemStatus): object {
  const options: ProblemOptions = EXAMPLES[status];
  return {
    description: options.title,
    ...(options.retryAfterMs !== undefined && {
      headers: { 'Retry-After': { type: 'integer', description: 'Seconds to wait.' } },
    }),
    content: {
      'application/problem+json': {
        schema: { $ref: 'Problem#' },
        example: problemDocument(options, 'req-1'),
      },
    },
  };
}
