// ajv's errors as JSON Pointer -> what is wrong, for a model to read. The schema's own words may be
// shown, the value's never; names of properties that a client made up are cleaned and capped.
import type { ErrorObject } from 'ajv';
import type { JsonObject } from '../call.js';
import { pointerGet } from '../json/pointer.js';
import { didYouMean } from './similar.js';
import { isObject } from '../json/object.js';
import { branchErrors } from './union-errors.js';

const MAX_ERRORS = 20;
const MAX_POINTER_CHARS = 200;
const MAX_SCHEMA_CHARS = 100;
const MAX_LISTED = 12;

/** One line a place, at most 20 places. */
export function explainErrors(
  errors: readonly ErrorObject[],
  schema: JsonObject,
): Record<string, string> {
  // No prototype: a pointer may read `__proto__`.
  const explained = Object.create(null) as Record<string, string>;
  let places = 0;
  for (const error of withoutBranches(errors, schema)) {
    const pointer = clean(pointerOf(error), MAX_POINTER_CHARS);
    const text = explain(error, schema);
    const before = explained[pointer];
    if (before !== undefined) {
      if (before.length < 200 && !before.includes(text)) explained[pointer] = `${before}; ${text}`;
      continue;
    }
    if (++places > MAX_ERRORS) break;
    explained[pointer] = text;
  }
  return { ...explained };
}

/**
 * A failed union reports every branch. Where one branch alone has the value's type, its errors are
 * what helps; where none has, the types that would do; otherwise the union as a whole.
 */
function withoutBranches(errors: readonly ErrorObject[], schema: JsonObject): ErrorObject[] {
  const hidden = new Set<ErrorObject>();
  const types = new Map<ErrorObject, ErrorObject>();
  errors.forEach((union, index) => {
    if (union.keyword !== 'anyOf' && union.keyword !== 'oneOf') return;
    const inside = branchErrors(errors, index);
    const branches = byBranch(inside, union);
    const fitting = [...branches.values()].filter(
      (list) => !list.some((e) => isWrongKind(e, union)),
    );
    // Branches behind a `$ref` report from elsewhere.
    const elsewhere = branchCount(union, schema) - branches.size;
    for (const error of inside) hidden.add(error);
    if (fitting.length + elsewhere === 1) {
      for (const error of fitting[0] ?? []) hidden.delete(error);
      hidden.add(union);
    } else if (fitting.length + elsewhere === 0) {
      const wrong = inside.filter((error) => isWrongKind(error, union));
      types.set(union, { ...union, keyword: 'type', params: { type: wrong.flatMap(typesOf) } });
    }
  });
  return errors.filter((error) => !hidden.has(error)).map((error) => types.get(error) ?? error);
}

function byBranch(errors: readonly ErrorObject[], union: ErrorObject): Map<string, ErrorObject[]> {
  const branches = new Map<string, ErrorObject[]>();
  for (const error of errors) {
    const branch = branchOf(error, union);
    const list = branches.get(branch);
    if (list === undefined) branches.set(branch, [error]);
    else list.push(error);
  }
  return branches;
}

function branchOf(error: ErrorObject, union: ErrorObject): string {
  return error.schemaPath.slice(union.schemaPath.length + 1).split('/')[0] ?? '';
}

function branchCount(union: ErrorObject, schema: JsonObject): number {
  const branches = schemaAt(schema, union.schemaPath);
  return Array.isArray(branches) ? branches.length : 0;
}

function isWrongKind(error: ErrorObject, union: ErrorObject): boolean {
  return error.keyword === 'type' && error.instancePath === union.instancePath;
}

function pointerOf(error: ErrorObject): string {
  const params = error.params as Record<string, unknown>;
  const child =
    params['missingProperty'] ??
    params['additionalProperty'] ??
    params['unevaluatedProperty'] ??
    params['propertyName'];
  if (typeof child !== 'string') return error.instancePath;
  return `${error.instancePath}/${child.replaceAll('~', '~0').replaceAll('/', '~1')}`;
}

function explain(error: ErrorObject, schema: JsonObject): string {
  const params = error.params as Record<string, unknown>;
  switch (error.keyword) {
    case 'required':
    case 'dependentRequired':
    case 'dependencies':
      return 'is required';
    case 'additionalProperties':
    case 'unevaluatedProperties':
      return unknownProperty(error, schema);
    case 'type':
      return `must be ${typesOf(error).join(' or ')}`;
    case 'enum':
      return `must be one of ${list(params['allowedValues'])}`;
    case 'const':
      return `must be ${shown(params['allowedValue'])}`;
    case 'pattern':
      return `must match the pattern ${clean(String(params['pattern']), MAX_SCHEMA_CHARS)}`;
    case 'format':
      return `must be a valid ${clean(String(params['format']), MAX_SCHEMA_CHARS)}`;
    case 'false schema':
      return 'is not allowed';
    case 'propertyNames':
      return 'has a name that is not allowed';
    case 'anyOf':
      return 'must match one of the alternatives of the schema';
    case 'oneOf':
      return 'must match exactly one of the alternatives of the schema';
    default:
      return error.message ?? 'is not valid';
  }
}

function unknownProperty(error: ErrorObject, schema: JsonObject): string {
  const known = knownProperties(error, schema);
  if (known.length === 0) return 'is not a known property';
  const params = error.params as Record<string, unknown>;
  const name = params['additionalProperty'] ?? params['unevaluatedProperty'];
  const meant = didYouMean(String(name), known);
  if (meant !== undefined)
    return `is not a known property; did you mean ${clean(meant, MAX_SCHEMA_CHARS)}?`;
  return `is not a known property; known: ${list(known, String)}`;
}

/** The `properties` beside the keyword that failed. */
function knownProperties(error: ErrorObject, schema: JsonObject): string[] {
  const beside = error.schemaPath.replace(/\/[^/]*$/, '');
  const properties = schemaAt(schema, `${beside}/properties`);
  return isObject(properties) ? Object.keys(properties) : [];
}

/** What stands at an ajv schema path (`#/properties/a%20b`); undefined where that is not in the schema. */
function schemaAt(schema: JsonObject, schemaPath: string): unknown {
  try {
    return pointerGet(schema, decodeURIComponent(schemaPath.replace(/^#/, ''))).value;
  } catch {
    return undefined;
  }
}

function typesOf(error: ErrorObject): string[] {
  const type: unknown = error.params['type'];
  const types = Array.isArray(type) ? type.map(String) : String(type).split(',');
  return [...new Set(types)];
}

function list(values: unknown, show: (value: unknown) => string = shown): string {
  if (!Array.isArray(values)) return 'the allowed values';
  const some = values.slice(0, MAX_LISTED).map((value) => clean(show(value), MAX_SCHEMA_CHARS));
  return values.length > MAX_LISTED ? `${some.join(', ')}, …` : some.join(', ');
}

function shown(value: unknown): string {
  return clean(JSON.stringify(value), MAX_SCHEMA_CHARS);
}

function clean(text: string, maxChars: number): string {
  const safe = text.replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu, '\ufffd');
  return safe.length > maxChars ? `${safe.slice(0, maxChars)}…` : safe;
}
