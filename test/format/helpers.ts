// Shared by the format tests: envelopes from values, results and error infos with defaults.
import type { ToolDefinition, ToolResult } from '../../src/call.js';
import type { ErrorInfo } from '../../src/errors/error-info.js';
import { parseEnvelope, type ParsedEnvelope, type ReadEnvelope } from '../../src/format/index.js';
import { parseJson } from '../../src/json/parse.js';

export interface Options {
  format?: string;
  maxBatch?: number;
  query?: Record<string, string>;
}

export function toAlias(name: string): string {
  return name.replaceAll('.', '__');
}

/** Reads JSON text as the route does. */
export function parseText(
  text: string,
  { format, maxBatch = 100, query = {} }: Options = {},
): ParsedEnvelope {
  const parsed = parseJson(text);
  if (!parsed.ok) throw new Error(parsed.message);
  return parseEnvelope(parsed.value, parsed.faults, {
    ...(format !== undefined && { format }),
    maxBatch,
    query,
    fromAlias: (name) => name.replaceAll('__', '.'),
  });
}

export function parse(body: unknown, options?: Options): ParsedEnvelope {
  return parseText(JSON.stringify(body), options);
}

/** Reads a body that must be readable. */
export function read(body: unknown, options?: Options): ReadEnvelope {
  const envelope = parse(body, options);
  if (!envelope.ok) throw new Error(envelope.message);
  return envelope;
}

export function info(given: Partial<ErrorInfo> = {}): ErrorInfo {
  return {
    code: 'TOOL_RATE_LIMITED',
    category: 'rate_limit',
    message: 'Slow down.',
    retryable: true,
    retry_after_ms: 1200,
    effect: 'completed',
    ...given,
    details: {
      tool_name: 'weather.forecast',
      attempts: 1,
      transient: true,
      classified_by: 'status',
      ...given.details,
    },
  };
}

export function result(given: Partial<ToolResult> = {}): ToolResult {
  return {
    id: 'c1',
    tool: 'weather.forecast',
    status: 'ok',
    result: { kind: 'json', text: '{"temperature":7}' },
    errorInfo: null,
    attempts: 1,
    durationMs: 12.34,
    cached: false,
    ...given,
  };
}

export function failed(given: Partial<ErrorInfo> = {}, id = 'c1'): ToolResult {
  return result({ id, status: 'error', result: null, errorInfo: info(given) });
}

export function declined(id = 'c1'): ToolResult {
  const errorInfo = info({
    code: 'TOOL_DECLINED',
    category: 'declined',
    reason: 'booking_not_cancellable',
    message: 'This fare is non-refundable.',
    retryable: false,
    retry_after_ms: null,
  });
  return result({ id, status: 'declined', result: null, errorInfo });
}

export function tool(given: Partial<ToolDefinition> = {}): ToolDefinition {
  return {
    name: 'weather.forecast',
    description: 'The forecast of a city.',
    inputSchema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
    idempotent: true,
    readOnly: true,
    upstream: { kind: 'module', path: '/tmp/none.js' },
    policy: {
      timeoutMs: 1000,
      retry: { maxAttempts: 1, baseMs: 1, maxMs: 1, maxWaitMs: 1 },
      retryBudget: { tokens: 1, retryCost: 1, successRefill: 1 },
      breaker: null,
      bulkhead: null,
      rateLimit: null,
      result: { maxBytes: 1, onOversize: 'error', validation: 'enforce' },
      trust503: false,
      maxToolAttempts: 1,
    },
    errorRules: [],
    ...given,
  };
}
