// An argument that fits its schema but not the place it goes to: a path, a header.
import type { InvalidArgumentsOutcome } from '../../errors/outcome.js';
import { escapePointerToken } from '../../json/pointer.js';

/** Thrown while a request is built; becomes an `invalid-arguments` outcome there. */
export class ArgumentFault extends Error {
  readonly argument: string;

  /** @param problem read after the argument's pointer; never its value */
  constructor(argument: string, problem: string) {
    super(problem);
    this.argument = argument;
  }

  toOutcome(): InvalidArgumentsOutcome {
    const pointer = `/${escapePointerToken(this.argument)}`;
    return { kind: 'invalid-arguments', errors: { [pointer]: this.message } };
  }
}
