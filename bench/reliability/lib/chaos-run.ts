// Chaos: the upstream is harmed in one way after the other at a steady rate of calls, to a tool that
// may be repeated and to one that may not. What callers were told is held against what the upstream
// executed.
import { Agent } from 'node:http';
import { join } from 'node:path';
import { FAULT_NAMES, FAULTS, type Fault, type FaultName } from './faults.js';
import { GatewayProcess } from './gateway-process.js';
import { sleep, steadily } from './pace.js';
import { type Count, Tally } from './tally.js';
import { UpstreamProcess } from './upstream-process.js';
import { type Call, post, type Told } from './wire.js';

/** A GET: repeatable. A POST: not. */
export const TOOLS = ['read', 'book'] as const;
export type Tool = (typeof TOOLS)[number];

/** Harm to the process itself, beside the faults that it does on request. */
const HARMS = ['killed', 'killed again and again', 'frozen'] as const;
export type ChaosName = FaultName | (typeof HARMS)[number];
export const CHAOS: readonly ChaosName[] = [
  'fine',
  ...HARMS,
  ...FAULT_NAMES.filter((name) => name !== 'fine'),
];

export interface ChaosOptions {
  /** Where configuration and journal are written. */
  readonly folder: string;
  /** How long each fault lasts. */
  readonly faultMs: number;
  readonly batchesPerSecond: number;
  readonly only?: readonly ChaosName[];
}

export interface ChaosRow {
  readonly fault: ChaosName;
  readonly tool: Tool;
  readonly calls: number;
  readonly told: readonly Count[];
  /** Calls that the upstream executed more than once. */
  readonly executedAgain: number;
  /** Calls of which the caller was told something that the upstream's journal contradicts. */
  readonly untrue: readonly string[];
  /** From the end of the fault to the first ok, milliseconds. */
  readonly recoveredAfterMs: number;
}

export interface ChaosReport {
  readonly rows: readonly ChaosRow[];
  /** Calls without exactly one answer, each with why. */
  readonly unanswered: readonly string[];
  readonly complaints: readonly string[];
  readonly errors: readonly string[];
}

const CALLS_PER_TOOL = 2;
const CRASH_EVERY_MS = 700;
const RECOVERY_LIMIT_MS = 10_000;
/** What was buffered when the upstream froze is executed late. */
const SETTLE_MS = 300;

function config(origin: string): object {
  const schema = { type: 'object', properties: { n: { type: 'string' } }, required: ['n'] };
  const tool = (name: Tool, method: string): object => ({
    name,
    description: name,
    input_schema: schema,
    http: { method, url: `${origin}/${name}` },
  });
  return {
    version: 1,
    defaults: {
      timeout_ms: 500,
      retry: { max_attempts: 3, base_ms: 50, max_ms: 200, max_wait_ms: 500 },
      breaker: { window_ms: 2000, min_calls: 10, failure_rate: 0.5, open_ms: 1000 },
      bulkhead: { max_concurrent: 64, max_queue: 64, queue_timeout_ms: 500 },
    },
    tools: [tool('read', 'GET'), tool('book', 'POST')],
  };
}

/** Runs all faults in turns; rejects only where a process could not be started. */
export async function runChaos(options: ChaosOptions): Promise<ChaosReport> {
  const upstream = await UpstreamProcess.start(join(options.folder, 'chaos.journal'));
  const gateway = await GatewayProcess.start(
    join(options.folder, 'chaos.json'),
    config(upstream.origin),
  );
  const chaos = new Chaos(gateway.origin, upstream, options);
  try {
    const rows: ChaosRow[] = [];
    for (const fault of options.only ?? CHAOS) rows.push(...(await chaos.during(fault)));
    const { complaints } = await gateway.inspect();
    return { rows, unanswered: chaos.unanswered, complaints, errors: gateway.errors };
  } finally {
    chaos.close();
    await gateway.kill();
    await upstream.kill();
  }
}

class Chaos {
  readonly unanswered: string[] = [];
  readonly #origin: string;
  readonly #upstream: UpstreamProcess;
  readonly #options: ChaosOptions;
  readonly #agent = new Agent({ keepAlive: true });
  #calls = 0;

