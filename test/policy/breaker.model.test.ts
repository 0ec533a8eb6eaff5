import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { BreakerVerdict } from '../../src/errors/error-info.js';
import { Breaker, type Permit } from '../../src/policy/breaker.js';
import { driveClock } from './harness.js';

const POLICY = {
  windowMs: 1000,
  minCalls: 3,
  failureRate: 0.5,
  openMs: 500,
  halfOpenProbes: 2,
  scope: 'tool',
} as const;
const SLICES = 10;

/** The breaker in as few words as possible: a list of finished calls and when it opened. */
interface Model {
  now: number;
  state: 'closed' | 'open' | 'half_open';
  openedAt: number;
  windowFrom: number;
  finished: { slice: number; failed: boolean }[];
  probes: number;
  generation: number;
  running: number[];
}

interface Real {
  breaker: Breaker;
  permits: Permit[];
}

type Command = fc.Command<Model, Real>;

function change(model: Model, state: Model['state']): void {
  model.state = state;
  model.generation += 1;
  model.probes = 0;
  if (state === 'open') model.openedAt = model.now;
  if (state === 'closed') {
    model.finished = [];
    model.windowFrom = model.now;
  }
}

function compare(model: Model, { breaker }: Real): void {
  expect(breaker.state).toBe(model.state);
  if (model.state === 'open') {
    expect(breaker.retryAfterMs).toBe(model.openedAt + POLICY.openMs - model.now);
  }
}

class Advance implements Command {
  readonly ms: number;
  constructor(ms: number) {
    this.ms = ms;
  }
  check = () => true;
  run(model: Model, real: Real): void {
    vi.advanceTimersByTime(this.ms);
    model.now += this.ms;
    if (model.state === 'open' && model.now >= model.openedAt + POLICY.openMs) {
      change(model, 'half_open');
    }
    compare(model, real);
  }
  toString = () => `advance(${this.ms})`;
}

class Start implements Command {
  check = () => true;
  run(model: Model, real: Real): void {
    const admitted =
      model.state === 'closed' ||
      (model.state === 'half_open' && model.probes < POLICY.halfOpenProbes);
    const permit = real.breaker.acquire();
    expect(permit !== undefined).toBe(admitted);
    if (permit === undefined) return;
    if (model.state === 'half_open') model.probes += 1;
    model.running.push(model.generation);
    real.permits.push(permit);
    compare(model, real);
  }
  toString = () => 'start';
}

class Finish implements Command {
  readonly pick: number;
  readonly verdict: BreakerVerdict;
  constructor(pick: number, verdict: BreakerVerdict) {
    this.pick = pick;
    this.verdict = verdict;
  }
  check = (model: Model) => model.running.length > 0;
  run(model: Model, real: Real): void {
    const at = this.pick % model.running.length;
    const [generation] = model.running.splice(at, 1);
    const [permit] = real.permits.splice(at, 1);
    real.breaker.report(permit!, this.verdict);
    if (generation === model.generation) this.#apply(model);
    compare(model, real);
  }
  #apply(model: Model): void {
    if (model.state === 'half_open') {
      if (this.verdict === 'success') change(model, 'closed');
      else if (this.verdict === 'failure') change(model, 'open');
      else model.probes -= 1;
      return;
    }
    if (this.verdict === 'neutral') return;
    const slice = Math.floor((model.now - model.windowFrom) / (POLICY.windowMs / SLICES));
    model.finished.push({ slice, failed: this.verdict === 'failure' });
    model.finished = model.finished.filter((call) => call.slice > slice - SLICES);
    const failures = model.finished.filter((call) => call.failed).length;
    const enough = model.finished.length >= POLICY.minCalls;
    const opens = enough && failures / model.finished.length >= POLICY.failureRate;
    if (this.verdict === 'failure' && opens) change(model, 'open');
  }
  toString = () => `finish(${this.pick}, ${this.verdict})`;
}

class Force implements Command {
  readonly to: 'open' | 'closed';
  constructor(to: 'open' | 'closed') {
    this.to = to;
  }
  check = () => true;
  run(model: Model, real: Real): void {
    real.breaker.force(this.to);
    if (this.to !== model.state) change(model, this.to);
    compare(model, real);
  }
  toString = () => `force(${this.to})`;
}

describe('the breaker against its model', () => {
  beforeEach(driveClock);
  afterEach(() => vi.useRealTimers());

  it('agrees under any interleaving of starts, verdicts, time and force', () => {
    const commands = [
      fc.integer({ min: 1, max: 30 }).map((n) => new Advance(n * 20)),
      fc.constant(new Start()),
      fc.constant(new Start()),
      fc
        .tuple(
          fc.nat(20),
          fc.constantFrom<BreakerVerdict>('failure', 'failure', 'success', 'neutral'),
        )
        .map(([pick, verdict]) => new Finish(pick, verdict)),
      fc.constantFrom<'open' | 'closed'>('open', 'closed').map((to) => new Force(to)),
    ];
    fc.assert(
      fc.property(fc.commands(commands, { maxCommands: 120, size: 'max' }), (run) => {
        vi.clearAllTimers();
        const breaker = new Breaker(POLICY);
        const setup = () => ({
          model: {
            now: 0,
            state: 'closed',
            openedAt: 0,
            windowFrom: 0,
            finished: [],
            probes: 0,
            generation: 0,
            running: [],
          } satisfies Model as Model,
          real: { breaker, permits: [] },
        });
        try {
          fc.modelRun(setup, run);
        } finally {
          breaker.dispose();
        }
        expect(vi.getTimerCount()).toBe(0);
      }),
      { numRuns: 300 },
    );
  });
});
