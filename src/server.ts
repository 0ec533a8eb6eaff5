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

const IDLE_SWEEP_MS = 100;
/** Time for the last answers to be written out. */
const LAST_BYTES_MS = 500;

/**
 * Leaves in order: not ready, no new work, calls in flight finish within `server.drain_timeout_ms`
 * and are cancelled after that, idle keep-alive connections are closed all the while.
 */
export async function drain(app: FastifyInstance, gateway: Gateway): Promise<void> {
  gateway.startDraining();
  const sweep = setInterval(() => {
    app.server.closeIdleConnections();
  }, IDLE_SWEEP_MS);
  try {
    const idle = await gateway.running.idle(gateway.config.server.drainTimeoutMs);
    if (!idle) {
      gateway.running.cancelAll('shutdown');
      await gateway.running.idle(IDLE_SWEEP_MS * 10);
    }
    // What is open now is idle, or never sent a request: closeIdleConnections misses the latter.
    const closed = app.close();
    setTimeout(() => {
      app.server.closeAllConnections();
    }, LAST_BYTES_MS).unref();
    await closed;
  } finally {
    clearInterval(sweep);
  }
  await gateway.close();
}
