// Cases as rows: a tool's configuration, what its upstream does, and what must come back. All rows of
// a file share one gateway and one upstream; each row has a tool of its own, so none hears another.
// The breaker's verdict is seen from outside: a twin of the tool stands half-open when its one call
// comes, which closes it (success), opens it again (failure) or leaves it as it is (neutral).
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ErrorInfo } from '../../src/errors/error-info.js';
import { type Harness, startHarness, type WireResult } from '../support/harness.js';

// ---- What an upstream does ----

export type Headers = Record<string, string | string[]>;

export interface Answer {
  readonly status: number;
  /** A function where a time must be fresh. */
  readonly headers?: Headers | (() => Headers);
  /** An object goes out as JSON. */
  readonly body?: string | Buffer | object;
  /** False: without the `Date` that Node adds. */
  readonly date?: boolean;
  readonly delayMs?: number;
  /** Leaves the connection open for the next request. */
  readonly keepAlive?: boolean;
}

/** Bytes of its own, or a fault. Called once the request is read. */
export type Act = (request: IncomingMessage, response: ServerResponse) => void;

export type Step = Answer | Act;

export function answer(
  status: number,
  headers: Headers | (() => Headers) = {},
  body: string | Buffer | object = '',
): Answer {
  return { status, headers, body };
}

export const ok = answer(200, {}, { fine: true });

export const reset: Act = (request) => {
  request.socket.resetAndDestroy();
};

export const hang: Act = () => undefined;

/** Closes in order, without an answer. */
export const hangUp: Act = (request) => {
  request.socket.end();
};

/** These bytes, and the connection stays open. */
export function bytes(text: string | Buffer): Act {
  return (request) => {
    request.socket.write(text);
  };
}

/** These bytes, and once they had time to arrive, the end of the connection. */
export function bytesThen(text: string, end: 'fin' | 'rst'): Act {
  return (request) => {
    request.socket.write(text, () => {
      if (end === 'fin') request.socket.end();
      // A reset throws away what the peer has not read.
      else setTimeout(() => request.socket.resetAndDestroy(), 20);
    });
  };
}

export function times(count: number, step: Step): Step[] {
  return Array.from({ length: count }, () => step);
}

export const nowS = (): number => Math.floor(Date.now() / 1000);
export const imf = (epochMs: number): string => new Date(epochMs).toUTCString();

// ---- What must come back ----

export type Effect = 'not_sent' | 'completed' | 'unknown';
export type Verdict = 'success' | 'failure' | 'neutral';

/** `retry_after_ms`: exact, or a range. */
export type Wait = number | null | readonly [min: number, max: number];

export interface Expected {
  readonly status: 'ok' | 'error' | 'declined';
  readonly code?: string;
  readonly retryable?: boolean;
  readonly effect?: Effect;
  readonly retry?: Wait;
  readonly reason?: string;
  readonly details?: Record<string, unknown>;
  /** Keys that `details` must not have. */
  readonly without?: readonly string[];
  readonly result?: unknown;
  readonly message?: RegExp;
  /** Requests that reached the upstream; 1 unless given. */
  readonly requests?: number;
  readonly attempts?: number;
  readonly breaker?: Verdict;
  /** Texts that nothing the caller gets may have. */
  readonly secret?: readonly string[];
}

type More = Omit<Expected, 'status' | 'code' | 'retryable' | 'effect'>;

export function fails(code: string, retryable: boolean, effect: Effect, more: More = {}): Expected {
  return { status: 'error', code, retryable, effect, ...more };
}

export function declines(reason: string, more: More = {}): Expected {
  return {
    status: 'declined',
    code: 'TOOL_DECLINED',
    retryable: false,
    effect: 'completed',
    reason,
    ...more,
  };
}

export function succeeds(result: unknown, more: More = {}): Expected {
  return { status: 'ok', result, ...more };
}

