// One entry of `tools:`.
import { Type } from '../../json/schema-type.js';
import { DEFAULT_CACHE_MAX_BYTES, DEFAULT_IDEMPOTENCY_TTL_MS } from '../defaults.js';
import { ErrorRules, predicate } from './errors.js';
import {
  anything,
  count,
  flag,
  jsonSchema,
  ms,
  object,
  oneOf,
  pointer,
  text,
  textMap,
} from './parts.js';
import { policyKeys } from './policy.js';

const optional = Type.Optional;

const HTTP_METHODS = ['GET', 'HEAD', 'OPTIONS', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;

const http = object(
  {
    method: optional(oneOf(HTTP_METHODS, { description: 'The method.', default: 'GET' })),
    url: text({
      description:
        'http(s) URL. `{argument}` placeholders, percent-encoded, in path or query only.',
    }),
    query: optional(
      Type.Record(Type.String(), Type.Unknown(), {
        description:
          'Query parameters. Left out, for methods without a body: the arguments not used in the URL.',
        expected: 'an object',
      }),
    ),
    headers: optional(textMap({ description: 'Request headers.' })),
    body: optional(
      anything({
        description:
          'JSON body. Left out, for methods with a body: the arguments not used in the URL.',
      }),
    ),
    result: optional(
      pointer({ description: 'Where in the answer the result stands. Absent: all of it.' }),
    ),
    success_when: optional(predicate('A 2xx for which this does not hold is a failure.')),
    follow_redirects: optional(
      oneOf(['none', 'same_origin'], {
        description: 'Whether redirects are followed (GET and HEAD only).',
        default: 'none',
      }),
    ),
  },
  { description: 'An HTTP upstream.' },
);

export const idempotency = object(
  {
    header: optional(
      text({
        description: 'Header that carries the key upstream. Absent: the key stays in the gateway.',
      }),
    ),
    ttl_ms: optional(
      Type.Integer({
        minimum: 1_000,
        maximum: 30 * 86_400_000,
        description: 'How long a key is remembered.',
        default: DEFAULT_IDEMPOTENCY_TTL_MS,
      }),
    ),
  },
  { description: 'What happens with the idempotency key of a call.' },
);

export const cache = object(
  {
    ttl_ms: ms({ description: 'How long a result is good.' }),
    max_bytes: optional(
      count(
        { description: 'What the cache of the tool may hold.', default: DEFAULT_CACHE_MAX_BYTES },
        1,
        1_073_741_824,
      ),
    ),
    per_client: optional(
      flag({ description: 'Each client has results of its own.', default: true }),
    ),
  },
  { description: 'Result cache; only for tools that only read.' },
);

const verify = object(
  {
    tool: text({ description: 'A tool that only reads.' }),
    arguments: optional(
      Type.Record(Type.String(), Type.Unknown(), {
        description: "Its arguments; `{argument}` takes the original call's.",
        expected: 'an object',
      }),
    ),
    confirmed_when: predicate('What in its result says that the effect happened.'),
  },
  { description: 'How an unknown outcome is read back.' },
);

export const Tool = object({
  name: Type.String({
    pattern: '^[A-Za-z0-9_.-]{1,64}$',
    description: 'The name callers use.',
    expected: '1 to 64 of letters, digits, "_", "." and "-"',
  }),
  description: optional(
    Type.String({ description: 'What the tool does, for people and models.', default: '' }),
  ),
  input_schema: optional(
    jsonSchema({
      description:
        'JSON Schema of the arguments; 2020-12 unless `$schema` names draft-07 or 2019-09.',
      default: { type: 'object' },
    }),
  ),
  output_schema: optional(
    jsonSchema({ description: 'JSON Schema of the result; a promise that is held.' }),
  ),
  idempotent: optional(
    flag({
      description:
        'Whether repeating a call changes nothing more. Default: what the method says (GET, HEAD, OPTIONS, PUT, DELETE), and true for `read_only`.',
    }),
  ),
  read_only: optional(
    flag({
      description:
        'Whether it only reads. Default: true for GET and HEAD. `cache` and `verify` need it.',
    }),
  ),
  http: optional(http),
  module: optional(
    text({
      description:
        'Path of an ES module, from the configuration file: `export default async (args, {signal, call}) => result`.',
    }),
  ),
  idempotency: optional(idempotency),
  verify: optional(verify),
  cache: optional(cache),
  errors: optional(ErrorRules),
  ...policyKeys,
});
