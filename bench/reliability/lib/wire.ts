// A client that loses count of nothing: it posts a batch in one of the formats and reads one result
// per call out of the answer, or says why there is none.
import { type Agent, request as httpRequest } from 'node:http';

/** How a batch is asked for and answered. */
export const WIRES = ['json', 'ndjson', 'sse', 'mcp'] as const;
export type Wire = (typeof WIRES)[number];

export interface Call {
  readonly id: string;
  readonly tool: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly idempotency_key?: string;
  readonly depends_on?: readonly string[];
}

/** What a caller was told about one call. */
export interface Told {
  readonly id: string;
  /** A code of the catalogue, or `ok`. */
  readonly code: string;
  readonly retryable: boolean;
  /** Empty where the call was ok. */
  readonly effect: string;
  readonly retryAfterMs: number | null;
  readonly result: unknown;
}

export interface Answer {
  /** HTTP status; null: there was no whole answer. */
  readonly status: number | null;
  /** Why not: a code of the socket, `cut off`, `left`. */
  readonly failure: string | null;
  readonly results: readonly Told[];
}

export interface PostOptions {
  readonly agent: Agent;
  readonly wire?: Wire;
  readonly headers?: Readonly<Record<string, string>>;
  /** The client leaves after this, milliseconds. */
  readonly leaveAfterMs?: number;
}

const ACCEPT = {
  json: 'application/json',
  ndjson: 'application/x-ndjson',
  sse: 'text/event-stream',
  mcp: 'application/json, text/event-stream',
} as const satisfies Record<Wire, string>;

/** Posts a batch. Never rejects. */
export function post(
  origin: string,
  calls: readonly Call[],
  options: PostOptions,
): Promise<Answer> {
  const { agent, wire = 'json', headers, leaveAfterMs } = options;
  const body = JSON.stringify(wire === 'mcp' ? calls.map(asMcp) : { calls });
  return new Promise((resolve) => {
    let left = false;
    const fail = (failure: string): void => {
      clearTimeout(leaving);
      resolve({ status: null, failure, results: [] });
    };
    const request = httpRequest(
      `${origin}${wire === 'mcp' ? '/mcp' : '/v1/tool-calls'}`,
      {
        method: 'POST',
        agent,
        headers: {
          'content-type': 'application/json',
          'content-length': Buffer.byteLength(body),
          accept: ACCEPT[wire],
          ...headers,
        },
      },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', () => {
          fail(left ? 'left' : 'cut off');
        });
        response.on('end', () => {
          clearTimeout(leaving);
          const status = response.statusCode ?? 0;
          const text = Buffer.concat(chunks).toString('utf8');
          resolve({ status, failure: null, results: status === 200 ? read(text, wire) : [] });
        });
      },
    );
    const leaving =
      leaveAfterMs === undefined
        ? undefined
        : setTimeout(() => {
            left = true;
            request.destroy();
          }, leaveAfterMs);
    request.on('error', (error: NodeJS.ErrnoException) => {
      fail(left ? 'left' : (error.code ?? error.message));
    });
    request.end(body);
  });
}

function asMcp({ id, tool, arguments: args, idempotency_key: key }: Call): object {
  const meta = key !== undefined && { _meta: { toolgate: { idempotency_key: key } } };
  const params = { name: tool, arguments: args, ...meta };
  return { jsonrpc: '2.0', id, method: 'tools/call', params };
}

interface WireError {
  readonly code: string;
  readonly retryable: boolean;
  readonly effect: string;
  readonly retry_after_ms: number | null;
}

interface NativeResult {
  readonly id: string;
  readonly result: unknown;
  readonly error_info: WireError | null;
}

interface McpResponse {
  readonly id: string;
  readonly result?: { structuredContent?: { error_info?: WireError } };
  readonly error?: { code: number };
}

function read(text: string, wire: Wire): Told[] {
  switch (wire) {
    case 'json':
      return (JSON.parse(text) as { results: NativeResult[] }).results.map(ofNative);
    case 'ndjson':
      return text.split('\n').flatMap(resultIn);
    case 'sse':
      return events(text).flatMap(resultIn);
    case 'mcp':
      return events(text).map((line) => ofMcp(JSON.parse(line) as McpResponse));
  }
}

/** The data of each event. */
function events(text: string): string[] {
  return text.split('\n').flatMap((line) => (line.startsWith('data: ') ? [line.slice(6)] : []));
}

/** A line may be the closing one, which is no result. */
function resultIn(line: string): Told[] {
  return line.startsWith('{"id"') ? [ofNative(JSON.parse(line) as NativeResult)] : [];
}

function ofNative({ id, result, error_info: info }: NativeResult): Told {
  return told(id, info ?? undefined, result);
}

function ofMcp({ id, result, error }: McpResponse): Told {
  if (error === undefined) return told(id, result?.structuredContent?.error_info, result);
  return { ...told(id, undefined, null), code: `JSON-RPC ${error.code}` };
}

function told(id: string, info: WireError | undefined, result: unknown): Told {
  return {
    id,
    code: info?.code ?? 'ok',
    retryable: info?.retryable ?? false,
    effect: info?.effect ?? '',
    retryAfterMs: info?.retry_after_ms ?? null,
    result,
  };
}
