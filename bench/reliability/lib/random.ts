// Repeatable chance: the same seed, the same run of choices.

export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed;
  }

  /** A whole number from 0 up to, not including, `limit`. */
  below(limit: number): number {
    this.#state = (Math.imul(this.#state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((this.#state / 2 ** 32) * limit);
  }

  /** True once in `n`. */
  oneIn(n: number): boolean {
    return this.below(n) === 0;
  }

  /** One of several. */
  of<T>(choices: readonly T[]): T {
    return choices[this.below(choices.length)] as T;
  }
}
