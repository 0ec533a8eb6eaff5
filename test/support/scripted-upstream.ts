// A real HTTP server that answers from a script, one step a request; the last step repeats.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

export type Step =
  | {
      readonly status: number;
      readonly headers?: Record<string, string | string[]>;
      readonly body?: string | object;
      readonly delayMs?: number;
    }
  /** Reads the whole request, then resets the connection without an answer. */
  | { readonly reset: true }
  /** Reads the request and never answers. */
  | { readonly hang: true };

export interface ReceivedRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
  /** `performance.now()` when it had been read. */
  readonly at: number;
}

export interface ScriptedUpstream {
  readonly url: string;
  /** Every request that was read whole: what the application saw. */
  readonly requests: ReceivedRequest[];
  /** Connections that are open now. */
  readonly sockets: Set<Socket>;
  script(...steps: Step[]): void;
  close(): Promise<void>;
}

function answer(
  step: Exclude<Step, { reset: true } | { hang: true }>,
  response: ServerResponse,
): void {
  const { status, headers = {}, body = '' } = step;
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const type = typeof body === 'string' ? {} : { 'content-type': 'application/json' };
  response.writeHead(status, { ...type, ...headers });
  response.end(text);
}

/** Starts it on a free loopback port. */
export async function startScriptedUpstream(...steps: Step[]): Promise<ScriptedUpstream> {
  let script: Step[] = steps;
  const requests: ReceivedRequest[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      requests.push({
        method: request.method ?? '',
        url: request.url ?? '',
        headers: request.headers,
        body: Buffer.concat(chunks).toString('utf8'),
        at: performance.now(),
      });
      const step = script.length > 1 ? script.shift() : script[0];
      if (step === undefined) answer({ status: 200, body: { ok: true } }, response);
      else if ('reset' in step) request.socket.resetAndDestroy();
      else if ('hang' in step) return;
      else if (step.delayMs === undefined) answer(step, response);
      else
        setTimeout(() => {
          answer(step, response);
        }, step.delayMs);
    });
  });
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => undefined);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    sockets,
    script: (...next) => {
      script = next;
    },
    close: async () => {
      const closed = new Promise<void>((resolve) => {
        server.close(() => {
          resolve();
        });
      });
      server.closeAllConnections();
      await closed;
    },
  };
}

/** `count` times the same step. */
export function times(count: number, step: Step): Step[] {
  return Array.from({ length: count }, () => step);
}
