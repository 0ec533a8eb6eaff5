// A raw TCP server that can do to an HTTP client everything that real ones do: it parses a request
// only as far as it must, and what it answers is bytes. For whole answers see `scripted-upstream.ts`.
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { gzipSync } from 'node:zlib';

export interface FaultyRequest {
  readonly method: string;
  readonly target: string;
  /** Lower-case names; the last of several. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Which connection, from 1. */
  readonly connection: number;
  /** Which request on its connection, from 1. */
  readonly onConnection: number;
  /** Which request of all, from 1. */
  readonly nth: number;
}

/** What happens to a request. */
export type Behaviour = (socket: Socket, request: FaultyRequest) => void;

export interface FaultyServer {
  readonly port: number;
  /** `http://127.0.0.1:PORT` */
  readonly origin: string;
  /** Every request that was read whole. */
  readonly requests: FaultyRequest[];
  /** Connections that are open now. */
  readonly sockets: ReadonlySet<Socket>;
  /** Connections accepted so far. */
  readonly accepted: number;
  /** Replaces the behaviour; with several, the nth request gets the nth, and the last repeats. */
  behave(...behaviours: Behaviour[]): void;
  /** Resolves once no connection is open. */
  idle(): Promise<void>;
  close(): Promise<void>;
}

/** Starts it on a free loopback port. */
export async function startFaultyServer(...initial: Behaviour[]): Promise<FaultyServer> {
  let behaviours = initial;
  const first = { nth: 0 };
  const requests: FaultyRequest[] = [];
  const sockets = new Set<Socket>();
  const waiting: (() => void)[] = [];
  let accepted = 0;
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    const connection = ++accepted;
    let onConnection = 0;
    sockets.add(socket);
    socket.on('close', () => {
      sockets.delete(socket);
      if (sockets.size === 0) for (const wake of waiting.splice(0)) wake();
    });
    socket.on('error', () => undefined);
    socket.on('end', () => socket.end());
    readRequests(socket, (parsed) => {
      const request = {
        ...parsed,
        connection,
        onConnection: ++onConnection,
        nth: requests.length + 1,
      };
      requests.push(request);
      const step = Math.min(request.nth - first.nth, behaviours.length) - 1;
      behaviours[step]?.(socket, request);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    port,
    origin: `http://127.0.0.1:${port}`,
    requests,
    sockets,
    get accepted() {
      return accepted;
    },
    behave: (...next) => {
      behaviours = next;
      first.nth = requests.length;
    },
    idle: () =>
      sockets.size === 0 ? Promise.resolve() : new Promise((resolve) => waiting.push(resolve)),
    close: () => {
      for (const socket of sockets) socket.destroy();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

type Parsed = Pick<FaultyRequest, 'method' | 'target' | 'headers' | 'body'>;

/** Requests with a Content-Length or no body; that is all that our client sends. */
export function readRequests(socket: Socket, onRequest: (request: Parsed) => void): void {
  let buffered = Buffer.alloc(0);
  socket.on('data', (chunk) => {
    buffered = Buffer.concat([buffered, chunk]);
    for (;;) {
      const end = buffered.indexOf('\r\n\r\n');
      if (end === -1) return;
      const [line = '', ...fields] = buffered.toString('latin1', 0, end).split('\r\n');
      const headers = Object.fromEntries(
        fields.map((field) => {
          const at = field.indexOf(':');
          return [field.slice(0, at).toLowerCase(), field.slice(at + 1).trim()];
        }),
      );
      const length = Number(headers['content-length'] ?? 0);
      if (buffered.length < end + 4 + length) return;
      const body = buffered.toString('utf8', end + 4, end + 4 + length);
      buffered = buffered.subarray(end + 4 + length);
      const [method = '', target = ''] = line.split(' ');
      onRequest({ method, target, headers, body });
    }
  });
}

/** A port that nobody listens on. */
export async function refusedPort(): Promise<number> {
  const server = await startFaultyServer();
  await server.close();
  return server.port;
}

// ---- Behaviours ----

/** A head with these lines, then the body, byte for byte; `content-length` unless given or chunked. */
export function answer(
  status: number,
  headers: Readonly<Record<string, string | readonly string[]>>,
  body: string | Uint8Array = '',
): Behaviour {
  const bytes = Buffer.from(body as string);
  const names = Object.keys(headers).map((name) => name.toLowerCase());
  const framed = names.includes('content-length') || names.includes('transfer-encoding');
  const lines = Object.entries(headers).flatMap(([name, value]) =>
    [value].flat().map((one) => `${name}: ${one}`),
  );
  if (!framed) lines.push(`content-length: ${bytes.length}`);
  const head = `HTTP/1.1 ${status} Whatever\r\n${lines.join('\r\n')}\r\n\r\n`;
  return (socket) => {
    socket.write(Buffer.concat([Buffer.from(head, 'latin1'), bytes]));
  };
}

export function json(value: unknown, status = 200): Behaviour {
  return answer(status, { 'content-type': 'application/json' }, JSON.stringify(value));
}

/** Writes these bytes and leaves the connection open. */
export function raw(bytes: string | Uint8Array): Behaviour {
  return (socket) => {
    socket.write(bytes);
  };
}

/** Reads the request and never answers. */
export const hang: Behaviour = () => undefined;

/** Reads the request, then resets the connection (RST). */
export const reset: Behaviour = (socket) => {
  // One that is ending already would wait for an end that a gone peer never lets come.
  if (socket.writableEnded) socket.destroy();
  else socket.resetAndDestroy();
};

/** Reads the request, then closes in order (FIN) without an answer. */
export const hangUp: Behaviour = (socket) => {
  socket.end();
};

/** Does this, then resets once the bytes are out and had `afterMs` to arrive. */
export function thenReset(behaviour: Behaviour, afterMs = 30): Behaviour {
  return (socket, request) => {
    behaviour(socket, request);
    socket.write('', () => {
      // A reset throws away what the peer has not read.
      setTimeout(() => {
        reset(socket, request);
      }, afterMs);
    });
  };
}

/** Does this, then closes in order. */
export function thenHangUp(behaviour: Behaviour): Behaviour {
  return (socket, request) => {
    behaviour(socket, request);
    socket.end();
  };
}

/** An answer whose body comes one byte at a time and never ends. */
export function drip(everyMs: number): Behaviour {
  return (socket) => {
    socket.write('HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\ncontent-length: 100000\r\n\r\n');
    const timer = setInterval(() => socket.write('.'), everyMs);
    socket.on('close', () => {
      clearInterval(timer);
    });
  };
}

/** A small gzip body that unfolds into `size` spaces. */
export function gzipBomb(size: number, status = 200): Behaviour {
  const headers = { 'content-type': 'application/json', 'content-encoding': 'gzip' };
  return answer(status, headers, gzipSync(Buffer.alloc(size, 0x20)));
}

/** A body in chunks (`transfer-encoding: chunked`), without its end unless asked for. */
export function chunked(
  type: string,
  chunks: readonly (string | Uint8Array)[],
  end = true,
): Behaviour {
  return (socket) => {
    socket.write(`HTTP/1.1 200 OK\r\ncontent-type: ${type}\r\ntransfer-encoding: chunked\r\n\r\n`);
    for (const chunk of chunks) {
      const bytes = Buffer.from(chunk as string);
      socket.write(`${bytes.length.toString(16)}\r\n`);
      socket.write(bytes);
      socket.write('\r\n');
    }
    if (end) socket.write('0\r\n\r\n');
  };
}
