// Turns in the order in which they fall due. Kept apart from `turns.ts` so that counting what is
// due and forgetting what was missed stays O(1) amortised: every turn is passed by twice at most.
import { CLOCK_SLACK_MS } from './clock.js';

/** A moment that one refused caller was told, and the unit that is kept for it. */
export interface Turn {
  readonly group: string;
  readonly key: string | number;
  /** `performance.now()` milliseconds. */
  readonly dueAt: number;
  readonly line: TurnLine;
  /** `done`: taken, moved or missed; the line forgets it when it passes by. */
  state: 'waiting' | 'due' | 'done';
}

/** Passed turns are cut off in one go once there are this many. */
const COMPACT_AT = 1024;

/** FIFO of turns with non-decreasing due times. */
export class TurnLine {
  #turns: Turn[] = [];
  /** First turn that is still kept. */
  #head = 0;
  /** First turn that has not fallen due. */
  #next = 0;
  #size = 0;
  #due = 0;

  /** Turns that are neither taken nor missed. */
  get size(): number {
    return this.#size;
  }

  /** Those of them whose moment has come. */
  get due(): number {
    return this.#due;
  }

  /** The last moment that was promised; -Infinity when none is outstanding. */
  get lastDueAt(): number {
    return this.#size === 0 ? -Infinity : (this.#turns.at(-1)?.dueAt ?? -Infinity);
  }

  /** The next moment that has not come yet; undefined when there is none. */
  get nextDueAt(): number | undefined {
    while (this.#turns[this.#next]?.state === 'done') this.#next += 1;
    return this.#turns[this.#next]?.dueAt;
  }

  push(turn: Turn): void {
    this.#turns.push(turn);
    this.#size += 1;
  }

  /** Takes a turn out, wherever it stands. */
  remove(turn: Turn): void {
    if (turn.state === 'done') return;
    if (turn.state === 'due') this.#due -= 1;
    turn.state = 'done';
    this.#size -= 1;
  }

  /** Brings `due` up to now and hands turns that nobody took within `graceMs` to `onMissed`. */
  sweep(now: number, graceMs: number, onMissed: (turn: Turn) => void): void {
    for (;;) {
      const turn = this.#turns[this.#next];
      if (turn === undefined || turn.dueAt > now + CLOCK_SLACK_MS) break;
      if (turn.state === 'waiting') {
        turn.state = 'due';
        this.#due += 1;
      }
      this.#next += 1;
    }
    while (this.#head < this.#next) {
      const turn = this.#turns[this.#head];
      if (turn === undefined) break;
      if (turn.state !== 'done') {
        if (turn.dueAt + graceMs >= now) break;
        this.remove(turn);
        onMissed(turn);
      }
      this.#head += 1;
    }
    this.#compact();
  }

  #compact(): void {
    if (this.#head < COMPACT_AT && this.#head < this.#turns.length) return;
    this.#turns = this.#turns.slice(this.#head);
    this.#next -= this.#head;
    this.#head = 0;
  }
}
