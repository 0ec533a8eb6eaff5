// What leaves the gateway goes through here once: configured secrets in every form, token shapes,
// control and bidirectional characters. Scrubbed first and cut afterwards, so that no secret can
// survive as a half; a text too long to scrub whole loses the piece in which one might be cut.
import { Literals } from './literals.js';
import { secretForms, shortSecrets } from './secret-forms.js';
import { redactShapes } from './token-shapes.js';

/** Removes secrets from what leaves the gateway. */
export interface Scrubber {
  /** Scrubs, strips control and bidi characters, then caps to `maxChars` (default 500). Never throws. */
  text(s: string, maxChars?: number): string;
  /**
   * The same for every string of a value, keys included; the result is plain, acyclic JSON of at
   * most 1000 nodes, 12 levels and 4000 characters a string. Never throws.
   */
  value<T>(v: T): T;
}

const REDACTED = '[redacted]';
const DEFAULT_MAX_CHARS = 500;

/** From here on a text is remembered: shorter ones, ids mostly, cost little and rarely come again. */
const REMEMBERED_FROM_CHARS = 32;

/** How much of an over-long text is scrubbed beyond what is kept: redacting makes it shorter. */
const SLACK_CHARS = 2048;

const MAX_VALUE_NODES = 1000;
const MAX_VALUE_DEPTH = 12;
const MAX_VALUE_STRING_CHARS = 4000;
const MAX_KEY_CHARS = 200;

// Controls, format characters (zero-width, bidirectional, soft hyphen, the tag block, BOM) and lone
// surrogates: none of them is text, and models read some of them. Line breaks become spaces.
const BREAKS = /[\t\n\v\f\r\u0085\u2028\u2029]+/g;
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Surrogate}]/gu;
/** Whether there can be anything of the two in a text. */
const UNCLEAN = /[^\x20-\x7e]/;

/** A scrubber for these secrets. Build it once per configuration. */
export function createScrubber(secrets: readonly string[]): Scrubber {
  const forms = secretForms(secrets);
  const literals = new Literals(forms);
  const longest = forms[0]?.length ?? 0;
  const shortPattern = wholeWords(shortSecrets(secrets));

  function redact(text: string): string {
    let out = literals.replace(text, REDACTED);
    if (shortPattern !== undefined) out = out.replace(shortPattern, REDACTED);
    return redactShapes(out);
  }

  // A tool that is down says the same again and again.
  let last = { s: '', maxChars: 0, out: '' };

  function text(s: string, maxChars = DEFAULT_MAX_CHARS): string {
    if (typeof s !== 'string' || maxChars <= 0) return '';
    if (s.length < REMEMBERED_FROM_CHARS) return scrubbed(s, maxChars);
    if (s !== last.s || maxChars !== last.maxChars) {
      last = { s, maxChars, out: scrubbed(s, maxChars) };
    }
    return last.out;
  }

  function scrubbed(s: string, maxChars: number): string {
    const span = maxChars + SLACK_CHARS + 2 * longest;
    let out = redact(s.length > span ? s.slice(0, span) : s);
    // Where the text was cut, half a secret may stand.
    if (s.length > span) out = out.slice(0, -Math.max(longest, SLACK_CHARS / 2));
    if (UNCLEAN.test(out)) {
      const clean = strip(out);
      // A control character inside a secret would have hidden it.
      if (clean !== out) out = redact(clean);
    }
    return cap(out, maxChars);
  }

  function value<T>(v: T): T {
    const copy = new ValueScrubber(text, (n) => forms.length > 0 && redact(n) !== n);
    return copy.copy(v, 0) as T;
  }

  return { text, value };
}

function strip(text: string): string {
  return text.replace(BREAKS, ' ').replace(INVISIBLE, '');
}

function cap(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text;
  const last = text.charCodeAt(maxChars - 2);
  const splitsPair = last >= 0xd800 && last <= 0xdbff;
  return `${text.slice(0, maxChars - (splitsPair ? 2 : 1))}…`;
}

function wholeWords(words: readonly string[]): RegExp | undefined {
  if (words.length === 0) return undefined;
  const escaped = words.map((word) => word.replace(/[.*+?^${}()|[\]\\/-]/g, '\\$&'));
  return new RegExp(`(?<![\\w])(?:${escaped.join('|')})(?![\\w])`, 'g');
}

/** Copies a value of unknown make into bounded plain JSON. One per call: it counts its nodes. */
class ValueScrubber {
  readonly #text: (s: string, maxChars: number) => string;
  readonly #isSecretNumber: (digits: string) => boolean;
  readonly #ancestors: unknown[] = [];
  #nodesLeft = MAX_VALUE_NODES;

  constructor(
    text: (s: string, maxChars: number) => string,
    isSecretNumber: (digits: string) => boolean,
  ) {
    this.#text = text;
    this.#isSecretNumber = isSecretNumber;
  }

  copy(v: unknown, depth: number): unknown {
    this.#nodesLeft--;
    switch (typeof v) {
      case 'string':
        return this.#text(v, MAX_VALUE_STRING_CHARS);
      case 'number':
        return this.#copyNumber(v);
      case 'boolean':
      case 'undefined':
        return v;
      case 'bigint':
        return this.#text(String(v), MAX_VALUE_STRING_CHARS);
      case 'object':
        return v === null ? null : this.#copyObject(v, depth);
      default:
        return undefined;
    }
  }

  #copyNumber(v: number): number | string | null {
    if (!Number.isFinite(v)) return null;
    // JSON has no -0.
    return this.#isSecretNumber(String(v)) ? REDACTED : v + 0;
  }

  #copyObject(v: object, depth: number): unknown {
    if (this.#ancestors.includes(v)) return '[circular]';
    if (depth >= MAX_VALUE_DEPTH || this.#nodesLeft <= 0) return '…';
    this.#ancestors.push(v);
    try {
      return Array.isArray(v) ? this.#copyArray(v, depth) : this.#copyRecord(v, depth);
    } catch {
      return '[unreadable]'; // a proxy or a getter threw
    } finally {
      this.#ancestors.pop();
    }
  }

  #copyArray(v: readonly unknown[], depth: number): unknown[] {
    const copy: unknown[] = [];
    for (let i = 0; i < v.length; i++) {
      if (this.#nodesLeft <= 0) {
        copy.push('…');
        break;
      }
      copy.push(this.copy(v[i], depth + 1) ?? null);
    }
    return copy;
  }

  #copyRecord(v: object, depth: number): Record<string, unknown> {
    const copy: Record<string, unknown> = {};
    for (const key of Object.keys(v)) {
      if (this.#nodesLeft <= 0) {
        copy['…'] = '…';
        break;
      }
      if (key === '__proto__') continue;
      const inner = this.copy((v as Record<string, unknown>)[key], depth + 1);
      if (inner !== undefined) copy[this.#text(key, MAX_KEY_CHARS)] = inner;
    }
    return copy;
  }
}
