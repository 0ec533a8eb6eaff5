// What a tool's definition asks of a result's value: `success_when`, the result pointer, the output
// schema. A tool that asks for nothing has no rule, and its answers are never parsed.
import type { HttpUpstreamDefinition, ResultPolicy } from '../../call.js';
import type { Outcome, ResultBody, ResultInvalidOutcome } from '../../errors/outcome.js';
import { compilePointer, type CompiledPointer } from '../../json/pointer.js';
import { compilePredicate, type CompiledPredicate } from '../../json/predicate.js';
import type { ValidateOutput } from '../result-check.js';

/** A 2xx whose body cannot be used; `explanation` is a sentence of ours, without upstream text. */
export function invalidResult(
  problem: ResultInvalidOutcome['problem'],
  explanation: string,
  status: number,
): ResultInvalidOutcome {
  return { kind: 'result-invalid', problem, explanation, status };
}

export class ResultRule {
  /** A text that is not JSON cannot be held against it. */
  readonly needsJson: boolean;
  readonly #succeeded: CompiledPredicate | undefined;
  readonly #pointer: CompiledPointer | undefined;
  readonly #validate: ValidateOutput | undefined;
  readonly #validation: ResultPolicy['validation'];

  private constructor(
    definition: HttpUpstreamDefinition,
    validate: ValidateOutput | undefined,
    validation: ResultPolicy['validation'],
  ) {
    const { successWhen, resultPointer } = definition;
    this.#succeeded = successWhen && compilePredicate(successWhen);
    this.#pointer = resultPointer ? compilePointer(resultPointer) : undefined;
    this.#validate = validate;
    this.#validation = validation;
    this.needsJson = this.#succeeded !== undefined || this.#pointer !== undefined;
  }

  /** undefined: nothing is asked. */
  static compile(
    definition: HttpUpstreamDefinition,
    validate: ValidateOutput | undefined,
    validation: ResultPolicy['validation'],
  ): ResultRule | undefined {
    const rule = new ResultRule(definition, validate, validation);
    return rule.needsJson || validate !== undefined ? rule : undefined;
  }

  /**
   * Holds a value against the rule.
   *
   * @param body the value as it came, delivered where no pointer picks a part of it
   * @returns undefined where `success_when` says that this is no success
   */
  apply(value: unknown, body: ResultBody, status: number): Outcome | undefined {
    if (this.#succeeded?.(value) === false) return undefined;
    let part = value;
    let result = body;
    if (this.#pointer !== undefined) {
      const at = this.#pointer(value);
      if (!at.found) {
        const what = 'The answer has nothing at the place where the result should be.';
        return invalidResult('pointer', what, status);
      }
      part = at.value;
      result = { kind: 'value', value: part };
    }
    const errors = this.#validate?.(part);
    if (errors === undefined) return { kind: 'ok', result };
    if (this.#validation === 'warn') return { kind: 'ok', result, warnings: ['TOOL_RESULT_ERROR'] };
    const what = 'The answer does not match the output schema of the tool.';
    return { ...invalidResult('schema', what, status), errors, content: part };
  }
}
