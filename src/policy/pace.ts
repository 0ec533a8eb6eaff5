// The pace that an upstream bears, learned from its own "too many": what went through before it
// said so is a first guess; then faster until it says it again, and from there carefully around the
// pace that was refused. Where going slower does not help, it is not the pace that it refuses.

const MIN_SPACING_MS = 1;
const MAX_SPACING_MS = 1000;
/** What went through in the last such times is what was borne. */
const LOOK_BACK_MS = 2000;
/** A pause this soon after the last one says that the pace was too fast. */
const SAME_STORY_MS = 60_000;
const SLOW_DOWN = 1.05;
/** Fewer calls that were borne say nothing about a pace. */
const LEAST_BORNE = 3;
/** What a success takes from the spacing: much while it is far from the one that was refused last,
 * little around it, and more again the longer nothing was refused. */
const SEARCH = 0.005;
const PROBE = 0.0001;
const PATIENCE = 400;
const AROUND_FROM = 0.9;
const AROUND_TO = 1.1;
/** So many times slower than the guess means that the guess was wrong, or, again, the whole idea. */
const WRONG = 1.75;

export class Pace {
  readonly #knownMs: number | undefined;
  #spacingMs = 0;
  /** What the spacing is compared with, and whether that was corrected already. */
  #guessMs = 0;
  #corrected = false;
  #useless = false;
  /** The spacing that was refused last; 0 while none is known. */
  #refusedMs = 0;
  #pausedAt = -Infinity;
  /** While only one pause is known: the time in which `#sent` attempts were borne. */
  #firstSpanMs = 0;
  #sentFrom = performance.now();
  #sent = 0;
  #sentBefore = 0;
  #successes = 0;

  /** @param knownMs the configured time between two calls; absent: it is learned. */
  constructor(knownMs?: number) {
    this.#knownMs = knownMs;
  }

  /** The time between two callers, milliseconds; 0 where none is known or worth keeping. */
  get spacingMs(): number {
    return this.#useless ? 0 : (this.#knownMs ?? this.#spacingMs);
  }

  /** Until the upstream was content for a while, no pace is kept. */
  giveUp(): void {
    this.#useless = true;
  }

  /** It asked for a pause for another reason: what was learned is not what it is about. */
  pausedOtherwise(): void {
    if (this.#knownMs === undefined) this.giveUp();
  }

  /** An attempt goes upstream. */
  sent(): void {
    const now = performance.now();
    const spanMs = now - this.#sentFrom;
    if (spanMs > LOOK_BACK_MS) {
      const recent = spanMs <= 2 * LOOK_BACK_MS;
      this.#sentBefore = recent ? this.#sent : 0;
      this.#sentFrom = recent ? this.#sentFrom + LOOK_BACK_MS : now;
      this.#sent = 0;
    }
    this.#sent += 1;
  }

  /** An attempt succeeded: the pace may be a little faster. */
  succeeded(): void {
    if (this.spacingMs === 0) return;
    const ratio = this.#spacingMs / this.#refusedMs;
    this.#successes += 1;
    const probe = PROBE * (1 + (this.#successes / PATIENCE) ** 2);
    const step = ratio > AROUND_FROM && ratio < AROUND_TO ? Math.min(SEARCH, probe) : SEARCH;
    this.#set(this.#spacingMs * (1 - step));
  }

  /**
   * The upstream asked for a pause because of too many calls.
   */
  paused(now: number, pauseMs: number): void {
    const again = this.#guessMs > 0 && now - this.#pausedAt < SAME_STORY_MS;
    // The attempt that was refused does not count.
    const sent = this.#sentBefore + this.#sent - 1;
    const spanMs = now - this.#sentFrom + (this.#sentBefore > 0 ? LOOK_BACK_MS : 0);
    this.#pausedAt = now;
    this.#sentFrom = now;
    this.#sentBefore = 0;
    this.#sent = 0;
    this.#firstSpanMs = 0;
    this.#successes = 0;
    if (again) {
      this.#slowDown(spanMs / Math.max(1, sent));
      return;
    }
    this.#useless = false;
    this.#refusedMs = 0;
    this.#firstSpanMs = spanMs + pauseMs;
    this.#sent = sent;
    this.#guess();
  }

  /** Another attempt of those that were under way was refused: it was not borne either. */
  refusedToo(): void {
    if (this.#firstSpanMs === 0) return;
    this.#sent -= 1;
    this.#guess();
  }

  #slowDown(borneMs: number): void {
    const slowerMs = Math.max(this.#spacingMs * SLOW_DOWN, borneMs);
    this.#refusedMs = Math.max(this.#spacingMs, borneMs);
    this.#set(slowerMs);
    if (slowerMs <= WRONG * this.#guessMs) return;
    if (this.#corrected) this.giveUp();
    this.#corrected = true;
    this.#guessMs = this.#spacingMs;
  }

  #guess(): void {
    if (this.#sent < LEAST_BORNE) this.#spacingMs = 0;
    else this.#set(this.#firstSpanMs / this.#sent);
    this.#guessMs = this.#spacingMs;
    this.#corrected = false;
  }

  #set(spacingMs: number): void {
    this.#spacingMs = Math.min(MAX_SPACING_MS, Math.max(MIN_SPACING_MS, spacingMs));
  }
}
