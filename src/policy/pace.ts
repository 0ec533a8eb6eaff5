// The pace that an upstream bears, learned from its own "not before": what went through before it
// said so is a first guess; then faster until it says it again, and from there carefully around the
// pace that was refused.

const MIN_SPACING_MS = 1;
const MAX_SPACING_MS = 1000;
/** What went through in the last such times is what was borne. */
const LOOK_BACK_MS = 2000;
/** A pause this soon after the last one says that the pace was too fast. */
const SAME_STORY_MS = 60_000;
const SLOW_DOWN = 1.05;
/** What a success takes from the spacing: much while it is far from the one that was refused last,
 * little around it, and more again the longer nothing was refused. */
const SEARCH = 0.01;
const PROBE = 0.0001;
const PATIENCE = 400;
const AROUND_FROM = 0.9;
const AROUND_TO = 1.1;

export class Pace {
  readonly #knownMs: number | undefined;
  #spacingMs = MIN_SPACING_MS;
  /** The spacing that was refused last; 0 while none is known. */
  #refusedMs = 0;
  #pausedAt = -Infinity;
  /** Until then callers come at a pace that was promised before it was corrected. */
  #settledFrom = -Infinity;
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

  /** The time between two callers, milliseconds. */
  get spacingMs(): number {
    return this.#knownMs ?? this.#spacingMs;
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
    const ratio = this.#spacingMs / this.#refusedMs;
    this.#successes += 1;
    const probe = PROBE * (1 + (this.#successes / PATIENCE) ** 2);
    const step = ratio > AROUND_FROM && ratio < AROUND_TO ? Math.min(SEARCH, probe) : SEARCH;
    this.#set(this.#spacingMs * (1 - step));
  }

  /**
   * The upstream asked for a pause.
   *
   * @param promisedUntil the last moment that callers were told at the old pace
   */
  paused(now: number, pauseMs: number, promisedUntil: number): void {
    const again = now - this.#pausedAt < SAME_STORY_MS;
    // The attempt that was refused does not count.
    const sent = this.#sentBefore + this.#sent - 1;
    const spanMs = now - this.#sentFrom + (this.#sentBefore > 0 ? LOOK_BACK_MS : 0);
    this.#pausedAt = now;
    this.#sentFrom = now;
    this.#sentBefore = 0;
    this.#sent = 0;
    this.#firstSpanMs = 0;
    this.#successes = 0;
    if (!again) {
      this.#refusedMs = 0;
      this.#firstSpanMs = spanMs + pauseMs;
      this.#sent = sent;
      this.#set(this.#firstSpanMs / Math.max(1, sent));
    } else if (now >= this.#settledFrom) {
      this.#refusedMs = Math.max(this.#spacingMs, spanMs / Math.max(1, sent));
      this.#settledFrom = promisedUntil;
      this.#set(Math.max(this.#spacingMs * SLOW_DOWN, spanMs / Math.max(1, sent)));
    }
  }

  /** Another attempt of those that were under way was refused: it was not borne either. */
  refusedToo(): void {
    if (this.#firstSpanMs === 0) return;
    this.#sent -= 1;
    this.#set(this.#firstSpanMs / Math.max(1, this.#sent));
  }

  #set(spacingMs: number): void {
    this.#spacingMs = Math.min(MAX_SPACING_MS, Math.max(MIN_SPACING_MS, spacingMs));
  }
}