/** The category of every code, written down from the taxonomy and not taken from the product. */
const CATEGORY: Readonly<Record<string, string>> = {
  TOOL_NOT_FOUND: 'not_found',
  TOOL_REGISTRATION_FAILED: 'configuration',
  TOOL_EXECUTION_FAILED: 'execution',
  TOOL_TIMEOUT: 'timeout',
  TOOL_CANCELLED: 'cancelled',
  TOOL_VALIDATION_ERROR: 'validation',
  TOOL_ARGUMENT_ERROR: 'validation',
  TOOL_RESULT_ERROR: 'validation',
  TOOL_RATE_LIMITED: 'rate_limit',
  TOOL_CIRCUIT_OPEN: 'circuit_open',
  BULKHEAD_FULL: 'bulkhead_full',
  MCP_CONNECTION_FAILED: 'connection',
  MCP_TRANSPORT_ERROR: 'connection',
  MCP_SERVER_ERROR: 'execution',
  MCP_TIMEOUT: 'timeout',
  RESOURCE_EXHAUSTED: 'bulkhead_full',
  CONFIGURATION_ERROR: 'configuration',
  TOOL_DECLINED: 'declined',
  TOOL_NOT_PERMITTED: 'permission',
  UPSTREAM_FORBIDDEN: 'permission',
  UPSTREAM_AUTH_FAILED: 'configuration',
  UPSTREAM_QUOTA_EXHAUSTED: 'configuration',
  UPSTREAM_INVALID_REQUEST: 'validation',
  UPSTREAM_REJECTED: 'execution',
  UPSTREAM_SERVER_ERROR: 'execution',
  UPSTREAM_UNAVAILABLE: 'connection',
  TOOL_CONNECTION_FAILED: 'connection',
  TOOL_TRANSPORT_ERROR: 'connection',
  TOOL_RESULT_TOO_LARGE: 'validation',
  TOOL_INPUT_REQUIRED: 'validation',
  IDEMPOTENCY_CONFLICT: 'validation',
  DEPENDENCY_FAILED: 'cancelled',
  UNMAPPED_FAILURE: 'execution',
};

const NEVER_RETRYABLE = new Set([
  'validation',
  'not_found',
  'cancelled',
  'configuration',
  'permission',
  'declined',
]);

const STOPPED_BY =
  /^(max_attempts|deadline|retry_after_exceeds_deadline|budget|unsafe_to_repeat|upstream_said_no|not_retryable)$/;
const CLASSIFIED_BY = /^(gateway|author|upstream|status|transport|mcp|type|text)$/;

/** What every ErrorInfo must be, and what the row says of this one. */
export function expectInfo(info: ErrorInfo | null | undefined, expected: Expected): void {
  if (info === null || info === undefined) throw new Error('there is no error_info');
  const { code, category, retryable, effect, details, message } = info;
  // As one object, so that a wrong row shows everything that came back.
  expect({ code, retryable, effect, retry: info.retry_after_ms, details, message }).toMatchObject({
    ...(expected.code !== undefined && { code: expected.code }),
    ...(expected.retryable !== undefined && { retryable: expected.retryable }),
    ...(expected.effect !== undefined && { effect: expected.effect }),
    ...(!Array.isArray(expected.retry) && { retry: expected.retry ?? null }),
    ...(expected.details && { details: expected.details }),
  });
  expect(category).toBe(CATEGORY[code]);
  expect(info.reason).toBe(
    expected.reason ?? (code === 'UNMAPPED_FAILURE' ? 'unmapped_failure' : undefined),
  );
  if (Array.isArray(expected.retry)) {
    const [min, max] = expected.retry as [number, number];
    expect(info.retry_after_ms).toBeGreaterThanOrEqual(min);
    expect(info.retry_after_ms).toBeLessThanOrEqual(max);
  }
  if (info.retry_after_ms !== null) {
    expect(Number.isInteger(info.retry_after_ms)).toBe(true);
    expect(info.retry_after_ms).toBeLessThanOrEqual(86_400_000);
  }
  if (retryable) {
    expect(NEVER_RETRYABLE).not.toContain(category);
    expect(details.transient).toBe(true);
  }
  expect(details.tool_name).toBeTypeOf('string');
  expect(details.attempts).toBeTypeOf('number');
  expect(details.transient).toBeTypeOf('boolean');
  expect(details.classified_by).toMatch(CLASSIFIED_BY);
  const stoppedBy = details['retry_stopped_by'];
  if (stoppedBy !== undefined) expect(stoppedBy).toMatch(STOPPED_BY);
  // In seconds, by the name that older clients know.
  if (
    code === 'TOOL_RATE_LIMITED' &&
    info.retry_after_ms !== null &&
    details['retry_after'] !== undefined
  ) {
    expect(details['retry_after']).toBeCloseTo(info.retry_after_ms / 1000, 2);
  }
  expect(message).not.toBe('');
  if (expected.message) expect(message).toMatch(expected.message);
  for (const key of expected.without ?? []) expect(details).not.toHaveProperty(key);
}

