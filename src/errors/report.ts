// The classifier for failures of calls that did not pass through the gateway
// (`POST /v1/errors/classify`): a caller's report becomes the outcome it would have been here.
import { fiveBucketView, type FiveBucket } from './bucket.js';
import { classify } from './classify.js';
import type { ErrorInfo } from './error-info.js';
import { normaliseHeaders } from './header-bag.js';
import type { FailedOutcome } from './outcome.js';
import type { ClassifySubject } from './subject.js';
import { transportRow } from './transport-table.js';
import { ERROR_BODY_MAX_BYTES } from './outcome.js';

/** A failure as a caller saw it. Everything is optional; the most telling member decides. */
export interface ReportedError {
  /** Class name of the exception. */
  readonly type?: string;
  readonly message?: string;
  /** HTTP status. */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, unknown>>;
  /** JSON or text. */
  readonly body?: unknown;
  /** A transport code (`ECONNRESET`), or the upstream's own code beside a status. */
  readonly code?: string;
  readonly jsonrpc_code?: number;
}

export type Report =
  | { readonly error: ReportedError }
  | {
      /** The tool named in the report does not exist, or not for this caller. */
      readonly unknownTool: {
        readonly name: string;
        readonly availableTools: readonly string[];
        readonly suggestions: readonly string[];
      };
    };

export interface ReportedClassification {
  readonly error_info: ErrorInfo;
  readonly bucket: FiveBucket;
}

/** Classifies a reported failure. Total; never throws. */
export function classifyReported(report: Report, subject: ClassifySubject): ReportedClassification {
  const outcome = outcomeOf(report);
  const { info } = classify(outcome, subject, false);
  return { error_info: info, bucket: fiveBucketView(info) };
}

function outcomeOf(report: Report): FailedOutcome {
  if ('unknownTool' in report) {
    const { availableTools, suggestions } = report.unknownTool;
    return { kind: 'unknown-tool', availableTools, suggestions };
  }
  const { error } = report;
  const { status } = error;
  // A JSON-RPC error travels in a 2xx: there the status says nothing.
  const carried = error.jsonrpc_code !== undefined && status !== undefined && isSuccess(status);
  if (status !== undefined && !carried) return responseOf(error, status);
  if (error.jsonrpc_code !== undefined) {
    return {
      kind: 'mcp-error',
      code: error.jsonrpc_code,
      message: error.message ?? '',
      data: error.body,
    };
  }
  const isTransport = error.code !== undefined && transportRow(error.code) !== undefined;
  const thrown = { name: error.type ?? '', message: messageOf(error), code: error.code };
  if (!isTransport) return { kind: 'thrown', error: thrown };
  // Where the attempt stood is not known; a code that implies it says so itself, and a pool that
  // is gone is met before anything is sent unless somebody knows better.
  const phase = POOL_GONE.has(error.code ?? '') ? 'queued' : 'awaiting_headers';
  return { kind: 'transport', error: thrown, phase };
}

const POOL_GONE: ReadonlySet<string> = new Set(['UND_ERR_DESTROYED', 'UND_ERR_CLOSED']);

function isSuccess(status: number): boolean {
  return status >= 200 && status < 300;
}

function responseOf(error: ReportedError, status: number): FailedOutcome {
  const body = bodyOf(error);
  return {
    kind: 'response',
    status,
    headers: normaliseHeaders(error.headers),
    body: body.slice(0, ERROR_BODY_MAX_BYTES),
    bodyTruncated: body.length > ERROR_BODY_MAX_BYTES,
    predicateFailed: isSuccess(status),
  };
}

/** The body as an upstream would have sent it; without one, code and message stand in. */
function bodyOf({ body, code, message }: ReportedError): string {
  if (typeof body === 'string') return body;
  if (body !== undefined && body !== null) return JSON.stringify(body);
  if (code !== undefined) return JSON.stringify({ code, message });
  return message ?? '';
}

function messageOf({ message, body }: ReportedError): string {
  if (message !== undefined) return message;
  return typeof body === 'string' ? body : '';
}