  constructor(origin: string, upstream: UpstreamProcess, options: ChaosOptions) {
    this.#origin = origin;
    this.#upstream = upstream;
    this.#options = options;
  }

  close(): void {
    this.#agent.destroy();
  }

  /** One fault, and the way back from it. */
  async during(fault: ChaosName): Promise<ChaosRow[]> {
    const { faultMs, batchesPerSecond } = this.#options;
    const tally = new Tally();
    const end = await this.#inflict(fault);
    await steadily(batchesPerSecond, faultMs, () => this.#batch(tally));
    await end();
    const recovered = await this.#recover();
    await sleep(SETTLE_MS);
    this.unanswered.push(...tally.unanswered);
    const executions = await this.#upstream.executions();
    return TOOLS.map((tool) => {
      const calls = tally.callsOf(tool);
      const executed = (call: Call): number => executions.get(`${tool} ${call.id}`) ?? 0;
      return {
        fault,
        tool,
        calls: calls.length,
        told: tally.of(tool),
        executedAgain: calls.filter(({ call }) => executed(call) > 1).length,
        untrue: calls.flatMap(({ call, told }) => contradiction(told, executed(call), fault)),
        recoveredAfterMs: recovered[tool],
      };
    });
  }

  async #batch(tally: Tally): Promise<void> {
    const calls = TOOLS.flatMap((tool) =>
      Array.from({ length: CALLS_PER_TOOL }, () => this.#call(tool)),
    );
    tally.add(calls, await post(this.#origin, calls, { agent: this.#agent }));
  }

  #call(tool: Tool): Call {
    this.#calls += 1;
    const id = `n${this.#calls}`;
    return { id, tool, arguments: { n: id } };
  }

  /** Begins a fault; returns what ends it. */
  async #inflict(fault: ChaosName): Promise<() => Promise<void>> {
    const upstream = this.#upstream;
    switch (fault) {
      case 'killed':
        await upstream.kill();
        return () => upstream.revive();
      case 'killed again and again':
        return this.#crashLoop();
      case 'frozen':
        upstream.freeze();
        return async () => {
          upstream.thaw();
          await Promise.resolve();
        };
      default:
        await this.#setAll(fault);
        return () => this.#setAll('fine');
    }
  }

  async #setAll(fault: FaultName): Promise<void> {
    for (const tool of TOOLS) await this.#upstream.set(tool, fault);
  }

  #crashLoop(): () => Promise<void> {
    let over = false;
    const loop = async (): Promise<void> => {
      while (!over) {
        await sleep(CRASH_EVERY_MS);
        await this.#upstream.kill();
        await this.#upstream.revive();
      }
    };
    const looping = loop();
    return () => {
      over = true;
      return looping;
    };
  }

  /** Calls each tool until it is ok again. */
  async #recover(): Promise<Record<Tool, number>> {
    const since = performance.now();
    const one = async (tool: Tool): Promise<number> => {
      while (performance.now() - since < RECOVERY_LIMIT_MS) {
        const call = this.#call(tool);
        const { results } = await post(this.#origin, [call], { agent: this.#agent });
        if (results[0]?.code === 'ok') return performance.now() - since;
        await sleep(50);
      }
      return Infinity;
    };
    const [read, book] = await Promise.all([one('read'), one('book')]);
    return { read, book };
  }
}

/** Empty, or the one thing that was told and is not so. */
function contradiction(told: Told, executions: number, fault: ChaosName): string[] {
  const wrong = (what: string): string[] => [`${told.code}: ${what}`];
  if (told.effect === 'not_sent' && executions > 0) return wrong('"not_sent", but executed');
  if (told.code === 'ok' && executions === 0) return wrong('but never executed');
  const { refuses }: Partial<Fault> = fault in FAULTS ? FAULTS[fault as FaultName] : {};
  if (told.effect === 'completed' && executions === 0 && refuses !== true) {
    return wrong('"completed", but never executed');
  }
  return [];
}
