// Faults of a configuration file: collected, never thrown, so that a reader sees all of them at once.

/** A place in the document: keys and indexes from the root. */
export type ConfigPath = readonly (string | number)[];

/** One thing that is wrong with a configuration file. */
export interface ConfigFault {
  readonly file: string;
  /** From 1. */
  readonly line: number;
  /** From 1, in UTF-16 code units. */
  readonly column: number;
  /** Such as `tools[2].http.url`; '' for the file as a whole. */
  readonly path: string;
  /** What is wrong. Never shows a value: it may have come from the environment. */
  readonly message: string;
  readonly expected: string;
}

/** Whether a fault points at a value or at the key in front of it. */
export type Spot = 'value' | 'key';

/** Says where things stand in the text. */
export interface Locator {
  locate(path: ConfigPath, spot: Spot): { line: number; column: number };
}

/** More faults than this help nobody. */
const MAX_FAULTS = 100;

const MAX_KEY_CHARS = 80;

/** A key as a message may show it: without control or bidi characters, capped. */
export function showKey(key: string): string {
  const clean = key.replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu, '\ufffd');
  return clean.length > MAX_KEY_CHARS ? `${clean.slice(0, MAX_KEY_CHARS)}…` : clean;
}

const MAX_PATH_CHARS = 200;

/** `tools[2].http.url` */
export function formatPath(path: ConfigPath): string {
  let out = '';
  for (const step of path) {
    if (typeof step === 'number') out += `[${step}]`;
    else if (/^[A-Za-z_$][\w$-]*$/.test(step)) out += out === '' ? step : `.${step}`;
    else out += `[${JSON.stringify(showKey(step))}]`;
  }
  return out.length > MAX_PATH_CHARS ? `${out.slice(0, MAX_PATH_CHARS)}…` : out;
}

/** One line: `file:line:column path: message (expected …)`. */
export function formatFault(fault: ConfigFault): string {
  const place = `${fault.file}:${fault.line}:${fault.column}`;
  const where = fault.path === '' ? '' : ` ${fault.path}:`;
  const expected = fault.expected === '' ? '' : ` (expected ${fault.expected})`;
  return `${place}${where} ${fault.message}${expected}`;
}

/** Collects faults by their place. */
export class Faults {
  readonly #file: string;
  readonly #locator: Locator;
  readonly #faults: ConfigFault[] = [];
  readonly #seen = new Set<string>();
  /** Paths with a fault of an earlier stage: what a later one says of them would only follow from it. */
  readonly #settled = new Set<string>();
  readonly #open = new Set<string>();

  constructor(file: string, locator: Locator) {
    this.#file = file;
    this.#locator = locator;
  }

  get count(): number {
    return this.#faults.length;
  }

  /** From here on, places that are faulty already are left alone. */
  nextStage(): void {
    for (const path of this.#open) this.#settled.add(path);
    this.#open.clear();
  }

  /** Adds a fault at a place; the same one twice counts once. */
  add(path: ConfigPath, message: string, expected: string, spot: Spot = 'value'): void {
    const place = JSON.stringify(path);
    if (this.#settled.has(place) || this.#seen.has(place + message)) return;
    this.#open.add(place);
    this.#seen.add(place + message);
    const { line, column } = this.#locator.locate(path, spot);
    this.#faults.push({
      file: this.#file,
      line,
      column,
      path: formatPath(path),
      message,
      expected,
    });
  }

  /** In the order of the text, at most 100; the last one then says how many more there are. */
  list(): ConfigFault[] {
    const sorted = this.#faults.toSorted((a, b) => a.line - b.line || a.column - b.column);
    if (sorted.length <= MAX_FAULTS) return sorted;
    const shown = sorted.slice(0, MAX_FAULTS - 1);
    const next = sorted[MAX_FAULTS - 1];
    if (next === undefined) return shown;
    const more = sorted.length - shown.length;
    return [
      ...shown,
      { ...next, path: '', message: `and ${more} more faults from here on`, expected: '' },
    ];
  }
}
