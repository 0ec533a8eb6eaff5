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
  response,
  settle,
} from './harness.js';

const BULKHEAD = { maxConcurrent: 2, maxQueue: 3, queueTimeoutMs: 400 };
const tool = makeTool({ timeoutMs: 300, bulkhead: BULKHEAD });
const PLACES = BULKHEAD.maxConcurrent + BULKHEAD.maxQueue;
/** For callers that come when they were told and find no slot yet. */
const EXTRA_PLACES = 1;
/** The longest that a promised place is kept: a measured service time is at most the timeout's. */
const GRACE_MS = 1000;

interface Sent {
  readonly client: string;
  readonly ctx: CallContext;
  done: Outcome | undefined;
}

/** The time, and until when somebody was promised a place. */
interface Model {
  now: number;
  promisedUntil: number;
}

interface Real {
  pipeline: Pipeline;
  upstream: ManualUpstream;
  sent: Sent[];
}

type Command = fc.AsyncCommand<Model, Real>;

function compare(model: Model, real: Real): void {
  const { inFlight, queued } = real.pipeline.snapshot();
  expect(real.upstream.running).toBeLessThanOrEqual(BULKHEAD.maxConcurrent);
  expect(inFlight).toBe(real.upstream.running);
  expect(queued).toBeLessThanOrEqual(BULKHEAD.maxQueue + EXTRA_PLACES);
  // Nobody waits while a slot is free.
  if (queued > 0) expect(inFlight).toBe(BULKHEAD.maxConcurrent);
  for (const sent of real.sent) {
    if (sent.done === undefined) continue;
    const { done } = sent;
    if (done.kind === 'bulkhead-full') {
      model.promisedUntil = Math.max(model.promisedUntil, model.now + done.retryAfterMs + GRACE_MS);
    }
  }
  real.sent = real.sent.filter((sent) => sent.done === undefined);
  expect(queued).toBe(real.sent.filter(({ ctx }) => ctx.attempts === 0).length);
}

class Send implements Command {
  readonly client: string;
  readonly withinMs: number;
  constructor(client: string, withinMs: number) {
    this.client = client;
    this.withinMs = withinMs;
  }
  check = () => true;
  async run(model: Model, real: Real): Promise<void> {
    const before = real.pipeline.snapshot();
    const ctx = makeContext({ client: this.client, withinMs: this.withinMs });
    const sent: Sent = { client: this.client, ctx, done: undefined };
    void real.pipeline.invoke(makeCall(tool), ctx).then((outcome) => {
      sent.done = outcome;
    });
    await settle();
    real.sent.push(sent);
    const free = PLACES - before.inFlight - before.queued;
    const refused = sent.done?.kind === 'bulkhead-full';
    if (refused && model.now > model.promisedUntil) expect(free).toBe(0);
    if (free === 0 && !refused) {
      // It got a place for somebody who holds more of them, or came when it had been told to.
      const grown = real.pipeline.snapshot().queued - before.queued;
      expect(grown).toBeGreaterThanOrEqual(0);
      expect(grown).toBeLessThanOrEqual(model.now <= model.promisedUntil ? EXTRA_PLACES : 0);
    }
    compare(model, real);
  }
  toString = () => `send(${this.client}, ${this.withinMs} ms)`;
}

class Answer implements Command {
  readonly pick: number;
  readonly outcome: Outcome;
  constructor(pick: number, outcome: Outcome) {
    this.pick = pick;
    this.outcome = outcome;
  }
  check = () => true;
  async run(model: Model, real: Real): Promise<void> {
    const { open } = real.upstream;
    if (open.length === 0) return;
    open[this.pick % open.length]!.answer({ ...this.outcome });
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
    if (real.sent.length === 0) return;
    real.sent[this.pick % real.sent.length]!.ctx.cancellation.cancel('client_left');
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
    for (let ms = 0; ms < this.ms; ms += 10) {
      await advance(10);
      model.now += 10;
      compare(model, real);
    }
  }
  toString = () => `advance(${this.ms})`;
}

describe('the bulkhead against its model', () => {
  beforeEach(driveClock);
  afterEach(() => vi.useRealTimers());

  it('keeps its bound, its order and every slot under any interleaving', async () => {
    const commands = [
      fc
        .tuple(fc.constantFrom('a', 'a', 'a', 'b', 'c'), fc.constantFrom(50, 250, 10_000))
        .map(([client, withinMs]) => new Send(client, withinMs)),
      fc.tuple(fc.nat(5)).map(([pick]) => new Answer(pick, OK)),
      fc.nat(5).map((pick) => new Answer(pick, response(503))),
      fc.nat(9).map((pick) => new Cancel(pick)),
      fc.integer({ min: 1, max: 30 }).map((n) => new Advance(n * 10)),
    ];
    await fc.assert(
      fc.asyncProperty(fc.commands(commands, { maxCommands: 60, size: 'max' }), async (run) => {
        const upstream = new ManualUpstream();
        const real: Real = {
          pipeline: makePipeline(tool, upstream.invoke),
          upstream,
          sent: [],
        };
        await fc.asyncModelRun(() => ({ model: { now: 0, promisedUntil: -1 }, real }), run);
        const contexts = real.sent.map(({ ctx }) => ctx);
        await advance(1000);
        for (const open of [...upstream.open]) open.answer(OK);
        await advance(1000);
        expect(real.pipeline.snapshot()).toMatchObject({ inFlight: 0, queued: 0 });
        expect(contexts.every((ctx) => ctx.cancellation.listenerCount === 0)).toBe(true);
        expect(vi.getTimerCount()).toBe(0);
      }),
      { numRuns: 150 },
    );
  });
});
