import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { CooldownGate } from '../../src/policy/cooldown.js';
import { driveClock, makeCall, makeContext, makeTool } from './harness.js';

const tool = makeTool();

/** What was asked for; nothing about paces. */
interface Model {
  now: number;
  until: number;
  /** After `until`, how much later callers may be told to come. */
  spreadMs: number;
  /** The longest line of those who wait at a pace. */
  readonly lineMs: number;
  /** Whether a pace may be known. */
  tooMany: boolean;
  /** What callers were told, and under which `until`. */
  told: Map<string, { readonly at: number; readonly until: number }>;
}

/** Some calls were borne, so that there is a pace to learn. */
function gateAfterCalls(knownMs: number | undefined): CooldownGate {
  const gate = new CooldownGate(knownMs);
  for (let n = 0; n < 20; n += 1) gate.sent();
  return gate;
}

type Command = fc.Command<Model, CooldownGate>;

class Pause implements Command {
  readonly ms: number;
  readonly tooMany: boolean;
  constructor(ms: number, tooMany: boolean) {
    this.ms = ms;
    this.tooMany = tooMany;
  }
  check = () => true;
  run(model: Model, gate: CooldownGate): void {
    gate.extend(this.ms, this.tooMany);
    model.tooMany ||= this.tooMany;
    if (model.now + this.ms > model.until) {
      model.until = model.now + this.ms;
      model.spreadMs = Math.min(5000, this.ms * 0.05);
    }
    expect(gate.remainingMs()).toBe(Math.max(0, model.until - model.now));
  }
  toString = () => `pause(${this.ms} ms, ${this.tooMany ? 'too many' : 'another reason'})`;
}

class Come implements Command {
  readonly name: string | undefined;
  constructor(name: string | undefined) {
    this.name = name;
  }
  check = () => true;
  run(model: Model, gate: CooldownGate): void {
    const waitMs = gate.enter(makeCall(tool), makeContext({ runId: this.name }));
    const open = model.until <= model.now + 1;
    if (waitMs === 0) {
      expect(open).toBe(true);
      gate.sent();
      gate.succeeded();
      return;
    }
    const at = model.now + waitMs;
    expect(at).toBeGreaterThanOrEqual(model.until);
    // Those without a name do not line up, but wait behind a line once it moves.
    const lines = model.tooMany && (this.name !== undefined || open);
    const latest = lines
      ? Math.max(model.now, model.until) + model.lineMs
      : model.until + model.spreadMs;
    expect(at).toBeLessThanOrEqual(Math.ceil(latest + 1));
    // An open gate turns nobody away but for a pace.
    if (open) expect(model.tooMany).toBe(true);
    this.#again(model, at);
  }
  #again(model: Model, at: number): void {
    if (this.name === undefined || model.tooMany) return;
    const told = model.told.get(this.name);
    if (told?.until === model.until) expect(at).toBe(told.at);
    model.told.set(this.name, { at, until: model.until });
  }
  toString = () => `come(${this.name ?? 'nobody'})`;
}

class Advance implements Command {
  readonly ms: number;
  constructor(ms: number) {
    this.ms = ms;
  }
  check = () => true;
  run(model: Model): void {
    vi.advanceTimersByTime(this.ms);
    model.now += this.ms;
  }
  toString = () => `advance(${this.ms})`;
}

describe('the cooldown gate against its model', () => {
  beforeEach(driveClock);
  afterEach(() => vi.useRealTimers());

  it.each([undefined, 100, 6000])(
    'advises never before the upstream’s own time, never long after (%s)',
    (knownMs) => {
      const names = Array.from({ length: 40 }, (_, n) => `run-${n}`);
      const come = fc.constantFrom(undefined, ...names).map((name) => new Come(name));
      const pauseMs = fc.constantFrom(1, 200, 1000, 7000, 3_600_000);
      const commands = [
        come,
        come,
        come,
        fc.tuple(pauseMs, fc.constant(false)).map((of) => new Pause(...of)),
        fc.tuple(pauseMs, fc.boolean()).map((of) => new Pause(...of)),
        fc.integer({ min: 1, max: 40 }).map((ms) => new Advance(ms)),
        fc.integer({ min: 1, max: 2000 }).map((ms) => new Advance(ms)),
      ];
      fc.assert(
        fc.property(fc.commands(commands, { maxCommands: 200, size: 'max' }), (run) => {
          fc.modelRun(
            () => ({
              model: {
                now: performance.now(),
                until: -Infinity,
                spreadMs: 0,
                lineMs: Math.max(30_000, 100 * (knownMs ?? 0)),
                tooMany: knownMs !== undefined,
                told: new Map<string, { at: number; until: number }>(),
              },
              real: gateAfterCalls(knownMs),
            }),
            run,
          );
        }),
        { numRuns: 300 },
      );
    },
  );
});
