// A real gateway in a process of its own, as `npm start` runs it, on a free port.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';

const START_LIMIT_MS = 15_000;

export const repository: string = fileURLToPath(new URL('../..', import.meta.url));

export interface GatewayProcess {
  /** `http://127.0.0.1:PORT`. */
  readonly url: string;
  stop(): Promise<void>;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

async function untilReady(child: ChildProcess, url: string, errors: () => string): Promise<void> {
  const limit = performance.now() + START_LIMIT_MS;
  while (performance.now() < limit && child.exitCode === null) {
    const answer = await fetch(`${url}/readyz`).catch(() => undefined);
    if (answer?.ok === true) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error(`the gateway did not start: ${errors()}`);
}

/** Starts the gateway; `env` names another configuration than the demo's. */
export async function startGateway(env: Record<string, string> = {}): Promise<GatewayProcess> {
  const port = await freePort();
  const child = spawn(process.execPath, ['dist/src/cli.js', 'serve'], {
    cwd: repository,
    env: { ...process.env, HOST: '127.0.0.1', PORT: String(port), LOG_LEVEL: 'fatal', ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let errors = '';
  child.stderr.on('data', (chunk: Buffer) => (errors = (errors + chunk.toString()).slice(-4000)));
  const url = `http://127.0.0.1:${port}`;
  const stop = async (): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, 'exit');
    child.kill('SIGTERM');
    const hard = setTimeout(() => child.kill('SIGKILL'), 5000);
    await exited;
    clearTimeout(hard);
  };
  try {
    await untilReady(child, url, () => errors);
  } catch (error) {
    await stop();
    throw error;
  }
  return { url, stop };
}
