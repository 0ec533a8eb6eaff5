// Tool definitions and attempts for tests of upstreams, without the layers above them.
import type { CallContext, JsonObject, ToolDefinition } from '../../src/call.js';
import type { HttpUpstreamDefinition, ResultPolicy, UpstreamInvoke } from '../../src/call.js';
import { Cancellation } from '../../src/cancellation.js';
import type { Outcome } from '../../src/errors/outcome.js';
import { createHttpUpstream, HttpPools, type HttpDeps } from '../../src/upstream/http/index.js';
import { TestAttempt } from '../support/attempt.js';

const OPEN_EGRESS = { deny: [], allow: [] };

export function toolWith(
  upstream: ToolDefinition['upstream'],
  more: Partial<ToolDefinition> & { readonly result?: Partial<ResultPolicy> } = {},
): ToolDefinition {
  const { result, ...rest } = more;
  return {
    name: 'test.tool',
    description: '',
    inputSchema: { type: 'object' },
    idempotent: false,
    readOnly: false,
    upstream,
    policy: {
      timeoutMs: 5_000,
      retry: { maxAttempts: 1, baseMs: 1, maxMs: 1, maxWaitMs: 0 },
      retryBudget: { tokens: 0, retryCost: 0, successRefill: 0 },
      breaker: null,
      bulkhead: null,
      rateLimit: null,
      result: { maxBytes: 1_048_576, onOversize: 'error', validation: 'enforce', ...result },
      trust503: false,
      maxToolAttempts: 12,
    },
    errorRules: [],
    ...rest,
  };
}

export function httpTool(
  url: string,
  http: Partial<HttpUpstreamDefinition> = {},
  more: Parameters<typeof toolWith>[1] = {},
): ToolDefinition {
  const method = http.method ?? 'GET';
  const upstream: HttpUpstreamDefinition = {
    kind: 'http',
    url,
    headers: {},
    followRedirects: 'none',
    ...http,
    method,
  };
  return toolWith(upstream, { idempotent: method === 'GET', ...more });
}

export function contextWith(more: Partial<CallContext> = {}): CallContext {
  return {
    client: '',
    runId: undefined,
    batchId: 'batch-1',
    requestId: 'request',
    deadlineAt: performance.now() + 60_000,
    deadlineScope: 'deadline',
    deadlineMs: 60_000,
    cancellation: new Cancellation(),
    attempts: 1,
    attemptLog: undefined,
    retryStoppedBy: undefined,
    effectMayHaveHappened: false,
    keySent: false,
    verdict: undefined,
    lingering: undefined,
    ...more,
  };
}

export interface Running {
  readonly attempt: TestAttempt;
  readonly outcome: Promise<Outcome>;
}

export function start(
  invoke: UpstreamInvoke,
  tool: ToolDefinition,
  args: JsonObject = {},
  options: { context?: Partial<CallContext>; idempotencyKey?: string; number?: number } = {},
): Running {
  const ctx = contextWith(options.context);
  const attempt = new TestAttempt(ctx, options.number ?? 1, performance.now() + 5_000);
  const { idempotencyKey } = options;
  const call = {
    id: 'c1',
    tool,
    arguments: args,
    ...(idempotencyKey !== undefined && { idempotencyKey }),
  };
  return { attempt, outcome: attempt.run(invoke, call) };
}

/** HTTP tools over pools that a test closes. */
export class HttpBench {
  readonly pools = new HttpPools(OPEN_EGRESS);

  start(
    tool: ToolDefinition,
    args: JsonObject = {},
    options: Parameters<typeof start>[3] & { deps?: HttpDeps } = {},
  ): Running {
    return start(createHttpUpstream(tool, options.deps ?? {}, this.pools), tool, args, options);
  }

  run(...parameters: Parameters<HttpBench['start']>): Promise<Outcome> {
    return this.start(...parameters).outcome;
  }
}
