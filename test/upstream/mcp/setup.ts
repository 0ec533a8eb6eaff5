// What every test of this room needs: definitions with every default, a call with its attempt, and
// servers that are closed when the test is over.
import { afterEach } from 'vitest';
import type { CallContext, JsonObject, ToolDefinition } from '../../../src/call.js';
import { Cancellation } from '../../../src/cancellation.js';
import type { McpServerDefinition, McpTransportDefinition } from '../../../src/config.js';
import { compileErrorRules } from '../../../src/errors/author-rules.js';
import { classify } from '../../../src/errors/classify.js';
import type { Classification } from '../../../src/errors/error-info.js';
import { createScrubber } from '../../../src/errors/scrub.js';
import type { Outcome } from '../../../src/errors/outcome.js';
import { createMcpServer, type McpServer } from '../../../src/upstream/mcp/index.js';
import type { ValidateOutput } from '../../../src/upstream/result-check.js';
import { TestAttempt } from '../../support/attempt.js';

const POLICY: ToolDefinition['policy'] = {
  timeoutMs: 10_000,
  retry: { maxAttempts: 1, baseMs: 1, maxMs: 1, maxWaitMs: 1 },
  retryBudget: { tokens: 10, retryCost: 1, successRefill: 0.1 },
  breaker: null,
  bulkhead: null,
  rateLimit: null,
  result: { maxBytes: 1_048_576, onOversize: 'error', validation: 'enforce' },
  trust503: false,
  maxToolAttempts: 12,
};

type Logged = Record<string, unknown>;

export interface Harness {
  readonly server: McpServer;
  readonly logged: Logged[];
  readonly changes: () => number;
  readonly call: (name: string, args?: JsonObject, options?: CallOptions) => RunningTestCall;
}

export interface CallOptions {
  readonly timeoutMs?: number;
  readonly tool?: Partial<ToolDefinition>;
  readonly result?: Partial<ToolDefinition['policy']['result']>;
  readonly validateOutput?: ValidateOutput;
  readonly ctx?: Partial<CallContext>;
  readonly idempotencyKey?: string;
}

export interface RunningTestCall {
  readonly outcome: Promise<Outcome>;
  readonly attempt: TestAttempt;
}

const closers: (() => Promise<unknown>)[] = [];

/** Runs at the end of the test, last registered first. */
export function onEnd(close: () => Promise<unknown>): void {
  closers.push(close);
}

afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

export function stdio(
  args: readonly string[],
  env: Record<string, string> = {},
): McpTransportDefinition {
  return { kind: 'stdio', command: process.execPath, args, env };
}

export function http(url: string, more: object = {}): McpTransportDefinition {
  return { kind: 'http', url, headers: {}, ...more };
}

export function startServer(
  transport: McpTransportDefinition,
  more: Partial<McpServerDefinition> & { include?: (name: string) => boolean } = {},
): Harness {
  const { include = () => true, ...definition } = more;
  const logged: Logged[] = [];
  let changes = 0;
  const server = createMcpServer(
    {
      name: 'srv',
      transport,
      tools: ['*'],
      prefix: '',
      trusted: false,
      idleTimeoutMs: 60_000,
      required: false,
      connect: 'lazy',
      policy: POLICY,
      errorRules: [],
      ...definition,
    },
    {
      include,
      onToolsChanged: () => (changes += 1),
      log: (event, message, level = 'info') => logged.push({ ...event, message, level }),
      scrub: (text) => text.replaceAll('CANARY', '***'),
    },
  );
  onEnd(() => server.close());
  return {
    server,
    logged,
    changes: () => changes,
    call: (name, args = {}, options = {}) => callTool(server, name, args, options),
  };
}

function callTool(
  server: McpServer,
  name: string,
  args: JsonObject,
  options: CallOptions,
): RunningTestCall {
  const timeoutMs = options.timeoutMs ?? 5_000;
  const tool: ToolDefinition = {
    name,
    description: '',
    inputSchema: { type: 'object' },
    idempotent: false,
    readOnly: false,
    upstream: { kind: 'mcp', server: 'srv', remoteName: name },
    policy: { ...POLICY, result: { ...POLICY.result, ...options.result } },
    errorRules: [],
    ...options.tool,
  };
  const { validateOutput } = options;
  const invoke = server.createUpstream(
    tool,
    validateOutput === undefined ? {} : { validateOutput },
  );
  const attempt = new TestAttempt(
    context(timeoutMs, options.ctx),
    1,
    performance.now() + timeoutMs,
  );
  const timer = setTimeout(() => {
    attempt.abort({ kind: 'timeout', scope: 'attempt', timeoutMs });
  }, timeoutMs);
  const { idempotencyKey } = options;
  const call = {
    id: 'c1',
    tool,
    arguments: args,
    ...(idempotencyKey !== undefined && { idempotencyKey }),
  };
  const outcome = attempt.run(invoke, call).finally(() => clearTimeout(timer));
  return { outcome, attempt };
}

function context(timeoutMs: number, more: Partial<CallContext> = {}): CallContext {
  return {
    client: '',
    runId: undefined,
    batchId: 'b1',
    requestId: 'request',
    deadlineAt: performance.now() + timeoutMs,
    deadlineScope: 'call',
    deadlineMs: timeoutMs,
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

/** The value of an ok outcome; fails the test otherwise. */
export function valueOf(outcome: Outcome): JsonObject {
  if (outcome.kind !== 'ok' || outcome.result.kind !== 'value') {
    throw new Error(`expected an ok value, got ${JSON.stringify(outcome)}`);
  }
  return outcome.result.value as JsonObject;
}

/** Waits until a condition holds; fails loudly when it does not. */
export async function until(
  condition: () => boolean,
  what: string,
  timeoutMs = 5_000,
): Promise<void> {
  const end = performance.now() + timeoutMs;
  while (!condition()) {
    if (performance.now() > end) throw new Error(`never: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

/** What the classifier makes of a failed outcome. */
export function codeOf(outcome: Outcome, idempotent = false): Classification {
  if (outcome.kind === 'ok') throw new Error('expected a failure');
  const subject = {
    toolName: 'srv.tool',
    kind: 'mcp',
    serverName: 'srv',
    idempotent,
    trust503: false,
    rules: compileErrorRules([]),
    scrubber: createScrubber(['CANARY']),
  } as const;
  return classify(outcome, subject, false);
}