/** What every result must be, and what the row says of this one. */
export function expectResult(result: WireResult, expected: Expected): void {
  if (expected.status === 'ok') {
    expect(result).toMatchObject({ status: 'ok', error: null, error_info: null });
    if (expected.result !== undefined) expect(result.result).toEqual(expected.result);
  } else {
    expectInfo(result.error_info, expected);
    expect(result).toMatchObject({ status: expected.status, result: null });
    expect(result.error).toBe(result.error_info?.message);
    expect(result.error_info?.details.attempts).toBe(result.attempts);
    const log = result.error_info?.details['attempt_log'];
    if (log !== undefined) expect(log).toHaveLength(result.attempts);
  }
  if (expected.attempts !== undefined) expect(result.attempts).toBe(expected.attempts);
  const text = JSON.stringify(result);
  for (const secret of expected.secret ?? []) expect(text).not.toContain(secret);
}

// ---- Rows ----

export interface ToolConfig {
  readonly method?: string;
  /** From the origin; `/` unless given. */
  readonly path?: string;
  /** Instead of the upstream: a port that nobody listens on, TLS towards a port without, or a whole one. */
  readonly origin?: string;
  readonly http?: object;
  readonly [key: string]: unknown;
}

export interface Row {
  readonly name: string;
  readonly tool: ToolConfig;
  /** One step a request; the last repeats. */
  readonly script: readonly Step[];
  readonly expected: Expected;
  readonly args?: unknown;
  /** More of the call: `timeout_ms`, `idempotency_key`. */
  readonly call?: object;
  /** More of the batch: `deadline_ms`. */
  readonly envelope?: object;
}

export function row(
  name: string,
  tool: ToolConfig,
  script: Step | readonly Step[],
  expected: Expected,
  more: Pick<Row, 'args' | 'call' | 'envelope'> = {},
): Row {
  return {
    name,
    tool,
    script: Array.isArray(script) ? script : [script as Step],
    expected,
    ...more,
  };
}

export const GET: ToolConfig = { method: 'GET', retry: false };
export const POST: ToolConfig = { method: 'POST', retry: false };

/** Three attempts that hardly wait. */
export const QUICK_RETRY = { max_attempts: 3, base_ms: 1, max_ms: 2, max_wait_ms: 2000 };
export const GET3: ToolConfig = { method: 'GET', retry: QUICK_RETRY };
export const POST3: ToolConfig = { method: 'POST', retry: QUICK_RETRY };

const DEFAULTS = {
  timeout_ms: 2000,
  retry: QUICK_RETRY,
  breaker: false,
  bulkhead: { max_concurrent: 100, max_queue: 100 },
};
/** Longer than a call of a twin takes; each file waits for it once. */
const OPEN_MS = 400;
const TWIN = { retry: false, breaker: { min_calls: 1, failure_rate: 1, open_ms: OPEN_MS } };

export interface Received {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
  /** `performance.now()` at its arrival. */
  readonly at: number;
}

