// Listening and leaving: refuses an open door, drains on the first signal, leaves at once on the
// second.
import type { AddressInfo } from 'node:net';
import type { FastifyInstance } from 'fastify';
import type { Gateway } from './gateway/gateway.js';
import { StartFault } from './environment.js';
import { isLoopback } from './plugins/loopback.js';

export interface ListenOptions {
  readonly host: string;
  readonly port: number;
  readonly allowAnonymous: boolean;
}

/**
 * Secure by default: without clients in the configuration only this machine is answered.
 *
 * @throws StartFault where that would be broken.
 */
export function refuseOpenDoor(gateway: Gateway, options: ListenOptions): void {
  if (gateway.clients.required || options.allowAnonymous || isLoopback(options.host)) return;
  throw new StartFault(
    `no clients are configured, so only loopback may be listened on, not ${options.host}: ` +
      'configure `clients:`, or set TOOLGATE_ALLOW_ANONYMOUS=true to answer anyone',
  );
}

/** Listens; returns the URL that is answered. */
export async function listen(app: FastifyInstance, options: ListenOptions): Promise<string> {
  try {
    await app.listen({ host: options.host, port: options.port });
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'unknown error';
    throw new StartFault(`cannot listen on ${options.host}:${options.port} (${code})`);
  }
  const { address, port, family } = app.server.address() as AddressInfo;
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
}

const SWEEP_MS = 100;
/** Time for the calls that outlasted the drain to be cancelled and answered. */
const LAST_ANSWERS_MS = 1_000;
/** Time for what is left to close by itself. */
const LAST_BYTES_MS = 500;

/**
 * Leaves in order: not ready, no new work; requests that were taken are answered to the last byte
 * within `server.drain_timeout_ms`, and their calls are cancelled after that; idle keep-alive
 * connections are closed all the while.
 */
export async function drain(app: FastifyInstance, gateway: Gateway): Promise<void> {
  const { server, taken } = app;
  gateway.startDraining();
  taken.closeConnections();
  const sweep = setInterval(() => {
    // By Node's measure a connection is idle while the end of a large answer still travels.
    if (!taken.delivering) server.closeIdleConnections();
  }, SWEEP_MS);
  try {
    if (!(await taken.idle(gateway.config.server.drainTimeoutMs))) {
      gateway.running.cancelAll('shutdown');
      await taken.idle(LAST_ANSWERS_MS);
    }
    // What is open now is idle, or never sent a whole request.
    const closed = app.close();
    setTimeout(() => {
      server.closeAllConnections();
    }, LAST_BYTES_MS).unref();
    await closed;
  } finally {
    clearInterval(sweep);
  }
  await gateway.close();
}
