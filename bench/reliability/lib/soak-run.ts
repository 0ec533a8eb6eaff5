// The soak: a steady rate of batches in every format while every tool is harmed in changing ways,
// clients leave, the configuration is read again and the upstream is killed. What must hold: every call
// is answered, nothing is executed twice that must not be, memory stays flat.
import { Agent } from 'node:http';
import { join } from 'node:path';
import { FAULT_NAMES } from './faults.js';
import { GatewayProcess, type Inspection } from './gateway-process.js';
import type { Sample } from './memory.js';
import { startMoodyMcp } from './moody-mcp.js';
import { sleep, steadily } from './pace.js';
import { Random } from './random.js';
import { HTTP_TOOLS, SOAK_TOOLS, soakConfig } from './soak-config.js';
import { Tally } from './tally.js';
import { UpstreamProcess } from './upstream-process.js';
import { type Call, post, WIRES } from './wire.js';

export interface SoakOptions {
  /** Where configuration and journal are written. */
  readonly folder: string;
  readonly seconds: number;
  readonly batchesPerSecond: number;
  readonly seed: number;
  /** How long it rests at the end, milliseconds: default beyond what idle connections are kept. */
  readonly restMs?: number;
  readonly onSample?: (sample: Sample) => void;
}

export interface SoakReport {
  readonly tally: Tally;
  /** Requests that their client left. */
  readonly left: number;
  readonly reloads: number;
  readonly kills: number;
  /** Calls of the tool that must not be repeated, executed more than once. */
  readonly executedAgain: number;
  readonly samples: readonly Sample[];
  /** Once nothing runs any more and idle connections have closed. */
  readonly atRest: Inspection & { readonly batchesInFlight: number };
  readonly errors: readonly string[];
}

const SAMPLES = 24;
const CHANGE_EVERY_MS = 700;
const RELOAD_EVERY_MS = 5_000;
const KILL_EVERY_MS = 9_000;
const DOWN_MS = 600;
const KEYS = 200;
/** The longest that idle upstream connections are kept, and a little. */
const REST_MS = 5_000;

export async function runSoak(options: SoakOptions): Promise<SoakReport> {
  const upstream = await UpstreamProcess.start(join(options.folder, 'soak.journal'));
  const mcp = await startMoodyMcp();
  const gateway = await GatewayProcess.start(
    join(options.folder, 'soak.json'),
    soakConfig(upstream.origin, mcp.url),
  );
  const soak = new Soak(gateway, upstream, options);
  try {
    return await soak.run();
  } finally {
    await gateway.kill();
    await upstream.kill();
    await mcp.close();
  }
}

class Soak {
  readonly #gateway: GatewayProcess;
  readonly #upstream: UpstreamProcess;
  readonly #options: SoakOptions;
  readonly #random: Random;
  readonly #agent = new Agent({ keepAlive: true });
  readonly #tally = new Tally();
  #left = 0;
  #reloads = 0;
  #kills = 0;
  #calls = 0;
  #over = false;

  constructor(gateway: GatewayProcess, upstream: UpstreamProcess, options: SoakOptions) {
    this.#gateway = gateway;
    this.#upstream = upstream;
    this.#options = options;
    this.#random = new Random(options.seed);
  }

  async run(): Promise<SoakReport> {
    const { seconds, batchesPerSecond } = this.#options;
    const harm = this.#harm();
    const reloading = this.#every(RELOAD_EVERY_MS, () => {
      this.#reloads += 1;
      this.#gateway.signal('SIGHUP');
    });
    const sampling = this.#sample();
    await steadily(batchesPerSecond, seconds * 1000, () => this.#batch());
    this.#over = true;
    const samples = await sampling;
    await Promise.all([harm, reloading]);
    this.#agent.destroy();
    await sleep(this.#options.restMs ?? REST_MS);
    const health = await fetch(`${this.#gateway.origin}/healthz`, {
      headers: { connection: 'close' },
    });
    const { batches_in_flight: batchesInFlight } = (await health.json()) as {
      batches_in_flight: number;
    };
    return {
      tally: this.#tally,
      left: this.#left,
      reloads: this.#reloads,
      kills: this.#kills,
      executedAgain: await this.#executedAgain(),
      samples,
      atRest: { ...(await this.#gateway.inspect()), batchesInFlight },
      errors: this.#gateway.errors,
    };
  }

  async #batch(): Promise<void> {
    const random = this.#random;
    const wire = random.of(WIRES);
    const calls = Array.from({ length: 1 + random.below(6) }, () => this.#call());
    if (wire !== 'mcp' && random.oneIn(6)) chain(calls);
    const leaves = random.oneIn(10);
    const answer = await post(this.#gateway.origin, calls, {
      agent: this.#agent,
      wire,
      ...(leaves && { leaveAfterMs: random.below(300) }),
    });
    if (answer.failure === 'left') this.#left += 1;
    this.#tally.add(calls, answer);
  }

  #call(): Call {
    this.#calls += 1;
    const id = `n${this.#calls}`;
    const tool = this.#random.of(SOAK_TOOLS);
    if (tool === 'cached') return { id, tool, arguments: { n: `page-${this.#random.below(50)}` } };
    if (tool !== 'keyed') return { id, tool, arguments: { n: id } };
    const key = `key-${this.#random.below(KEYS)}`;
    return { id, tool, arguments: { n: key }, idempotency_key: key };
  }

  /** Changes what is wrong with each tool, and kills the upstream now and then. */
  async #harm(): Promise<void> {
    let killAt = performance.now() + KILL_EVERY_MS / 3;
    while (!this.#over) {
      for (const tool of HTTP_TOOLS) {
        await this.#upstream.set(
          tool,
          this.#random.oneIn(2) ? 'fine' : this.#random.of(FAULT_NAMES),
        );
      }
      await sleep(CHANGE_EVERY_MS);
      if (performance.now() < killAt) continue;
      killAt += KILL_EVERY_MS;
      this.#kills += 1;
      await this.#upstream.kill();
      await sleep(DOWN_MS);
      await this.#upstream.revive();
    }
  }

  async #sample(): Promise<Sample[]> {
    const samples: Sample[] = [];
    const since = performance.now();
    await this.#every((this.#options.seconds * 1000) / SAMPLES, async () => {
      const { heapMb, rssMb } = await this.#gateway.inspect();
      const sample = { at: (performance.now() - since) / 1000, heapMb, rssMb };
      samples.push(sample);
      this.#options.onSample?.(sample);
    });
    return samples;
  }

  async #every(ms: number, act: () => void | Promise<void>): Promise<void> {
    for (let at = performance.now() + ms; ; at += ms) {
      while (performance.now() < at) {
        if (this.#over) return;
        await sleep(Math.min(100, Math.max(1, at - performance.now())));
      }
      await act();
    }
  }

  async #executedAgain(): Promise<number> {
    const executions = await this.#upstream.executions();
    return [...executions].filter(([line, count]) => line.startsWith('book ') && count > 1).length;
  }
}

/** Each waits for the one before. */
function chain(calls: Call[]): void {
  for (let index = 1; index < calls.length; index++) {
    const [before, call] = [calls[index - 1], calls[index]];
    if (before && call) calls[index] = { ...call, depends_on: [before.id] };
  }
}
