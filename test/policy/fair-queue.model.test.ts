import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FairQueue, type Place } from '../../src/policy/fair-queue.js';

/** Lists, served in a round; the first list is the next in turn. */
interface Model {
  round: { client: string; waiting: number[] }[];
}

interface Real {
  queue: FairQueue<number>;
  places: Map<number, Place<number>>;
  pushed: number;
}

type Command = fc.Command<Model, Real>;

function drop(model: Model, client: string): void {
  model.round = model.round.filter((line) => line.client !== client || line.waiting.length > 0);
}

class Push implements Command {
  readonly client: string;
  constructor(client: string) {
    this.client = client;
  }
  check = () => true;
  run(model: Model, real: Real): void {
    const id = (real.pushed += 1);
    real.places.set(id, real.queue.push(this.client, id));
    const line = model.round.find(({ client }) => client === this.client);
    if (line === undefined) model.round.push({ client: this.client, waiting: [id] });
    else line.waiting.push(id);
    const held = model.round.find(({ client }) => client === this.client)!.waiting.length;
    expect(real.queue.heldBy(this.client)).toBe(held);
  }
  toString = () => `push(${this.client})`;
}

class Shift implements Command {
  check = () => true;
  run(model: Model, real: Real): void {
    const line = model.round.shift();
    expect(real.queue.shift()).toBe(line?.waiting[0]);
    if (line === undefined) return;
    line.waiting.shift();
    if (line.waiting.length > 0) model.round.push(line);
    expect(real.queue.size).toBe(model.round.flatMap(({ waiting }) => waiting).length);
  }
  toString = () => 'shift';
}

class Remove implements Command {
  readonly pick: number;
  constructor(pick: number) {
    this.pick = pick;
  }
  check = (model: Model) => model.round.length > 0;
  run(model: Model, real: Real): void {
    const all = model.round.flatMap(({ waiting }) => waiting);
    const id = all[this.pick % all.length]!;
    real.queue.remove(real.places.get(id)!);
    // A second time changes nothing.
    real.queue.remove(real.places.get(id)!);
    const line = model.round.find(({ waiting }) => waiting.includes(id))!;
    line.waiting.splice(line.waiting.indexOf(id), 1);
    drop(model, line.client);
    expect(real.queue.size).toBe(all.length - 1);
  }
  toString = () => `remove(${this.pick})`;
}

class Displaceable implements Command {
  readonly client: string;
  constructor(client: string) {
    this.client = client;
  }
  check = () => true;
  run(model: Model, real: Real): void {
    const most = Math.max(0, ...model.round.map(({ waiting }) => waiting.length));
    const own = model.round.find(({ client }) => client === this.client)?.waiting.length ?? 0;
    const place = real.queue.displaceable(this.client);
    expect(place !== undefined).toBe(most >= own + 2);
    if (place === undefined) return;
    const line = model.round.find(({ waiting }) => waiting.includes(place.value))!;
    expect([line.waiting.length, line.waiting.at(-1)]).toEqual([most, place.value]);
  }
  toString = () => `displaceable(${this.client})`;
}

describe('the fair queue against its model', () => {
  it('serves clients in turn and each in order, and finds who holds most', () => {
    const client = fc.constantFrom('a', 'a', 'a', 'b', 'b', 'c');
    const commands = [
      client.map((name) => new Push(name)),
      client.map((name) => new Push(name)),
      fc.constant(new Shift()),
      fc.nat(20).map((pick) => new Remove(pick)),
      client.map((name) => new Displaceable(name)),
    ];
    fc.assert(
      fc.property(fc.commands(commands, { maxCommands: 100, size: 'max' }), (run) => {
        const real: Real = { queue: new FairQueue(), places: new Map(), pushed: 0 };
        fc.modelRun(() => ({ model: { round: [] }, real }), run);
      }),
      { numRuns: 300 },
    );
  });
});
