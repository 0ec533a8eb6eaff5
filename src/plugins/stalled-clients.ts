// Clients that do not read. What waits for one holds memory, and nothing else would ever end it. A
// timer of its own is touched by every read and write of a connection, so only those get one for
// which something waits at the moment when all are looked at.
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { LiveList } from '../live-list.js';
import { latestResponse } from './latest-response.js';

/** A client that takes in nothing of what waits for it for this long has left in all but name. */
const STALLED_MS = 30_000;
const LOOKS = 3;

/**
 * Closes connections whose client stalls. One that only waits for its answer is no such client.
 *
 * @param stalledMs a client is let go after this time, or a third more
 */
export function closeStalledClients(server: Server, stalledMs = STALLED_MS): void {
  const open = new LiveList<Socket>();
  server.on('connection', (socket: Socket) => {
    const place = open.add(socket);
    socket.on('close', () => {
      open.remove(place);
    });
  });
  server.on('listening', () => {
    const look = setInterval(() => {
      for (const socket of open) {
        // Node begins anew whenever the client has taken something in; `timeout` says it is set.
        if (socket.writableLength > 0 && socket.timeout !== stalledMs) socket.setTimeout(stalledMs);
      }
    }, stalledMs / LOOKS).unref();
    server.once('close', () => {
      clearInterval(look);
    });
  });
  // Whoever listens here closes what Node would close: connections without a request for long, too.
  server.on('timeout', (socket: Socket) => {
    if (socket.writableLength === 0 && awaitsAnswer(socket)) socket.setTimeout(0);
    else socket.destroy();
  });
}

function awaitsAnswer(socket: Socket): boolean {
  return latestResponse(socket)?.writableFinished === false;
}
