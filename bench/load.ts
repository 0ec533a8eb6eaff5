// The load generator: asked over IPC to run one load against one server, answers with what it saw.
// Closed loop for throughput (a fixed number of requests in flight), open loop for latency (a fixed
// rate, each latency counted from the moment the request was due).
import { Pool, type Dispatcher } from 'undici';
import { percentile } from './lib/stats.js';
import type { LoadRequest, LoadResult } from './lib/load-types.js';

// A prime: what fails regularly is not always missed.
const CHECK_EVERY = 61;

/** One request at a time through one place; counts, times and now and then looks inside. */
class Runner {
  readonly latenciesMs: number[] = [];
  readonly statuses: Record<string, number> = {};
  requests = 0;
  failed = 0;
  bytes = 0;
  readonly #pool: Pool;
  readonly #options: Dispatcher.DispatchOptions;

  constructor(order: LoadRequest) {
    this.#pool = new Pool(order.origin, { connections: order.inFlight, pipelining: 1 });
    this.#options = {
      path: '/v1/tool-calls',
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: order.body,
    };
  }

  /** Sends one request; `done` is called once it has ended, well or badly. */
  send(dueAt: number, done: () => void): void {
    const keep: Buffer[] | undefined = this.requests % CHECK_EVERY === 0 ? [] : undefined;
    this.requests++;
    let status = 0;
    this.#pool.dispatch(this.#options, {
      onRequestStart: () => undefined,
      onResponseStart: (_controller, statusCode) => {
        status = statusCode;
      },
      onResponseData: (_controller, chunk) => {
        this.bytes += chunk.length;
        keep?.push(chunk);
      },
      onResponseEnd: () => {
        if (status !== 200) this.failed++;
        this.latenciesMs.push(performance.now() - dueAt);
        if (keep !== undefined) this.#look(Buffer.concat(keep).toString());
        done();
      },
      onResponseError: () => {
        this.failed++;
        done();
      },
    });
  }

  /** Counts the results of one answer by code, so that a fast wrong answer is seen. */
  #look(text: string): void {
    const { results } = JSON.parse(text) as {
      results: { status: string; error_info?: { code: string } | null }[];
    };
    for (const { status, error_info: info } of results) {
      const key = info?.code ?? status;
      this.statuses[key] = (this.statuses[key] ?? 0) + 1;
    }
  }

  async close(): Promise<void> {
    await this.#pool.close();
  }
}

/** Keeps `inFlight` requests going for the given time. */
function closedLoop(runner: Runner, order: LoadRequest): Promise<void> {
  return new Promise((resolve) => {
    const endAt = performance.now() + order.seconds * 1000;
    let active = order.inFlight;
    const next = (): void => {
      const now = performance.now();
      if (now < endAt) runner.send(now, next);
      else if (--active === 0) resolve();
    };
    const startAt = performance.now();
    const { inFlight, rampMs = 0 } = order;
    let started = 0;
    const begin = (): void => {
      const share = rampMs === 0 ? 1 : Math.min(1, (performance.now() - startAt) / rampMs);
      for (; started < inFlight * share; started++) runner.send(performance.now(), next);
      if (started < inFlight) setTimeout(begin, 1);
    };
    begin();
  });
}

/** Sends `ratePerSecond` requests a second whatever comes back. */
function openLoop(runner: Runner, order: LoadRequest, ratePerSecond: number): Promise<void> {
  return new Promise((resolve) => {
    const startAt = performance.now();
    const total = Math.floor(ratePerSecond * order.seconds);
    let sent = 0;
    let active = 0;
    const done = (): void => {
      if (--active === 0 && sent === total) resolve();
    };
    const tick = (): void => {
      const due = Math.min(total, ((performance.now() - startAt) / 1000) * ratePerSecond);
      for (; sent < due; sent++) {
        active++;
        runner.send(startAt + (sent / ratePerSecond) * 1000, done);
      }
      if (sent < total) setTimeout(tick, 1);
    };
    tick();
  });
}

async function run(order: LoadRequest): Promise<LoadResult> {
  const runner = new Runner(order);
  const startAt = performance.now();
  await (order.ratePerSecond === undefined
    ? closedLoop(runner, order)
    : openLoop(runner, order, order.ratePerSecond));
  const seconds = (performance.now() - startAt) / 1000;
  await runner.close();
  const sorted = Float64Array.from(runner.latenciesMs).sort();
  return {
    requests: runner.requests,
    failed: runner.failed,
    bytes: runner.bytes,
    seconds,
    p50Ms: percentile(sorted, 50),
    p99Ms: percentile(sorted, 99),
    statuses: runner.statuses,
  };
}

process.on('message', (message: { id: number; type: string } & LoadRequest) => {
  if (message.type !== 'run') return;
  void run(message).then((value) => process.send?.({ id: message.id, value }));
});
// Unlike the servers, this process lives by its channel.
process.channel?.ref();
