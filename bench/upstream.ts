// The upstream of the bench: HTTP/1.1 on a bare socket, so that it is the cheapest thing in the run.
// It speaks just what the measured tools send: GET without a body, keep-alive, no pipelining.
import { createServer, type Socket } from 'node:net';

const SLOW_MS = 200;
const FAIL_EVERY = 20;

const small = JSON.stringify({
  city: 'Oslo',
  days: 3,
  temperature_c: [4.5, 6.1, 3.9],
  wind: { speed_ms: 5.2, direction: 'NNW' },
  summary: 'Light rain in the morning, clearing later; cold at night.',
  station: 'no-18700-blindern',
});

const big = JSON.stringify({
  rows: Array.from({ length: 500 }, (_, row) => ({
    id: row,
    name: `Station ${row} — Østre ${row * 7}`,
    position: [59.9 + row / 1000, 10.7 + row / 1000],
    tags: ['weather', 'automatic', 'north'],
    note: 'Readings every ten minutes; the barometer was last calibrated in spring.',
  })),
});

function answer(status: string, body: string): Buffer {
  const bytes = Buffer.from(body);
  return Buffer.concat([
    Buffer.from(
      `HTTP/1.1 ${status}\r\ncontent-type: application/json\r\ncontent-length: ${bytes.length}\r\n\r\n`,
    ),
    bytes,
  ]);
}

const ok = answer('200 OK', small);
const okBig = answer('200 OK', big);
const failed = answer('500 Internal Server Error', '{"error":{"message":"something broke"}}');

let failCount = 0;

function respond(socket: Socket, path: string): void {
  if (path.startsWith('/fast')) socket.write(ok);
  else if (path.startsWith('/big')) socket.write(okBig);
  else if (path.startsWith('/slow')) setTimeout(() => socket.writable && socket.write(ok), SLOW_MS);
  else if (path.startsWith('/some')) socket.write(failCount++ % FAIL_EVERY === 0 ? failed : ok);
  else if (path.startsWith('/down')) socket.write(failed);
  else if (!path.startsWith('/hang')) socket.write(ok);
}

const server = createServer((socket) => {
  socket.setNoDelay(true);
  let pending = '';
  socket.on('data', (chunk: Buffer) => {
    pending += chunk.toString('latin1');
    if (!pending.endsWith('\r\n\r\n')) return;
    const path = pending.slice(4, pending.indexOf(' ', 4));
    pending = '';
    respond(socket, path);
  });
  socket.on('error', () => socket.destroy());
});

server.listen(Number(process.argv[2]), '127.0.0.1', 4096);
