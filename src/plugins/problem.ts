// What a whole request fails with: application/problem+json (RFC 9457) with our `error_info` in it.
// Fixed texts only: no stack and no message of a library ever leaves.
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';
import { CATALOGUE, type ErrorCode } from '../errors/catalogue.js';
import type { ErrorInfo } from '../errors/error-info.js';

declare module 'fastify' {
  interface FastifyInstance {
    /** Counts a request that failed as a whole. */
    onRefused: (status: number, code: ErrorCode) => void;
  }
}

export interface ProblemOptions {
  readonly status: number;
  readonly code: ErrorCode;
  readonly title: string;
  readonly detail: string;
  readonly details?: Readonly<Record<string, unknown>>;
  readonly retryAfterMs?: number;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Thrown by hooks and handlers to end a request as a problem document. */
export class Problem extends Error {
  readonly options: ProblemOptions;

  constructor(options: ProblemOptions) {
    super(options.detail);
    this.name = 'Problem';
    this.options = options;
  }
}

/** A body that was read, but is not what was expected; `errors`: JSON Pointer -> what is wrong. */
export function invalidEnvelope(
  detail: string,
  errors?: Readonly<Record<string, string>>,
  code: 'PARSER_ERROR' | 'PARSER_INVALID_FORMAT' = 'PARSER_INVALID_FORMAT',
): Problem {
  return new Problem({
    status: 400,
    code,
    title: 'Bad Request',
    detail,
    ...(errors !== undefined && { details: { errors } }),
  });
}

export const PROBLEM_JSON = 'application/problem+json; charset=utf-8';

/** The document and its headers, sent and counted. */
export function sendProblem(
  reply: FastifyReply,
  request: FastifyRequest,
  options: ProblemOptions,
): FastifyReply {
  request.server.onRefused(options.status, options.code);
  if (!request.raw.complete) readOn(request, reply);
  if (options.headers !== undefined) reply.headers(options.headers);
  if (options.retryAfterMs !== undefined) {
    reply.header('retry-after', String(Math.max(1, Math.ceil(options.retryAfterMs / 1000))));
  }
  return reply
    .code(options.status)
    .type(PROBLEM_JSON)
    .send(JSON.stringify(problemDocument(options, request.id)));
}

/**
 * Throws the rest of a body away instead of closing on it: a client that still sends would be reset,
 * and most then never see the answer. It ends with the time that a request has to arrive.
 */
function readOn(request: FastifyRequest, reply: FastifyReply): void {
  reply.removeHeader('connection');
  request.raw.resume();
}

/** The document alone; also the examples of the OpenAPI document. */
export function problemDocument(options: ProblemOptions, requestId: string): object {
  const { category, transient } = CATALOGUE[options.code];
  const info: ErrorInfo = {
    code: options.code,
    category,
    message: options.detail,
    retryable: transient,
    retry_after_ms: options.retryAfterMs === undefined ? null : Math.ceil(options.retryAfterMs),
    effect: 'not_sent',
    details: {
      tool_name: '',
      attempts: 0,
      transient,
      classified_by: 'gateway',
      ...options.details,
    },
  };
  return {
    type: `/v1/errors#${options.code}`,
    title: options.title,
    status: options.status,
    detail: options.detail,
    instance: `/requests/${requestId}`,
    error_info: info,
  };
}

/** What Fastify itself refuses, by its error code. */
const FRAMEWORK_ERRORS: Readonly<Record<string, Omit<ProblemOptions, 'details'>>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: {
    status: 413,
    code: 'PARSER_ERROR',
    title: 'Content Too Large',
    detail: 'The request body is larger than server.max_body_bytes.',
  },
  FST_ERR_CTP_INVALID_MEDIA_TYPE: {
    status: 415,
    code: 'PARSER_INVALID_FORMAT',
    title: 'Unsupported Media Type',
    detail: 'The request body must be application/json.',
    headers: { accept: 'application/json' },
  },
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: {
    status: 400,
    code: 'PARSER_ERROR',
    title: 'Bad Request',
    detail: 'The request body does not have the length that Content-Length says.',
  },
  FST_ERR_BAD_URL: {
    status: 400,
    code: 'PARSER_INVALID_FORMAT',
    title: 'Bad Request',
    detail: 'The request path is not a valid URL.',
  },
  FST_ERR_MAX_PARAM_LENGTH: {
    status: 414,
    code: 'PARSER_INVALID_FORMAT',
    title: 'URI Too Long',
    detail: 'A part of the request path is too long.',
  },
  FST_ERR_ASYNC_CONSTRAINT: {
    status: 400,
    code: 'PARSER_INVALID_FORMAT',
    title: 'Bad Request',
    detail: 'The request cannot be routed.',
  },
};

/** What an error means for the whole request; what is not known is a fault of ours. */
export function problemOf(error: FastifyError, request: FastifyRequest): ProblemOptions {
  if (error instanceof Problem) return error.options;
  const framework = FRAMEWORK_ERRORS[error.code];
  if (framework !== undefined) return framework;
  if (error.statusCode !== undefined && error.statusCode >= 400 && error.statusCode < 500) {
    return {
      status: error.statusCode,
      code: 'PARSER_INVALID_FORMAT',
      title: 'Bad Request',
      detail: 'The request could not be read.',
    };
  }
  return {
    status: 500,
    code: 'INTERNAL_ERROR',
    title: 'Internal Server Error',
    detail: `A fault of the gateway. Request id: ${request.id}`,
  };
}

export interface ProblemPluginOptions {
  /** Hears of every fault of ours; the caller hears only the request id. */
  readonly onInternalError: (error: unknown, requestId: string) => void;
  /** Counts requests that failed as a whole. */
  readonly onRefused: (status: number, code: ErrorCode) => void;
}

/** Turns every error and every unknown route into a problem document. */
export const problemPlugin = fp<ProblemPluginOptions>(
  (app: FastifyInstance, options, done) => {
    app.decorate('onRefused', options.onRefused);
    app.setErrorHandler<FastifyError>((error, request, reply) => {
      const problem = problemOf(error, request);
      if (problem.status >= 500 && !(error instanceof Problem)) {
        options.onInternalError(error, request.id);
      }
      return sendProblem(reply, request, problem);
    });
    app.setNotFoundHandler((request, reply) =>
      sendProblem(reply, request, {
        status: 404,
        code: 'PARSER_INVALID_FORMAT',
        title: 'Not Found',
        detail: 'There is no such route; GET /docs lists them.',
      }),
    );
    done();
  },
  { name: 'problem' },
);
