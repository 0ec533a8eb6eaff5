// From an inspected schema to ajv validators: one that stops at the first error, for every call, and
// one that collects them, compiled when a call first fails.
import type { Ajv, ValidateFunction } from 'ajv';
import type { JsonObject } from '../call.js';
import { formats } from './ajv.js';
import { createAjv, type AnyAjv } from './dialect.js';
import type { Inspection } from './schema-inspect.js';
import { walkSchema } from './schema-walk.js';
import { hasDuplicates } from './measure.js';

/** Subschemas that one validation against a foreign, self-referring schema may visit. */
const MAX_VISITS = 200_000;

/** Texts beyond this have no format; the checks of some formats are slow on long ones. */
const MAX_FORMAT_CHARS = 8_192;

const BUDGET_KEYWORD = 'toolgateBudget';

/** Thrown when validating took more work than a call may cost. */
export class TooMuchWork extends Error {}

export interface SchemaCompiler {
  /** @throws what ajv says when the schema does not compile. */
  compile(allErrors: boolean): ValidateFunction;
  /** Call before each validation. */
  reset(): void;
}

/** @param bounded count the work and stop it (schemas of foreign servers). */
export function createCompiler(
  schema: JsonObject,
  inspection: Inspection,
  bounded: boolean,
): SchemaCompiler {
  let visits = 0;
  const visit = (): boolean => {
    if (++visits > MAX_VISITS) throw new TooMuchWork();
    return true;
  };
  const counted = bounded && inspection.refers;
  const source = counted ? withBudget(schema) : schema;
  return {
    compile(allErrors) {
      const ajv = createAjv(inspection.dialect, {
        strict: false,
        allErrors,
        ownProperties: true,
        validateSchema: false,
        meta: !inspection.plain,
        logger: false,
        code: { regExp: engine(inspection) },
      });
      formats().default(ajv);
      boundFormats(ajv);
      replaceUniqueItems(ajv);
      if (counted) ajv.addKeyword({ keyword: BUDGET_KEYWORD, validate: visit, errors: false });
      return ajv.compile(source);
    },
    reset() {
      visits = 0;
    },
  };
}

/** ajv asks for each pattern it meets; all of them were compiled by the inspection. */
function engine({ patterns }: Inspection) {
  const find = (source: string) => patterns.get(source) ?? new RegExp(source, 'u');
  return Object.assign(find, { code: 'undefined' });
}

function boundFormats(ajv: AnyAjv): void {
  for (const [name, format] of Object.entries(ajv.formats)) {
    if (name === 'byte' || name === 'binary' || name === 'password') continue;
    const test = checkOf(format);
    if (test === undefined) continue;
    ajv.formats[name] = {
      type: 'string',
      validate: (text: string) => text.length <= MAX_FORMAT_CHARS && test(text),
    };
  }
  // The expression for this one is quadratic.
  ajv.formats['url'] = (text: string) =>
    text.length <= MAX_FORMAT_CHARS && /^(?:https?|ftp):\/\//i.test(text) && URL.canParse(text);
}

function checkOf(format: Ajv['formats'][string]): ((text: string) => boolean) | undefined {
  if (format instanceof RegExp) return (text) => format.test(text);
  if (typeof format === 'function') return format;
  if (typeof format !== 'object' || format.type === 'number') return undefined;
  const { validate } = format;
  if (validate instanceof RegExp) return (text) => validate.test(text);
  return typeof validate === 'function' ? (validate as (text: string) => boolean) : undefined;
}

/** ajv compares every pair of items; a set of their texts takes one pass. */
function replaceUniqueItems(ajv: AnyAjv): void {
  ajv.removeKeyword('uniqueItems');
  ajv.addKeyword({
    keyword: 'uniqueItems',
    type: 'array',
    schemaType: 'boolean',
    validate: (unique: boolean, items: unknown[]) => !unique || !hasDuplicates(items),
    error: { message: 'must NOT have duplicate items' },
  });
}

/** A copy in which every subschema counts when it is visited. */
function withBudget(schema: JsonObject): JsonObject {
  const copy = structuredClone(schema);
  walkSchema(copy, (part) => {
    if (part['$ref'] === undefined) part[BUDGET_KEYWORD] = true;
  });
  return copy;
}
