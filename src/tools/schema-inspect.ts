// Everything about a JSON Schema that can be said without compiling it: its dialect, whether it is
// valid there, its patterns, and whether compiling it could still fail or its work explode.
import type { ErrorObject } from 'ajv';
import type { JsonObject } from '../call.js';
import { dialectOf, metaErrors, type Dialect } from './dialect.js';
import { compilePattern, type Pattern } from './patterns.js';
import { isObject } from '../json/object.js';
import { SchemaTooLarge, walkSchema } from './schema-walk.js';

/** A finding at a place in the schema (JSON Pointer). */
export interface SchemaFinding {
  readonly pointer: string;
  readonly text: string;
}

export interface Inspection {
  readonly dialect: Dialect;
  readonly problems: readonly SchemaFinding[];
  readonly warnings: readonly SchemaFinding[];
  /** Every regular expression in it, compiled. */
  readonly patterns: ReadonlyMap<string, Pattern>;
  /** It has only everyday keywords: compiling a valid schema of that kind cannot fail. */
  readonly plain: boolean;
  /** It refers to parts of itself, so that a small schema can mean much work. */
  readonly refers: boolean;
}

const EVERYDAY = new Set(
  `$comment $schema additionalProperties allOf anyOf const default deprecated description enum examples
  exclusiveMaximum exclusiveMinimum format items maxItems maxLength maxProperties maximum minItems
  minLength minProperties minimum multipleOf not oneOf pattern patternProperties prefixItems properties
  readOnly required title type uniqueItems writeOnly`.split(/\s+/),
);

const REFERRING = ['$ref', '$dynamicRef', '$recursiveRef'] as const;

const MAX_FINDINGS = 20;

/** @param trusted the schema is the operator's own, not a foreign server's. */
export function inspectSchema(schema: JsonObject, trusted: boolean): Inspection {
  const problems: SchemaFinding[] = [];
  const warnings: SchemaFinding[] = [];
  const patterns = new Map<string, Pattern>();
  let plain = true;
  let refers = false;

  const dialect = dialectOf(schema);
  if (dialect === undefined) {
    const text = 'this JSON Schema dialect is not supported';
    problems.push({ pointer: '/$schema', text });
    return { dialect: '2020-12', problems, warnings, patterns, plain, refers };
  }

  const addPattern = (source: string, pointer: string): void => {
    if (patterns.has(source)) return;
    const compiled = compilePattern(source, trusted);
    if (!compiled.ok) problems.push({ pointer, text: compiled.problem });
    else {
      patterns.set(source, compiled.pattern);
      if (compiled.warning !== undefined) warnings.push({ pointer, text: compiled.warning });
    }
  };

  try {
    walkSchema(schema, (part, path) => {
      const pointer = toPointer(path);
      if (part['$async'] === true)
        problems.push({ pointer: `${pointer}/$async`, text: '$async is not supported' });
      if (typeof part['pattern'] === 'string') addPattern(part['pattern'], `${pointer}/pattern`);
      const named = part['patternProperties'];
      if (isObject(named))
        for (const source of Object.keys(named)) addPattern(source, `${pointer}/patternProperties`);
      refers ||= REFERRING.some((keyword) => part[keyword] !== undefined);
      plain &&= isPlain(part);
    });
    for (const error of metaErrors(dialect, schema)) {
      if (error.keyword === 'format' && error.params['format'] === 'regex') continue;
      problems.push({ pointer: error.instancePath, text: explainMeta(error) });
    }
  } catch (error) {
    if (!(error instanceof SchemaTooLarge || error instanceof RangeError)) throw error;
    problems.push({ pointer: '', text: 'the schema is too large or nested too deeply' });
  }
  return {
    dialect,
    problems: problems.slice(0, MAX_FINDINGS),
    warnings: warnings.slice(0, MAX_FINDINGS),
    patterns,
    plain,
    refers,
  };
}

function isPlain(part: JsonObject): boolean {
  for (const keyword of Object.keys(part))
    if (!EVERYDAY.has(keyword) && !keyword.startsWith('x-')) return false;
  return !Array.isArray(part['enum']) || part['enum'].length > 0;
}

function explainMeta(error: ErrorObject): string {
  if (error.keyword === 'type' && /\/items$/.test(error.instancePath))
    return 'a list of schemas is called prefixItems here; items holds one';
  const allowed: unknown = error.params['allowedValues'];
  if (Array.isArray(allowed)) return `must be one of ${allowed.map(String).join(', ')}`;
  return error.message ?? 'is not valid';
}

function toPointer(path: readonly string[]): string {
  return path.map((part) => `/${part.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}
