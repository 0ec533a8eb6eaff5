// Holds values against a tool's JSON Schema: fast where they fit, and where they do not, in words that
// a model can act on. Nothing of a value is ever repeated in them.
import type { ValidateFunction } from 'ajv';
import type { JsonObject } from '../call.js';
import { isDeeperThan, isLargerThan, MAX_VALUE_DEPTH } from './measure.js';
import { createCompiler, TooMuchWork, type SchemaCompiler } from './schema-compile.js';
import { inspectSchema, type SchemaFinding } from './schema-inspect.js';
import { explainErrors } from './validation-messages.js';

export interface Validator {
  /**
   * @returns undefined when the value fits, else JSON Pointer -> what is wrong, at most 20. Never
   * throws.
   */
  validate(value: unknown): Readonly<Record<string, string>> | undefined;
}

export type CompiledValidator =
  | { readonly ok: true; readonly validator: Validator; readonly warnings: readonly string[] }
  | { readonly ok: false; readonly problem: string };

/** Values larger than this are told their first error only. */
const MAX_EXPLAINED_VALUES = 5_000;

/**
 * Compiles a schema of the dialect that it names. Whether it is valid is known at once; the code for
 * a schema of everyday keywords is made when it is first used.
 *
 * @param opts.trusted the schema is the operator's own: patterns that RE2 cannot express run natively.
 */
export function compileValidator(
  schema: JsonObject,
  opts: { trusted: boolean },
): CompiledValidator {
  const checked = checkSchema(schema, opts);
  const [problem] = checked.problems;
  if (problem !== undefined) return { ok: false, problem: say(problem) };
  return { ok: true, validator: checked.validator, warnings: checked.warnings.map(say) };
}

interface CheckedSchema {
  readonly problems: readonly SchemaFinding[];
  readonly warnings: readonly SchemaFinding[];
  /** Of use only when there are no problems. */
  readonly validator: Validator;
}

const known = {
  trusted: new WeakMap<JsonObject, CheckedSchema>(),
  foreign: new WeakMap<JsonObject, CheckedSchema>(),
};

/** As compileValidator, with every finding at its place in the schema. */
export function checkSchema(schema: JsonObject, opts: { trusted: boolean }): CheckedSchema {
  const memo = opts.trusted ? known.trusted : known.foreign;
  let checked = memo.get(schema);
  if (checked === undefined) {
    checked = check(schema, opts.trusted);
    memo.set(schema, checked);
  }
  return checked;
}

function check(schema: JsonObject, trusted: boolean): CheckedSchema {
  const inspection = inspectSchema(schema, trusted);
  const validator = new SchemaValidator(schema, createCompiler(schema, inspection, !trusted));
  const problems = [...inspection.problems];
  if (problems.length === 0 && !inspection.plain) {
    try {
      validator.prepare();
    } catch (error) {
      problems.push({ pointer: '', text: explainCompile(error) });
    }
  }
  return { problems, warnings: inspection.warnings, validator };
}

class SchemaValidator implements Validator {
  readonly #schema: JsonObject;
  readonly #compiler: SchemaCompiler;
  #first: ValidateFunction | undefined;
  #all: ValidateFunction | undefined;

  constructor(schema: JsonObject, compiler: SchemaCompiler) {
    this.#schema = schema;
    this.#compiler = compiler;
  }

  /** Makes the code now. @throws when the schema does not compile. */
  prepare(): ValidateFunction {
    return (this.#first ??= this.#compiler.compile(false));
  }

  validate(value: unknown): Readonly<Record<string, string>> | undefined {
    if (isDeeperThan(value, MAX_VALUE_DEPTH))
      return { '': `must not be nested more than ${MAX_VALUE_DEPTH} levels deep` };
    try {
      this.#compiler.reset();
      const first = this.prepare();
      if (first(value)) return undefined;
      return explainErrors(this.#errors(first, value), this.#schema);
    } catch (error) {
      const why =
        error instanceof TooMuchWork ? 'takes too much work to check' : 'cannot be checked';
      return { '': `${why} against the schema` };
    }
  }

  #errors(first: ValidateFunction, value: unknown) {
    if (isLargerThan(value, MAX_EXPLAINED_VALUES)) return first.errors ?? [];
    this.#all ??= this.#compiler.compile(true);
    this.#compiler.reset();
    this.#all(value);
    return this.#all.errors ?? first.errors ?? [];
  }
}

function explainCompile(error: unknown): string {
  const message = error instanceof Error ? error.message : '';
  const reference = /can't resolve reference (\S+)/.exec(message)?.[1];
  if (reference !== undefined)
    return `the reference ${reference.slice(0, 200)} leads nowhere (nothing is fetched)`;
  return `the schema does not compile: ${message.slice(0, 200)}`;
}

function say({ pointer, text }: SchemaFinding): string {
  return pointer === '' ? text : `${pointer}: ${text}`;
}
