// The configuration file as a whole.
import { Type, type Static } from '../../json/schema-type.js';
import {
  DEFAULT_EGRESS_DENY,
  DEFAULT_MCP_IDLE_TIMEOUT_MS,
  DEFAULT_SERVER as S,
} from '../defaults.js';
import { ErrorRules } from './errors.js';
import { count, flag, ms, object, oneOf, text, textMap, texts } from './parts.js';
import { Defaults, policyKeys } from './policy.js';
import { cache, idempotency, Tool } from './tool.js';

const optional = Type.Optional;

const server = object(
  {
    max_batch: optional(
      count({ description: 'Calls in one request.', default: S.maxBatch }, 1, 10_000),
    ),
    max_body_bytes: optional(
      count({ description: 'Bytes of one request.', default: S.maxBodyBytes }, 1_024, 268_435_456),
    ),
    default_deadline_ms: optional(
      ms({ description: 'Time of a batch that names none.', default: S.defaultDeadlineMs }),
    ),
    max_deadline_ms: optional(
      ms({ description: 'The longest time a batch may ask for.', default: S.maxDeadlineMs }),
    ),
    drain_timeout_ms: optional(
      ms(
        {
          description: 'How long calls in flight may go on after SIGTERM.',
          default: S.drainTimeoutMs,
        },
        0,
      ),
    ),
    rate_limit: optional(
      Type.Union(
        [
          object({
            requests: count({ description: 'Requests per `per_ms`.' }, 1, 1_000_000),
            per_ms: ms({ description: 'The period.' }),
          }),
          Type.Literal(false),
          Type.Null(),
        ],
        {
          description: 'Requests per client. Absent: no limit.',
          expected: 'an object, or false to switch it off',
        },
      ),
    ),
    trust_proxy: optional(
      texts({ description: 'Addresses or CIDRs whose X-Forwarded-For is believed.', default: [] }),
    ),
    egress: optional(
      object(
        {
          deny: optional(
            texts({
              description: 'CIDRs or addresses that no tool may dial. Replaces the default list.',
              default: DEFAULT_EGRESS_DENY,
            }),
          ),
          allow: optional(texts({ description: 'Exceptions from `deny`.', default: [] })),
        },
        { description: 'Where tools may connect to, checked on the address that is dialled.' },
      ),
    ),
  },
  { description: 'The gateway itself.' },
);

const client = object({
  id: Type.String({
    pattern: '^[A-Za-z0-9_.@:-]{1,64}$',
    description: 'Name of the client in logs and metrics.',
    expected: '1 to 64 of letters, digits and "_.@:-"',
  }),
  key_sha256: Type.String({
    pattern: '^[0-9a-fA-F]{64}$',
    description: 'SHA-256 of its API key, in hex.',
    expected: '64 hexadecimal digits',
  }),
  tools: optional(
    texts({
      description:
        'Patterns over tool names: `*` any characters, `?` one, `!` in front excludes; the last match wins.',
      default: ['*'],
    }),
  ),
  rate_limit: optional(
    Type.Union(
      [
        object({
          calls: count({ description: 'Calls per `per_ms`.' }, 1, 1_000_000),
          per_ms: ms({ description: 'The period.' }),
        }),
        Type.Literal(false),
        Type.Null(),
      ],
      {
        description: 'Calls of this client. Absent: no limit.',
        expected: 'an object, or false to switch it off',
      },
    ),
  ),
});

const oauth = object(
  {
    token_url: text({ description: 'Token endpoint.' }),
    client_id: text({ description: 'Client id.' }),
    client_secret: text({ description: 'Client secret.' }),
    scope: optional(text({ description: 'Scopes, separated by spaces.' })),
  },
  { description: 'OAuth 2 client credentials.' },
);

const mcpServer = object({
  name: Type.String({
    pattern: '^[A-Za-z0-9_.-]{1,64}$',
    description: 'Name of the server in logs, metrics and /healthz.',
    expected: '1 to 64 of letters, digits, "_", "." and "-"',
  }),
  url: optional(text({ description: 'Streamable HTTP (falls back to SSE).' })),
  command: optional(
    Type.Array(Type.String({ minLength: 1 }), {
      minItems: 1,
      description: 'stdio: the command and its arguments.',
    }),
  ),
  headers: optional(textMap({ description: 'With `url`: request headers.' })),
  oauth: optional(oauth),
  env: optional(
    textMap({
      description: "With `command`: the child's whole environment besides PATH and HOME.",
    }),
  ),
  cwd: optional(
    text({
      description:
        'With `command`: its working directory, from the configuration file. Default: where that file stands.',
    }),
  ),
  tools: optional(
    texts({ description: "Patterns over the server's own tool names.", default: ['*'] }),
  ),
  prefix: optional(
    Type.String({
      pattern: '^[A-Za-z0-9_.-]{0,48}$',
      description: "Put before the server's tool names. Default: the server's name and a dot.",
      expected: 'at most 48 of letters, digits, "_", "." and "-"',
    }),
  ),
  trusted: optional(
    flag({ description: 'Whether its annotations may make a call repeatable.', default: false }),
  ),
  idle_timeout_ms: optional(
    ms({
      description: 'Silence after which an attempt ends; progress restarts it.',
      default: DEFAULT_MCP_IDLE_TIMEOUT_MS,
    }),
  ),
  required: optional(flag({ description: 'Not ready without it.', default: false })),
  connect: optional(
    oneOf(['eager', 'lazy'], {
      description: 'At the start, or at the first call.',
      default: 'eager',
    }),
  ),
  idempotent: optional(flag({ description: 'Wins over annotations.' })),
  idempotency: optional(idempotency),
  cache: optional(cache),
  errors: optional(ErrorRules),
  ...policyKeys,
});

export const ConfigDocument = object({
  version: Type.Literal(1, { description: 'Version of this format.', expected: '1' }),
  server: optional(server),
  clients: optional(
    Type.Array(client, { description: 'Who may call. Empty: anyone, on loopback only.' }),
  ),
  defaults: optional(Defaults),
  tools: optional(Type.Array(Tool, { description: 'The tools.' })),
  mcp_servers: optional(
    Type.Array(mcpServer, { description: 'MCP servers whose tools are offered.' }),
  ),
});

export type ConfigDocument = Static<typeof ConfigDocument>;
export type ToolEntry = NonNullable<ConfigDocument['tools']>[number];
export type McpServerEntry = NonNullable<ConfigDocument['mcp_servers']>[number];
export type ClientEntry = NonNullable<ConfigDocument['clients']>[number];
export type PolicyEntry = NonNullable<ConfigDocument['defaults']>;
