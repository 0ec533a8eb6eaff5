// The processes of one bench run and how a load is put on one of them. Servers under measurement
// share one core in turns; upstream and load generator share the other.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Child, freePort, type Sample } from './child.js';
import type { LoadRequest, LoadResult } from './load-types.js';

const SERVER_CORE = 0;
const LOAD_CORE = 1;

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const GATEWAY_CONFIG = here('../gateway.yaml');

/** What `npm start` runs, without `node`. */
const { scripts } = JSON.parse(readFileSync(here('../../package.json'), 'utf8')) as {
  scripts: { start: string };
};
const START = scripts.start
  .split(' ')
  .slice(1)
  .map((word) => (word.endsWith('.js') ? here(`../../${word}`) : word));

/** One server under measurement. */
export interface Server {
  readonly name: string;
  readonly origin: string;
  readonly child: Child;
}

/** A load and what it cost the server. */
export interface Measured extends LoadResult {
  readonly callsPerSecond: number;
  readonly cpuUsPerCall: number;
  /** The share of its core that the server had, 0..1; below 1 in a closed loop, others held it up. */
  readonly coreShare: number;
  readonly before: Sample;
  readonly after: Sample;
}

/** The body of a batch of `size` calls of one tool. */
export function batch(
  tool: string,
  size: number,
  args: object = { city: 'Oslo', days: 3 },
): string {
  const calls = Array.from({ length: size }, (_, index) => ({
    id: `c${index}`,
    tool,
    arguments: args,
  }));
  return JSON.stringify({ calls });
}

/** Starts a gateway from `dist` with the given configuration file. */
export async function startGateway(
  config: string,
  env: Readonly<Record<string, string>>,
): Promise<Server> {
  const port = await freePort();
  const child = new Child({
    argv: START,
    typescript: false,
    core: SERVER_CORE,
    env: {
      TOOLGATE_CONFIG: config,
      HOST: '127.0.0.1',
      PORT: String(port),
      LOG_LEVEL: 'info',
      ...env,
    },
  });
  const origin = `http://127.0.0.1:${port}`;
  await child.ready(`${origin}/livez`);
  return { name: 'gateway', origin, child };
}

/** Everything that runs during the bench. */
export class Rig {
  readonly upstreamOrigin: string;
  readonly #upstream: Child;
  readonly #load: Child;

  private constructor(upstreamOrigin: string, upstream: Child, load: Child) {
    this.upstreamOrigin = upstreamOrigin;
    this.#upstream = upstream;
    this.#load = load;
  }

  static async start(): Promise<Rig> {
    const port = await freePort();
    const script = (path: string, ...args: string[]): Child =>
      new Child({ argv: [here(path), ...args], typescript: true, core: LOAD_CORE });
    const upstream = script('../upstream.ts', String(port));
    const load = script('../load.ts');
    const origin = `http://127.0.0.1:${port}`;
    await upstream.ready(`${origin}/livez`);
    await load.sample();
    return new Rig(origin, upstream, load);
  }

  async bare(): Promise<Server> {
    const port = await freePort();
    const child = new Child({
      argv: [here('../bare.ts'), String(port), this.upstreamOrigin],
      typescript: true,
      core: SERVER_CORE,
    });
    const origin = `http://127.0.0.1:${port}`;
    await child.ready(`${origin}/livez`);
    return { name: 'bare', origin, child };
  }

  gateway(): Promise<Server> {
    return startGateway(GATEWAY_CONFIG, { BENCH_UPSTREAM: this.upstreamOrigin });
  }

  /** Puts a load on a server; `size` is the number of calls a request carries. */
  async measure(
    server: Server,
    size: number,
    order: Omit<LoadRequest, 'origin'>,
  ): Promise<Measured> {
    const before = await server.child.sample();
    const result = await this.#load.ask<LoadResult>('run', { ...order, origin: server.origin });
    const after = await server.child.sample();
    if (result.failed > 0) {
      throw new Error(`${server.name}: ${result.failed} of ${result.requests} requests failed`);
    }
    const calls = result.requests * size;
    return {
      ...result,
      callsPerSecond: calls / result.seconds,
      cpuUsPerCall: ((after.cpuMs - before.cpuMs) * 1000) / calls,
      coreShare: (after.cpuMs - before.cpuMs) / 1000 / result.seconds,
      before,
      after,
    };
  }

  /** The share of the other core that upstream and load took, 0..1, while `work` ran. */
  async loadShare<T>(work: () => Promise<T>): Promise<{ value: T; share: number }> {
    const used = async (): Promise<number> =>
      (await this.#upstream.sample()).cpuMs + (await this.#load.sample()).cpuMs;
    const startAt = performance.now();
    const before = await used();
    const value = await work();
    return { value, share: ((await used()) - before) / (performance.now() - startAt) };
  }

  async stop(): Promise<void> {
    await Promise.all([this.#upstream.stop(), this.#load.stop()]);
  }
}