/** An upstream with a script for each first part of the path. */
export class Upstream {
  readonly #server = createServer((request, response) => {
    this.#take(request, response);
  });
  readonly #scripts = new Map<string, readonly Step[]>();
  readonly #received = new Map<string, Received[]>();

  async listen(): Promise<string> {
    this.#server.on('connection', (socket) => socket.on('error', () => undefined));
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return `127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  script(name: string, ...steps: readonly Step[]): void {
    this.#scripts.set(name, steps);
    this.#received.set(name, []);
  }

  received(name: string): readonly Received[] {
    return this.#received.get(name) ?? [];
  }

  close(): Promise<void> {
    this.#server.closeAllConnections();
    return new Promise((resolve) => {
      this.#server.close(() => {
        resolve();
      });
    });
  }

  #take(request: IncomingMessage, response: ServerResponse): void {
    const [, name = '', rest = ''] = /^\/([^/?]*)(.*)$/.exec(request.url ?? '') ?? [];
    const received = this.#received.get(name);
    const steps = this.#scripts.get(name);
    if (received === undefined || steps === undefined) throw new Error(`no script for ${name}`);
    const step = steps[Math.min(received.length, steps.length - 1)] ?? ok;
    const { method = '', headers } = request;
    const chunks: Buffer[] = [];
    const entry = { method, url: rest, headers, body: '', at: performance.now() };
    received.push(entry);
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      entry.body = Buffer.concat(chunks).toString('utf8');
      if (typeof step === 'function') step(request, response);
      else if (step.delayMs === undefined) send(step, response);
      else
        setTimeout(() => {
          send(step, response);
        }, step.delayMs);
    });
  }
}

function send(step: Answer, response: ServerResponse): void {
  const { status, headers = {}, body = '', date = true, keepAlive = false } = step;
  const plain = typeof body === 'string' || Buffer.isBuffer(body);
  response.sendDate = date;
  // A new connection for every request, so that no row depends on what another left in the pool.
  response.shouldKeepAlive = keepAlive;
  response.writeHead(status, {
    ...(!plain && { 'content-type': 'application/json' }),
    ...(typeof headers === 'function' ? headers() : headers),
  });
  response.end(plain ? body : JSON.stringify(body));
}

async function refusedPort(): Promise<number> {
  const server = createTcpServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** A tool's entry in the configuration. */
export function toolEntry(name: string, tool: ToolConfig, host: string, refused = 0): object {
  const { method = 'GET', path = '/', origin, http = {}, ...rest } = tool;
  const base =
    origin === undefined
      ? `http://${host}/${name}`
      : origin.replace('REFUSED', `127.0.0.1:${refused}`).replace('HOST', host);
  return {
    name,
    description: name,
    input_schema: { type: 'object' },
    http: { method, url: `${base}${path}`, ...http },
    ...rest,
  };
}

/** Runs groups of rows as one file. */
export function runRows(groups: Readonly<Record<string, readonly Row[]>>): void {
  const rows = Object.values(groups).flat();
  const upstream = new Upstream();
  let harness: Harness;

  beforeAll(async () => {
    const host = await upstream.listen();
    const refused = await refusedPort();
    const tools = rows.flatMap(({ tool, script, expected }, index) => {
      upstream.script(`case${index}`, ...script);
      upstream.script(`twin${index}`, ...script);
      return [
        toolEntry(`case${index}`, tool, host, refused),
        ...(expected.breaker === undefined
          ? []
          : [toolEntry(`twin${index}`, { ...tool, ...TWIN }, host, refused)]),
      ];
    });
    harness = await startHarness({ defaults: DEFAULTS, tools });
    for (const [index, { expected }] of rows.entries()) {
      if (expected.breaker !== undefined) pipeline(`twin${index}`).forceBreaker('open');
    }
    await new Promise((resolve) => setTimeout(resolve, OPEN_MS + 20));
  });

  afterAll(async () => {
    await harness.close();
    await upstream.close();
  });

  function pipeline(name: string) {
    const tool = harness.gateway.find(name);
    if (tool === undefined) throw new Error(`no tool ${name}`);
    return tool.pipeline;
  }

  const VERDICTS = { closed: 'success', open: 'failure', half_open: 'neutral' } as const;

  async function callRow(name: string, { args, call, envelope }: Row): Promise<WireResult> {
    const given = args === undefined ? {} : { arguments: args };
    const [result] = await harness.call([{ tool: name, ...given, ...call }], envelope);
    return result!;
  }

  for (const [group, members] of Object.entries(groups)) {
    describe(group, () => {
      for (const one of members) {
        const index = rows.indexOf(one);
        it(one.name, async () => {
          const { expected } = one;
          const result = await callRow(`case${index}`, one);
          expectResult(result, expected);
          const requests = upstream.received(`case${index}`);
          expect(requests).toHaveLength(expected.requests ?? 1);
          const last = one.script[Math.min(requests.length, one.script.length) - 1];
          const info = result.error_info;
          if (info?.details.classified_by === 'status' && typeof last === 'object') {
            expect(info.details['upstream_status']).toBe(last.status);
          }
          if (expected.breaker === undefined) return;
          await callRow(`twin${index}`, one);
          const state = pipeline(`twin${index}`).snapshot().breaker?.state ?? 'closed';
          expect(`breaker ${VERDICTS[state]}`).toBe(`breaker ${expected.breaker}`);
        });
      }
    });
  }
}
