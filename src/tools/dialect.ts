// JSON Schema dialects: which one a schema is written in, and whether it is valid in it.
import type { Ajv, ErrorObject, Options } from 'ajv';
import type { Ajv2019 } from 'ajv/dist/2019.js';
import type { Ajv2020 } from 'ajv/dist/2020.js';
import type { JsonObject } from '../call.js';
import { draft07, draft2019, draft2020 } from './ajv.js';
import { EVERYDAY_SCHEMA } from './everyday-schema.js';
import { fits } from './fits.js';

const URIS = {
  'draft-07': 'http://json-schema.org/draft-07/schema',
  '2019-09': 'https://json-schema.org/draft/2019-09/schema',
  '2020-12': 'https://json-schema.org/draft/2020-12/schema',
} as const;

export type Dialect = keyof typeof URIS;

/** The dialect that `$schema` names, 2020-12 without it; undefined for one that we do not speak. */
export function dialectOf(schema: JsonObject): Dialect | undefined {
  const named = schema['$schema'];
  if (named === undefined) return '2020-12';
  if (typeof named !== 'string') return undefined;
  const bare = named.replace(/^https?:/, '').replace(/#$/, '');
  for (const dialect of Object.keys(URIS) as Dialect[])
    if (URIS[dialect].replace(/^https?:/, '') === bare) return dialect;
  return undefined;
}

export type AnyAjv = Ajv | Ajv2019 | Ajv2020;

/** A schema compiler of a dialect. */
export function createAjv(dialect: Dialect, options: Options): AnyAjv {
  switch (dialect) {
    case 'draft-07':
      return new (draft07().Ajv)(options);
    case '2019-09':
      return new (draft2019().Ajv2019)(options);
    case '2020-12':
      return new (draft2020().Ajv2020)(options);
  }
}

const metaCompilers = new Map<Dialect, AnyAjv>();

/** What is wrong with the schema by its own meta-schema; one error a place. */
export function metaErrors(dialect: Dialect, schema: JsonObject): ErrorObject[] {
  if (dialect === '2020-12' && fits(EVERYDAY_SCHEMA, schema)) return [];
  let ajv = metaCompilers.get(dialect);
  if (ajv === undefined) {
    ajv = createAjv(dialect, { strict: false, allErrors: true, logger: false });
    metaCompilers.set(dialect, ajv);
  }
  const validate = ajv.getSchema(URIS[dialect]);
  if (validate === undefined || validate(schema) === true) return [];
  const byPlace = new Map<string, ErrorObject>();
  for (const error of validate.errors ?? []) {
    if (!byPlace.has(error.instancePath)) byPlace.set(error.instancePath, error);
  }
  return [...byPlace.values()];
}
