// Cases of MCP tools as rows, as `table.ts` has them for HTTP: what the server does with each
// `tools/call`, and what must come back. All rows of a file share one gateway and one real server
// over HTTP; each row has a tool of its own, and a twin of it where the breaker's verdict is asked.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type Exchange,
  type FaultyServer,
  startFaultyServer,
} from '../fixtures/mcp/faulty-http.js';
import { type Harness, startHarness, type WireResult } from '../support/harness.js';
import { type Expected, expectResult, QUICK_RETRY } from './table.js';

// ---- What a server does ----

export type Act = (exchange: Exchange) => void;

export const result =
  (value: unknown): Act =>
  (exchange) => {
    exchange.result(value);
  };

export const content = (text: string): object => ({ content: [{ type: 'text', text }] });

export const says = (text: string): Act => result(content(text));

/** `isError`, with this text and these members beside it. */
export const failed = (text: string, more: object = {}): Act =>
  result({ ...content(text), isError: true, ...more });

export const rpcError =
  (code: number, message: string, data?: unknown): Act =>
  (exchange) => {
    exchange.error(code, message, data);
  };

export const status =
  (code: number, headers: Record<string, string> = {}, body: string | object = ''): Act =>
  (exchange) => {
    const plain = typeof body === 'string';
    const type = { 'content-type': plain ? 'text/plain' : 'application/json' };
    exchange.raw(code, { ...type, ...headers }, plain ? body : JSON.stringify(body));
  };

/** A body of this type with 200. */
export const body = (type: string, text: string): Act =>
  status(200, { 'content-type': type }, text);

/** These bytes as the beginning of an SSE stream, and then an end of it. */
export const sse =
  (bytes: string, end: 'end' | 'reset' | 'open'): Act =>
  ({ response }) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(bytes, () => {
      if (end === 'end') response.end();
      // A reset throws away what the peer has not read.
      else if (end === 'reset') setTimeout(() => response.socket?.resetAndDestroy(), 20);
    });
  };

export const hang: Act = () => undefined;

export const reset: Act = ({ request }) => {
  request.socket.resetAndDestroy();
};

export const hangUp: Act = ({ request }) => {
  request.socket.end();
};

// ---- Rows ----

export interface Offered {
  readonly annotations?: object;
  readonly inputSchema?: object;
  readonly outputSchema?: object;
  /** By a server whose annotations count. */
  readonly trusted?: boolean;
}

export interface McpRow {
  readonly name: string;
  readonly tool: Offered;
  readonly script: readonly Act[];
  readonly expected: Expected;
  readonly args?: object;
}

export function row(
  name: string,
  tool: Offered,
  script: Act | readonly Act[],
  expected: Expected,
  args?: object,
): McpRow {
  const steps = Array.isArray(script) ? (script as readonly Act[]) : [script as Act];
  return { name, tool, script: steps, expected, ...(args !== undefined && { args }) };
}

/** Nothing is known of it: it is not to be repeated. */
export const WRITES: Offered = {};
/** It may be repeated, and a trusted server says so. */
export const READS: Offered = { trusted: true, annotations: { readOnlyHint: true } };

const OPEN_MS = 400;
const POLICY = { timeout_ms: 500, retry: QUICK_RETRY, breaker: false };
const TWIN = {
  timeout_ms: 500,
  retry: false,
  breaker: { scope: 'tool', min_calls: 1, failure_rate: 1, open_ms: OPEN_MS },
};

interface Options {
  /** More of every server's configuration: `errors`, `result`. */
  readonly server?: object;
}

/** Runs groups of rows as one file. */
export function runMcpRows(
  groups: Readonly<Record<string, readonly McpRow[]>>,
  options: Options = {},
): void {
  const rows = Object.values(groups).flat();
  const counts = new Map<string, number>();
  let server: FaultyServer;
  let harness: Harness;

  function onCall(exchange: Exchange): void {
    const name = String(exchange.params['name']);
    const nth = counts.get(name) ?? 0;
    counts.set(name, nth + 1);
    const { script } = rows[Number(/\d+$/.exec(name)?.[0])]!;
    script[Math.min(nth, script.length - 1)]?.(exchange);
  }

  const nameOf = (index: number): string =>
    `${rows[index]?.tool.trusted === true ? 'safe' : 'case'}${index}`;
  const named = (name: string, { annotations, inputSchema, outputSchema }: Offered): object => ({
    name,
    inputSchema: inputSchema ?? { type: 'object' },
    ...(annotations && { annotations }),
    ...(outputSchema && { outputSchema }),
  });

  beforeAll(async () => {
    server = await startFaultyServer({
      onCall,
      tools: () => ({
        tools: rows.flatMap(({ tool, expected }, index) => [
          named(nameOf(index), tool),
          ...(expected.breaker === undefined ? [] : [named(`twin-${nameOf(index)}`, tool)]),
        ]),
      }),
    });
    const entry = (name: string, pattern: string, more: object): object => ({
      name,
      url: server.url,
      prefix: '',
      tools: [pattern],
      ...more,
      ...options.server,
    });
    harness = await startHarness({
      mcp_servers: [
        entry('srv', 'case*', POLICY),
        entry('trusted', 'safe*', { ...POLICY, trusted: true }),
        entry('twins', 'twin-case*', TWIN),
        entry('trusted-twins', 'twin-safe*', { ...TWIN, trusted: true }),
      ],
    });
    for (const [index, { expected }] of rows.entries()) {
      if (expected.breaker !== undefined) pipeline(`twin-${nameOf(index)}`).forceBreaker('open');
    }
    await new Promise((resolve) => setTimeout(resolve, OPEN_MS + 20));
  });

  afterAll(async () => {
    await harness.close();
    await server.close();
  });

  function pipeline(name: string) {
    const tool = harness.gateway.find(name);
    if (tool === undefined) throw new Error(`no tool ${name}`);
    return tool.pipeline;
  }

  const VERDICTS = { closed: 'success', open: 'failure', half_open: 'neutral' } as const;
  const call = (name: string, { args }: McpRow): Promise<WireResult> =>
    harness.callOne(name, args ?? {});

  for (const [group, members] of Object.entries(groups)) {
    describe(group, () => {
      for (const one of members) {
        const name = nameOf(rows.indexOf(one));
        it(one.name, async () => {
          const { expected } = one;
          const told = await call(name, one);
          expectResult(told, expected);
          expect(counts.get(name) ?? 0).toBe(expected.requests ?? 1);
          const info = told.error_info;
          if (info) expect(info.details['server_name']).toBe(one.tool.trusted ? 'trusted' : 'srv');
          if (expected.breaker === undefined) return;
          await call(`twin-${name}`, one);
          const state = pipeline(`twin-${name}`).snapshot().breaker?.state ?? 'closed';
          expect(`breaker ${VERDICTS[state]}`).toBe(`breaker ${expected.breaker}`);
        });
      }
    });
  }
}
