// What every kind of upstream asks of a result before it is passed on.

/** JSON Pointer -> what is wrong; undefined: the value fits the tool's output schema. */
export type ValidateOutput = (value: unknown) => Readonly<Record<string, string>> | undefined;

/** Containers inside each other that a result may have: beyond, common parsers give up on a batch. */
export const MAX_RESULT_DEPTH = 500;
