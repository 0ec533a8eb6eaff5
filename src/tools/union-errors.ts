// What ajv says of the branches of a failed union stands right before what it says of the union.
import type { ErrorObject } from 'ajv';

/** The errors of the branches of the `anyOf` or `oneOf` at `index`; those behind a `$ref` excepted. */
export function branchErrors(errors: readonly ErrorObject[], index: number): ErrorObject[] {
  const union = errors[index];
  if (union === undefined) return [];
  let from = index;
  while (from > 0 && isInside(errors[from - 1], union)) from--;
  return errors.slice(from, index);
}

function isInside(error: ErrorObject | undefined, union: ErrorObject): boolean {
  return (
    error?.schemaPath.startsWith(`${union.schemaPath}/`) === true &&
    error.instancePath.startsWith(union.instancePath)
  );
}
