// Clients that do not read. What waits for one holds memory, and nothing else would ever end it.
import type { Server } from 'node:http';

/** A client that takes in nothing of what waits for it for this long has left in all but name. */
const STALLED_MS = 30_000;

/** Closes connections whose client stalls. One that only waits for its answer is no such client. */
export function closeStalledClients(server: Server): void {
  // Node calls back once neither end has sent or taken in anything for this long.
  server.setTimeout(STALLED_MS, (socket) => {
    if (socket.writableLength > 0) socket.destroy();
  });
}
