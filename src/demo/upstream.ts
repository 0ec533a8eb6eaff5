// The demo's upstream: a real HTTP server on a loopback port, with one route for each kind of
// outcome, so that a newcomer sees every category with curl in the first minute.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

type Handler = (request: IncomingMessage, response: ServerResponse, query: URLSearchParams) => void;

function json(response: ServerResponse, status: number, body: unknown, headers = {}): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(JSON.stringify(body));
}

function createHandlers(): Record<string, Handler> {
  const calls = new Map<string, number>();
  const nth = (name: string): number => {
    const n = (calls.get(name) ?? 0) + 1;
    calls.set(name, n);
    return n;
  };
  return {
    '/weather': (_request, response, query) => {
      json(response, 200, {
        city: query.get('city'),
        days: Number(query.get('days') ?? 1),
        forecast: 'light rain',
        high_c: 7,
      });
    },
    '/flaky': (_request, response) => {
      // Every other answer fails: one retry mends it.
      if (nth('flaky') % 2 === 1) json(response, 503, { error: 'warming up' });
      else json(response, 200, { value: 42 });
    },
    '/limited': (_request, response) => {
      json(response, 429, { error: { message: 'Slow down.' } }, { 'retry-after': '30' });
    },
    '/slow': (_request, response) => {
      const timer = setTimeout(() => {
        json(response, 200, { done: true });
      }, 5_000);
      response.on('close', () => {
        clearTimeout(timer);
      });
    },
    '/booking': (_request, response) => {
      json(response, 409, { error: { code: 'fare_not_refundable' } });
    },
    '/charge': (request, response) => {
      // The payment lands, then the connection dies before the answer: did it happen?
      request.resume();
      request.on('end', () => {
        response.destroy();
      });
    },
    '/broken': (_request, response) => {
      json(response, 500, { error: 'null pointer' });
    },
    '/forbidden': (_request, response) => {
      json(response, 403, { message: 'Not yours.' });
    },
    '/strict': (_request, response) => {
      json(response, 422, { detail: 'amount: must be positive' });
    },
    '/no-credit': (_request, response) => {
      json(response, 429, {
        error: { code: 'insufficient_quota', message: 'You exceeded your current quota.' },
      });
    },
  };
}

export interface DemoUpstream {
  /** `http://127.0.0.1:PORT`. */
  readonly url: string;
  close(): void;
}

/** Starts the demo's upstream on a free loopback port; it does not keep the process alive. */
export async function startDemoUpstream(): Promise<DemoUpstream> {
  const handlers = createHandlers();
  const server: Server = createServer((request, response) => {
    // Not `new URL`: a request for `//` would throw, and with it end the gateway beside it.
    const [path = '', query = ''] = (request.url ?? '').split('?', 2);
    const handler = handlers[path];
    if (handler === undefined) json(response, 404, { error: 'no such route' });
    else handler(request, response, new URLSearchParams(query));
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  server.unref();
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
