// Holds a document against the configuration schema and says in words, and by place, what does not
// fit. A text that came whole from the environment is read as a number or a truth value where the
// schema asks for one.
import type { ErrorObject, ValidateFunction } from 'ajv';
import { draft2020 } from './ajv.js';
import { fits } from './fits.js';
import { branchErrors } from './union-errors.js';
import { didYouMean } from './similar.js';
import { showKey, type ConfigPath, type Faults } from './faults.js';
import { describeSchema, type SchemaPiece } from './schema/describe.js';
import { ConfigDocument } from './schema/document.js';

let compiled: ValidateFunction | undefined;

function validator(): ValidateFunction {
  compiled ??= new (draft2020().Ajv2020)({
    strict: false,
    allErrors: true,
    verbose: true,
    ownProperties: true,
    validateSchema: false,
  }).compile(ConfigDocument);
  return compiled;
}

/** True when the value is a ConfigDocument; otherwise the faults are in `faults`. */
export function checkAgainstSchema(
  value: unknown,
  wholeEnv: ReadonlySet<string>,
  faults: Faults,
): value is ConfigDocument {
  if (fits(ConfigDocument, value)) return true;
  const validate = validator();
  if (validate(value)) return true;
  if (readEnvTexts(value, wholeEnv, validate.errors ?? []) && validate(value)) return true;
  const errors = validate.errors ?? [];
  const told = new Set<string>();
  for (const error of worthTelling(errors)) {
    // An empty text fails its length and its pattern: one fault a value is enough.
    const isOfValue = error.keyword !== 'additionalProperties' && error.keyword !== 'required';
    if (isOfValue && told.has(error.instancePath)) continue;
    if (isOfValue) told.add(error.instancePath);
    report(value, error, faults);
  }
  return false;
}

/** Turns environment texts into what the schema asks for; true when there was one to turn. */
function readEnvTexts(
  root: unknown,
  wholeEnv: ReadonlySet<string>,
  errors: readonly ErrorObject[],
): boolean {
  let turned = false;
  for (const error of errors) {
    if (error.keyword !== 'type' && error.keyword !== 'const') continue;
    const path = pathOf(root, error.instancePath);
    if (!wholeEnv.has(JSON.stringify(path))) continue;
    const parsed = readText(error.data, error.keyword === 'const' ? 'boolean' : error.schema);
    if (parsed === undefined) continue;
    assign(root, path, parsed);
    turned = true;
  }
  return turned;
}

function readText(text: unknown, type: unknown): number | boolean | undefined {
  if (typeof text !== 'string') return undefined;
  if ((type === 'boolean' || type === 'null') && /^(true|false)$/.test(text))
    return text === 'true';
  if ((type === 'integer' || type === 'number') && /^-?\d{1,15}(\.\d{1,15})?$/.test(text))
    return Number(text);
  return undefined;
}

function assign(root: unknown, path: ConfigPath, value: unknown): void {
  const last = path.at(-1);
  const parent = step(root, path.slice(0, -1));
  if (last !== undefined && typeof parent === 'object' && parent !== null)
    (parent as Record<string | number, unknown>)[last] = value;
}

function step(root: unknown, path: ConfigPath): unknown {
  let value = root;
  for (const key of path) value = (value as Record<string | number, unknown>)[key];
  return value;
}

/** JSON Pointer to path; a number only where the container is a list. */
function pathOf(root: unknown, pointer: string): (string | number)[] {
  const path: (string | number)[] = [];
  let value = root;
  for (const part of pointer.split('/').slice(1)) {
    const key = part.replaceAll('~1', '/').replaceAll('~0', '~');
    path.push(Array.isArray(value) ? Number(key) : key);
    value = (value as Record<string, unknown>)[key];
  }
  return path;
}

/**
 * Of a union's failures, those of the branch that was meant: where an object or a list stands, what is
 * wrong inside it; otherwise the union's own.
 */
function worthTelling(errors: readonly ErrorObject[]): ErrorObject[] {
  const hidden = new Set<ErrorObject>();
  errors.forEach((union, index) => {
    if (union.keyword !== 'anyOf') return;
    const branches = branchErrors(errors, index);
    const kind = branches.filter((error) => isAboutKind(error, union));
    const structured =
      typeof union.data === 'object' && union.data !== null && kind.length < branches.length;
    for (const error of structured ? kind : branches) hidden.add(error);
    if (structured) hidden.add(union);
  });
  return errors.filter((error) => !hidden.has(error));
}

function isAboutKind({ keyword, instancePath }: ErrorObject, union: ErrorObject): boolean {
  return (
    instancePath === union.instancePath && ['type', 'const', 'enum', 'pattern'].includes(keyword)
  );
}

function report(root: unknown, error: ErrorObject, faults: Faults): void {
  const path = pathOf(root, error.instancePath);
  const piece = (error.parentSchema ?? {}) as SchemaPiece;
  const params = error.params as Record<string, unknown>;
  if (error.keyword === 'additionalProperties') {
    const key = String(params['additionalProperty']);
    const known = Object.keys(piece.properties ?? {});
    const meant = didYouMean(key, known);
    const hint = meant === undefined ? '' : `; did you mean ${meant}?`;
    const expected = meant ?? `one of ${known.join(', ')}`;
    faults.add([...path, key], `unknown key ${showKey(key)}${hint}`, expected, 'key');
    return;
  }
  if (error.keyword === 'required') {
    const key = String(params['missingProperty']);
    const child = piece.properties?.[key];
    faults.add([...path, key], 'is missing', child === undefined ? '' : describeSchema(child));
    return;
  }
  faults.add(path, wrong(error), describeSchema(piece));
}

function wrong({ keyword, data }: ErrorObject): string {
  switch (keyword) {
    case 'minimum':
    case 'exclusiveMinimum':
      return 'is too small';
    case 'maximum':
      return 'is too large';
    case 'minLength':
    case 'minItems':
      return 'is empty';
    case 'type':
    case 'anyOf':
      return data === null ? 'has no value' : `is ${kindOf(data)}`;
    case 'pattern':
      return 'does not have the right form';
    default:
      return 'is not an allowed value';
  }
}

function kindOf(value: unknown): string {
  if (Array.isArray(value)) return 'a list';
  switch (typeof value) {
    case 'string':
      return 'a text';
    case 'number':
      return Number.isInteger(value) ? 'a number' : 'a number with a fraction';
    case 'boolean':
      return 'true or false';
    default:
      return 'an object';
  }
}
