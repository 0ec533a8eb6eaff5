import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { CallContext } from '../../src/call.js';
import type { Outcome } from '../../src/errors/outcome.js';
import type { Pipeline } from '../../src/policy/pipeline.js';
import {
  advance,
  driveClock,
  makeCall,
  makeContext,
  makePipeline,
  makeTool,
  ManualUpstream,
  OK,
  refusedConnection,
  reset,
  response,
  settle,
} from './harness.js';

const tool = makeTool(
  {
    timeoutMs: 300,
    retry: { maxAttempts: 3, baseMs: 20, maxMs: 100, maxWaitMs: 500 },
    bulkhead: { maxConcurrent: 2, maxQueue: 2, queueTimeoutMs: 200 },
  },
  { idempotent: false, readOnly: false },
);

/** Per key: whether the upstream had the call, and what its caller was told for good. */
interface Model {
  answered: Map<string, 'ok' | 'failed'>;
}

interface Real {
  pipeline: Pipeline;
  upstream: ManualUpstream;
  effects: Map<string, number>;
  waiting: { ctx: CallContext; key: string; done: Outcome | undefined }[];
}

type Command = fc.AsyncCommand<Model, Real>;

const KEYS = ['k1', 'k2', 'k3'];

/** The one thing that matters, and that callers with a final answer all got the same. */
function compare(model: Model, real: Real): void {
  for (const [key, times] of real.effects) expect([key, times]).toEqual([key, 1]);
  for (const entry of real.waiting) {
    const { done, key } = entry;
    if (done === undefined) continue;
    const final =
      done.kind === 'ok' ? 'ok' : done.kind === 'response' && done.status === 422 ? 'failed' : null;
    const stored = done.kind === 'stored' && done.info.effect === 'completed' ? 'failed' : final;
    if (stored === null) continue;
    expect(model.answered.get(key) ?? stored).toBe(stored);
    model.answered.set(key, stored);
  }
  real.waiting = real.waiting.filter(({ done }) => done === undefined);
}

class Send implements Command {
  readonly key: string;
  readonly withinMs: number;
  constructor(key: string, withinMs: number) {
    this.key = key;
    this.withinMs = withinMs;
  }
  check = () => true;
  async run(model: Model, real: Real): Promise<void> {
    const ctx = makeContext({ withinMs: this.withinMs });
    const entry: Real['waiting'][number] = { ctx, key: this.key, done: undefined };
    const call = makeCall(tool, { idempotencyKey: this.key, arguments: { key: this.key } });
    void real.pipeline.invoke(call, ctx).then((outcome) => {
      entry.done = outcome;
    });
    real.waiting.push(entry);
    await settle();
    compare(model, real);
  }
  toString = () => `send(${this.key}, ${this.withinMs} ms)`;
}

class Answer implements Command {
  readonly pick: number;
  readonly outcome: Outcome;
  readonly hasEffect: boolean;
  constructor(pick: number, outcome: Outcome, hasEffect: boolean) {
    this.pick = pick;
    this.outcome = outcome;
    this.hasEffect = hasEffect;
  }
  check = () => true;
  async run(model: Model, real: Real): Promise<void> {
    const { open } = real.upstream;
    if (open.length === 0) return;
    const entry = open[this.pick % open.length]!;
    const key = entry.call.idempotencyKey!;
    // What was given up before its answer may have had its effect all the same.
    if (this.hasEffect || entry.attempt.aborted !== undefined) {
      real.effects.set(key, (real.effects.get(key) ?? 0) + 1);
    }
    entry.answer({ ...this.outcome });
    await settle();
    compare(model, real);
  }
  toString = () => `answer(${this.pick}, ${this.outcome.kind})`;
}

class Cancel implements Command {
  readonly pick: number;
  constructor(pick: number) {
    this.pick = pick;
  }
  check = () => true;
  async run(model: Model, real: Real): Promise<void> {
    if (real.waiting.length === 0) return;
    real.waiting[this.pick % real.waiting.length]!.ctx.cancellation.cancel('client_left');
    await settle();
    compare(model, real);
  }
  toString = () => `cancel(${this.pick})`;
}

class Advance implements Command {
  readonly ms: number;
  constructor(ms: number) {
    this.ms = ms;
  }
  check = () => true;
  async run(model: Model, real: Real): Promise<void> {
    await advance(this.ms);
    compare(model, real);
  }
  toString = () => `advance(${this.ms})`;
}

describe('idempotency against its model', () => {
  beforeEach(driveClock);
  afterEach(() => vi.useRealTimers());

  it('never lets a key have its effect twice, through failures, timeouts and cancellations', async () => {
    const commands = [
      fc
        .tuple(fc.constantFrom(...KEYS), fc.constantFrom(50, 250, 10_000))
        .map(([key, withinMs]) => new Send(key, withinMs)),
      fc.nat(5).map((pick) => new Answer(pick, OK, true)),
      fc.nat(5).map((pick) => new Answer(pick, reset(), true)),
      fc.nat(5).map((pick) => new Answer(pick, response(422), true)),
      fc.nat(5).map((pick) => new Answer(pick, refusedConnection(), false)),
      fc.nat(5).map((pick) => new Answer(pick, response(429), false)),
      fc.nat(5).map((pick) => new Cancel(pick)),
      fc.integer({ min: 1, max: 40 }).map((n) => new Advance(n * 10)),
    ];
    await fc.assert(
      fc.asyncProperty(fc.commands(commands, { maxCommands: 60, size: 'max' }), async (run) => {
        const upstream = new ManualUpstream();
        const real: Real = {
          pipeline: makePipeline(tool, upstream.invoke),
          upstream,
          effects: new Map(),
          waiting: [],
        };
        await fc.asyncModelRun(() => ({ model: { answered: new Map() }, real }), run);
        // Whatever happened, everybody gets an answer and nothing stays behind.
        for (let round = 0; round < 20 && real.waiting.length > 0; round += 1) {
          for (const open of [...upstream.open]) open.answer(refusedConnection());
          await advance(600);
          real.waiting = real.waiting.filter(({ done }) => done === undefined);
        }
        for (const open of [...upstream.open]) open.answer(OK);
        await settle();
        expect(real.waiting).toEqual([]);
        expect(real.pipeline.snapshot()).toMatchObject({ inFlight: 0, queued: 0 });
        expect(vi.getTimerCount()).toBe(0);
      }),
      { numRuns: 150 },
    );
  });
});
