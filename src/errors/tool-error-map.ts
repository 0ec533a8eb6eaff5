// Translates what a tool's libraries throw, declaratively: an author who writes catch blocks by
// hand writes a bare one in the end, and that turns a bug into a retryable failure.
import { createScrubber } from './scrub.js';
import { causeChain, codeOf, readProperty, readThrown, statusOf } from './thrown-facts.js';
import { TOOL_ERROR, ToolFailure, ToolRefusal, type ToolErrorBase } from './tool-errors.js';

/** A declared translation. Made by `transient`, `permanent` or `refusal`. */
export interface ToolErrorMapping {
  readonly kind: 'transient' | 'permanent' | 'refusal';
  readonly code: string;
  readonly message?: string;
  readonly retryAfterMs?: number;
}

/** Nothing landed and the same call could succeed. */
export function transient(
  code: string,
  options: { readonly message?: string; readonly retryAfterMs?: number } = {},
): ToolErrorMapping {
  return { kind: 'transient', code, ...options };
}

/** Repeating the call repeats the failure. */
export function permanent(
  code: string,
  options: { readonly message?: string } = {},
): ToolErrorMapping {
  return { kind: 'permanent', code, ...options };
}

/** The answer is no. */
export function refusal(code: string, message?: string): ToolErrorMapping {
  return { kind: 'refusal', code, ...(message !== undefined && { message }) };
}

/** A class to translate; abstract ones too, since a base class may catch a family. */
export type ErrorClass = abstract new (...args: never[]) => unknown;

export interface ToolErrorMapOptions {
  /** Class -> translation. The most specific class of the thrown value's chain wins. */
  readonly classes?: Iterable<readonly [ErrorClass, ToolErrorMapping]>;
  /** System code (`ECONNREFUSED`), of the error or of its causes -> translation. */
  readonly codes?: Readonly<Record<string, ToolErrorMapping>>;
  /** HTTP status that the error carries -> translation; read where no class and no code matches. */
  readonly statuses?: Readonly<Record<number, ToolErrorMapping>>;
}

const scrubber = createScrubber([]);

/**
 * A declarative translation of thrown values. It never guesses (what nobody mapped becomes the
 * permanent `unmapped_failure`), never swallows a cancellation and never overrules an author.
 */
export class ToolErrorMap {
  readonly #classes: ReadonlyMap<unknown, ToolErrorMapping>;
  readonly #codes: ReadonlyMap<string, ToolErrorMapping>;
  readonly #statuses: ReadonlyMap<number, ToolErrorMapping>;

  constructor({ classes = [], codes = {}, statuses = {} }: ToolErrorMapOptions) {
    this.#classes = new Map(classes);
    this.#codes = new Map(Object.entries(codes));
    this.#statuses = new Map(
      Object.entries(statuses).map(([status, mapping]) => [Number(status), mapping]),
    );
    // A faulty code must fail where the map is written, not when the first error comes.
    for (const mapping of [this.#classes, this.#codes, this.#statuses].flatMap((m) => [
      ...m.values(),
    ])) {
      translate(mapping, '');
    }
  }

  /**
   * The error to throw instead: `throw UPSTREAM.classify(error)`. One that already is a tool error
   * comes back untouched.
   *
   * @throws the value itself where it is a cancellation
   */
  classify(thrown: unknown): Error {
    if (isToolError(thrown)) return thrown;
    if (isCancellation(thrown)) throw thrown;
    const mapping = this.#byClass(thrown) ?? this.#byCode(thrown) ?? this.#byStatus(thrown);
    return translate(mapping ?? UNMAPPED, readThrown(thrown).message);
  }

  #byClass(thrown: unknown): ToolErrorMapping | undefined {
    if (this.#classes.size === 0) return undefined;
    for (const type of classesOf(thrown)) {
      const mapping = this.#classes.get(type);
      if (mapping !== undefined) return mapping;
    }
    return undefined;
  }

  #byCode(thrown: unknown): ToolErrorMapping | undefined {
    if (this.#codes.size === 0) return undefined;
    for (const node of causeChain(thrown)) {
      const code = codeOf(node);
      const mapping = code === undefined ? undefined : this.#codes.get(code);
      if (mapping !== undefined) return mapping;
    }
    return undefined;
  }

  #byStatus(thrown: unknown): ToolErrorMapping | undefined {
    const status = statusOf(thrown);
    return status === undefined ? undefined : this.#statuses.get(status);
  }
}

const UNMAPPED = permanent('unmapped_failure', {
  message: 'The tool failed in a way that nobody classified.',
});

function translate(mapping: ToolErrorMapping, thrownMessage: string): ToolErrorBase {
  const said = mapping.message ?? scrubber.text(thrownMessage);
  const message = said === '' ? undefined : said;
  if (mapping.kind === 'refusal') return new ToolRefusal(mapping.code, message);
  return new ToolFailure(mapping.code, {
    transient: mapping.kind === 'transient',
    ...(message !== undefined && { message }),
    ...(mapping.retryAfterMs !== undefined && { retryAfterMs: mapping.retryAfterMs }),
  });
}

function isToolError(thrown: unknown): thrown is Error {
  return typeof readProperty(thrown, TOOL_ERROR) === 'string';
}

/** An abort, by Node's name for it or by the gateway's own reason. A time-out is none. */
function isCancellation(thrown: unknown): boolean {
  const name = readProperty(thrown, 'name');
  const kind = readProperty(thrown, 'kind');
  return name === 'AbortError' || (kind === 'cancelled' && !(thrown instanceof Error));
}

/** The constructors of a thrown value, most specific first. */
function classesOf(thrown: unknown): readonly unknown[] {
  const classes: unknown[] = [];
  let node = thrown;
  for (let depth = 0; depth < 16 && typeof node === 'object' && node !== null; depth++) {
    classes.push(readProperty(node, 'constructor'));
    try {
      node = Object.getPrototypeOf(node) as unknown;
    } catch {
      break;
    }
  }
  return classes;
}
