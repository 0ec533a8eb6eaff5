// Which connections are closed for standing still, and which are not.
import { createServer, type RequestListener, type Server } from 'node:http';
import { once } from 'node:events';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { afterEach, expect, it, vi } from 'vitest';
import { followResponses } from '../../src/plugins/latest-response.js';
import { closeStalledClients } from '../../src/plugins/stalled-clients.js';

const STALLED_MS = 500;
/** More than what the system's buffers of a connection hold. */
const LARGE = Buffer.alloc(32 * 1024 * 1024);

let server: Server | undefined;
let client: Socket | undefined;

afterEach(() => {
  client?.destroy();
  server?.close();
  server?.closeAllConnections();
});

/** Sends one request; the server's end of the connection. */
async function ask(answer: RequestListener, keepAliveMs: number): Promise<Socket> {
  server = createServer(answer);
  server.keepAliveTimeout = keepAliveMs;
  followResponses(server);
  closeStalledClients(server, STALLED_MS);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  client = connect((server.address() as AddressInfo).port, '127.0.0.1');
  client.write('GET / HTTP/1.1\r\nhost: a\r\n\r\n');
  const [socket] = (await once(server, 'connection')) as [Socket];
  return socket;
}

it('one that takes in nothing of its answer is closed', async () => {
  const socket = await ask((_request, response) => response.end(LARGE), 0);
  await once(socket, 'close');
  expect(socket.bytesWritten).toBeGreaterThan(0);
});

it('one that takes it in slowly is not', async () => {
  const socket = await ask((_request, response) => response.end(LARGE), 0);
  const reader = client;
  let taken = 0;
  await new Promise<void>((resolve) => {
    reader?.on('data', (chunk: Buffer) => {
      taken += chunk.length;
      if (taken >= LARGE.length) resolve();
      reader.pause();
      setTimeout(() => reader.resume(), taken < 1_000_000 ? STALLED_MS / 10 : 0);
    });
  });
  expect(socket.destroyed).toBe(false);
});

it('one that waits for the rest of its answer is not, though its beginning was slow to leave', async () => {
  const socket = await ask((_request, response) => response.write(LARGE), 0);
  await vi.waitFor(() => {
    expect(socket.timeout).toBe(STALLED_MS);
  });
  client?.resume();
  await once(socket, 'timeout');
  expect([socket.writableLength, socket.destroyed, socket.timeout]).toEqual([0, false, 0]);
});

it('one that asks for nothing any more is closed after the time that Node gives it', async () => {
  const socket = await ask((_request, response) => response.end('x'), STALLED_MS);
  client?.resume();
  await once(socket, 'close');
});
