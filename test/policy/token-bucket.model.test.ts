import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { RateLimiter } from '../../src/policy/token-bucket.js';
import { driveClock } from './harness.js';

const RATE = { calls: 10, perMs: 1000 };

/** What was admitted and what was promised; nothing about how. */
interface Model {
  now: number;
  readonly burst: number;
  admitted: number[];
  /** Refused callers that will come when they were told. */
  told: Map<number, number>;
  callers: number;
  latestMs: number;
  /** The share of promised moments that callers came for, and whether it was ever too small. */
  kept: number;
  mostMissed: boolean;
}

interface Real {
  limiter: RateLimiter;
}

type Command = fc.Command<Model, Real>;

function take({ limiter }: Real, caller: number): number {
  return limiter.take(() => ({ group: `run-${caller}`, key: 'call' }));
}

/** In any window, at most the burst and what the rate brought. */
function admit(model: Model, inMs = 0): void {
  const at = model.now + inMs;
  model.admitted.push(at);
  const { admitted, burst } = model;
  for (let from = admitted.length - 1; from >= 0; from -= 1) {
    const windowMs = Math.abs(at - admitted[from]!);
    const most = burst + (windowMs * RATE.calls) / RATE.perMs;
    expect(admitted.length - from).toBeLessThanOrEqual(most + 1e-6);
  }
}

function refused(model: Model, caller: number, waitMs: number): void {
  expect(Number.isInteger(waitMs) && waitMs >= 1).toBe(true);
  model.told.set(caller, model.now + waitMs);
}

class Arrive implements Command {
  check = () => true;
  run(model: Model, real: Real): void {
    const caller = (model.callers += 1);
    const waitMs = take(real, caller);
    if (waitMs === 0) admit(model);
    else refused(model, caller, waitMs);
  }
  toString = () => 'arrive';
}

/** Time passes up to the next promised moment, and who was told it comes: it must get in. */
class ComeWhenTold implements Command {
  readonly lateMs: number;
  constructor(lateMs: number) {
    this.lateMs = lateMs;
  }
  check = (model: Model) => model.told.size > 0;
  run(model: Model, real: Real): void {
    const [caller, at] = [...model.told].sort((a, b) => a[1] - b[1])[0]!;
    const now = Math.max(model.now, at + this.lateMs);
    vi.advanceTimersByTime(now - model.now);
    model.now = now;
    const waitMs = take(real, caller);
    if (model.mostMissed) {
      if (waitMs > 0) refused(model, caller, waitMs);
      else {
        model.told.delete(caller);
        admit(model, -waitMs);
      }
      return;
    }
    expect(waitMs).toBeLessThanOrEqual(0);
    model.kept += 0.05 * (1 - model.kept);
    // Inside, nobody waits longer than somebody was late.
    model.latestMs = Math.max(model.latestMs, this.lateMs);
    expect(-waitMs).toBeLessThanOrEqual(model.latestMs + 1);
    model.told.delete(caller);
    admit(model, -waitMs);
  }
  toString = () => `come when told(+${this.lateMs})`;
}

class ComeEarly implements Command {
  readonly pick: number;
  constructor(pick: number) {
    this.pick = pick;
  }
  check = (model: Model) => [...model.told.values()].some((at) => at > model.now + 1);
  run(model: Model, real: Real): void {
    const early = [...model.told].filter(([, at]) => at > model.now + 1);
    const [caller, at] = early[this.pick % early.length]!;
    const waitMs = take(real, caller);
    if (waitMs === 0) {
      model.told.delete(caller);
      admit(model);
    } else {
      expect(model.now + waitMs).toBe(at);
    }
  }
  toString = () => `come early(${this.pick})`;
}

/** Time passes; whoever should have come meanwhile never comes again. */
class Advance implements Command {
  readonly ms: number;
  constructor(ms: number) {
    this.ms = ms;
  }
  check = () => true;
  run(model: Model): void {
    vi.advanceTimersByTime(this.ms);
    model.now += this.ms;
    if (model.told.size === 0) model.mostMissed = false;
    for (const [caller, at] of model.told) {
      if (at >= model.now) continue;
      model.told.delete(caller);
      model.kept *= 0.95;
    }
    if (model.kept < 0.55) model.mostMissed = true;
  }
  toString = () => `advance(${this.ms})`;
}

class Idle implements Command {
  check = (model: Model) => model.told.size === 0;
  run(model: Model, real: Real): void {
    const idleMs = 2000 + (model.burst * RATE.perMs) / RATE.calls;
    vi.advanceTimersByTime(idleMs);
    model.now += idleMs;
    expect(real.limiter.state()).toEqual({ tokens: model.burst, promised: 0 });
  }
  toString = () => 'idle';
}

describe('the limiter against its model', () => {
  beforeEach(driveClock);
  afterEach(() => vi.useRealTimers());

  it.each([1, 2, 7])('keeps limit and promises under any interleaving (burst %i)', (burst) => {
    const commands = [
      fc.constant(new Arrive()),
      fc.constant(new Arrive()),
      fc.constant(new Arrive()),
      fc.constant(new ComeWhenTold(0)),
      fc.integer({ min: 0, max: 40 }).map((lateMs) => new ComeWhenTold(lateMs)),
      fc.nat(50).map((pick) => new ComeEarly(pick)),
      fc.integer({ min: 1, max: 700 }).map((ms) => new Advance(ms)),
      fc.constant(new Idle()),
    ];
    fc.assert(
      fc.property(fc.commands(commands, { maxCommands: 150, size: 'max' }), (run) => {
        const limiter = new RateLimiter({ ...RATE, burst });
        fc.modelRun(
          () => ({
            model: {
              now: 0,
              burst,
              admitted: [],
              told: new Map<number, number>(),
              callers: 0,
              latestMs: 0,
              kept: 1,
              mostMissed: false,
            },
            real: { limiter },
          }),
          run,
        );
      }),
      { numRuns: 200 },
    );
  });
});
