// Hears of changes in a server's tools: unasked in the old revisions, over a subscription since
// 2026-07-28, which is opened anew when it ends.
import { setTimeout as delay } from 'node:timers/promises';
import type { Connection } from './connection.js';

const FIRST_WAIT_MS = 1_000;
const MAX_WAIT_MS = 60_000;

/** Calls `onChanged` whenever the tools may have changed, for as long as the connection lives. */
export function watchTools(connection: Connection, onChanged: () => void): void {
  const { client } = connection;
  client.setNotificationHandler('notifications/tools/list_changed', () => onChanged());
  const announces = client.getServerCapabilities()?.tools?.listChanged === true;
  if (connection.modern && announces) void keepListening(connection, onChanged);
}

async function keepListening(connection: Connection, onChanged: () => void): Promise<void> {
  for (let waitMs = FIRST_WAIT_MS; ; waitMs = Math.min(2 * waitMs, MAX_WAIT_MS)) {
    try {
      const subscription = await connection.client.listen({ toolsListChanged: true });
      // What changed before it was open was announced to nobody.
      if (waitMs > FIRST_WAIT_MS) onChanged();
      const openedAt = performance.now();
      await subscription.closed;
      if (performance.now() - openedAt > MAX_WAIT_MS) waitMs = FIRST_WAIT_MS;
    } catch {
      // Refused or lost: tried again below.
    }
    if (connection.closed) return;
    await delay(waitMs, undefined, { ref: false });
    if (isClosed(connection)) return;
  }
}

/** Asked anew after a wait, which the compiler does not see. */
function isClosed(connection: Connection): boolean {
  return connection.closed;
}
