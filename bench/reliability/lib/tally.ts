// Counts what callers were told, and finds batches that were not answered call by call.
import type { Answer, Call, Told } from './wire.js';

/** What was told, apart from which call it was. */
export type Saying = Pick<Told, 'code' | 'retryable' | 'effect'>;

export interface Count extends Saying {
  readonly count: number;
}

export class Tally {
  calls = 0;
  /** Calls without exactly one result of their own, each with why. */
  readonly unanswered: string[] = [];
  readonly #told = new Map<string, Map<string, Count>>();
  readonly #byCall: { call: Call; told: Told }[] = [];

  /** Takes a batch and its answer; a batch that its client left owes nobody an answer. */
  add(calls: readonly Call[], answer: Answer): void {
    if (answer.failure === 'left') return;
    this.calls += calls.length;
    const results = new Map(answer.results.map((told) => [told.id, told]));
    const extra = answer.results.length - results.size;
    if (extra > 0) this.unanswered.push(`${extra} results too many`);
    for (const call of calls) {
      const told = results.get(call.id);
      if (told === undefined) this.unanswered.push(answer.failure ?? `HTTP ${answer.status}`);
      else this.#count(call, told);
    }
  }

  /** What was told of a tool's calls, the most frequent first. */
  of(tool: string): Count[] {
    const counts = [...(this.#told.get(tool)?.values() ?? [])];
    return counts.sort((a, b) => b.count - a.count);
  }

  get tools(): string[] {
    return [...this.#told.keys()];
  }

  /** Each call of a tool with what was told of it. */
  callsOf(tool: string): readonly { call: Call; told: Told }[] {
    return this.#byCall.filter(({ call }) => call.tool === tool);
  }

  #count(call: Call, told: Told): void {
    this.#byCall.push({ call, told });
    const counts = this.#told.get(call.tool) ?? new Map<string, Count>();
    this.#told.set(call.tool, counts);
    const { code, retryable, effect } = told;
    const key = `${code} ${retryable} ${effect}`;
    counts.set(key, { code, retryable, effect, count: (counts.get(key)?.count ?? 0) + 1 });
  }
}
