// From a checked document to the configuration that the gateway runs on: camelCase, defaults merged,
// paths absolute.
import { resolve } from 'node:path';
import type {
  HttpUpstreamDefinition,
  JsonObject,
  ToolDefinition,
  UpstreamDefinition,
} from '../call.js';
import type {
  ClientDefinition,
  GatewayConfig,
  McpServerDefinition,
  ServerConfig,
} from '../config.js';
import {
  toCache,
  toErrorRules,
  toIdempotency,
  toPredicate,
  withoutUndefined,
} from './build-parts.js';
import { DEFAULT_MCP_IDLE_TIMEOUT_MS, DEFAULT_SERVER } from './defaults.js';
import { mergePolicyEntries, toPolicy } from './policy-merge.js';
import type {
  ClientEntry,
  ConfigDocument,
  McpServerEntry,
  PolicyEntry,
  ToolEntry,
} from './schema/document.js';
import { policyKeys } from './schema/policy.js';

/** Methods that HTTP calls safe or idempotent (RFC 9110 §9.2). */
const READING_METHODS: readonly string[] = ['GET', 'HEAD'];
const IDEMPOTENT_METHODS: readonly string[] = ['GET', 'HEAD', 'OPTIONS', 'PUT', 'DELETE'];

/**
 * Builds the configuration; the document must have been checked.
 *
 * @param directory absolute; where the configuration file stands.
 */
export function buildConfig(
  document: ConfigDocument,
  directory: string,
  secrets: readonly string[],
): GatewayConfig {
  const defaults = document.defaults ?? {};
  return {
    server: toServer(document.server ?? {}),
    clients: (document.clients ?? []).map(toClient),
    tools: (document.tools ?? []).map((tool) => toTool(tool, defaults, directory)),
    mcpServers: (document.mcp_servers ?? []).map((server) =>
      toMcpServer(server, defaults, directory),
    ),
    secrets,
  };
}

function toServer(entry: NonNullable<ConfigDocument['server']>): ServerConfig {
  const limit = entry.rate_limit;
  const maxDeadlineMs = entry.max_deadline_ms ?? DEFAULT_SERVER.maxDeadlineMs;
  return {
    maxBatch: entry.max_batch ?? DEFAULT_SERVER.maxBatch,
    maxBodyBytes: entry.max_body_bytes ?? DEFAULT_SERVER.maxBodyBytes,
    defaultDeadlineMs:
      entry.default_deadline_ms ?? Math.min(DEFAULT_SERVER.defaultDeadlineMs, maxDeadlineMs),
    maxDeadlineMs,
    drainTimeoutMs: entry.drain_timeout_ms ?? DEFAULT_SERVER.drainTimeoutMs,
    rateLimit: limit ? { requests: limit.requests, perMs: limit.per_ms } : null,
    trustProxy: entry.trust_proxy ?? DEFAULT_SERVER.trustProxy,
    egress: {
      deny: entry.egress?.deny ?? DEFAULT_SERVER.egress.deny,
      allow: entry.egress?.allow ?? DEFAULT_SERVER.egress.allow,
    },
  };
}

function toClient(entry: ClientEntry): ClientDefinition {
  const limit = entry.rate_limit;
  return {
    id: entry.id,
    keySha256: entry.key_sha256.toLowerCase(),
    tools: entry.tools ?? ['*'],
    rateLimit: limit ? { calls: limit.calls, perMs: limit.per_ms } : null,
  };
}

/** The policy keys of an entry that has others as well. */
function policyOf(entry: PolicyEntry): PolicyEntry {
  const own = Object.entries(entry).filter(([key]) => Object.hasOwn(policyKeys, key));
  return Object.fromEntries(own);
}

function toTool(entry: ToolEntry, defaults: PolicyEntry, directory: string): ToolDefinition {
  const upstream = toUpstream(entry, directory);
  const method = upstream.kind === 'http' ? upstream.method : '';
  const readOnly = entry.read_only ?? READING_METHODS.includes(method);
  const { verify } = entry;
  return {
    name: entry.name,
    description: entry.description ?? '',
    inputSchema: toInputSchema(entry.input_schema ?? {}),
    idempotent:
      entry.idempotent ?? (IDEMPOTENT_METHODS.includes(method) || entry.read_only === true),
    readOnly,
    upstream,
    policy: toPolicy(mergePolicyEntries(defaults, policyOf(entry))),
    errorRules: toErrorRules(entry.errors),
    ...withoutUndefined({
      outputSchema: entry.output_schema,
      idempotency: toIdempotency(entry.idempotency),
      cache: toCache(entry.cache),
      verify: verify && {
        tool: verify.tool,
        arguments: verify.arguments ?? {},
        confirmedWhen: toPredicate(verify.confirmed_when),
      },
    }),
  };
}

/** Arguments are objects always; providers want to be told. */
function toInputSchema(schema: JsonObject): JsonObject {
  return schema['type'] === undefined ? { type: 'object', ...schema } : schema;
}

function toUpstream(entry: ToolEntry, directory: string): UpstreamDefinition {
  if (entry.http === undefined)
    return { kind: 'module', path: resolve(directory, entry.module ?? '') };
  const { http } = entry;
  const optional = withoutUndefined({
    query: http.query,
    body: http.body,
    resultPointer: http.result,
    successWhen: http.success_when && toPredicate(http.success_when),
  });
  const definition: HttpUpstreamDefinition = {
    kind: 'http',
    method: http.method ?? 'GET',
    url: http.url,
    headers: http.headers ?? {},
    followRedirects: http.follow_redirects ?? 'none',
    ...optional,
  };
  return definition;
}

function toMcpServer(
  entry: McpServerEntry,
  defaults: PolicyEntry,
  directory: string,
): McpServerDefinition {
  return {
    name: entry.name,
    transport: toTransport(entry, directory),
    tools: entry.tools ?? ['*'],
    prefix: entry.prefix ?? `${entry.name}.`,
    trusted: entry.trusted ?? false,
    idleTimeoutMs: entry.idle_timeout_ms ?? DEFAULT_MCP_IDLE_TIMEOUT_MS,
    required: entry.required ?? false,
    connect: entry.connect ?? 'eager',
    policy: toPolicy(mergePolicyEntries(defaults, policyOf(entry))),
    errorRules: toErrorRules(entry.errors),
    ...withoutUndefined({
      idempotent: entry.idempotent,
      idempotency: toIdempotency(entry.idempotency),
      cache: toCache(entry.cache),
    }),
  };
}

function toTransport(entry: McpServerEntry, directory: string): McpServerDefinition['transport'] {
  const [command, ...args] = entry.command ?? [];
  if (command !== undefined)
    return {
      kind: 'stdio',
      command,
      args,
      env: entry.env ?? {},
      cwd: resolve(directory, entry.cwd ?? '.'),
    };
  const { oauth } = entry;
  return {
    kind: 'http',
    url: entry.url ?? '',
    headers: entry.headers ?? {},
    ...withoutUndefined({
      oauth: oauth && {
        tokenUrl: oauth.token_url,
        clientId: oauth.client_id,
        clientSecret: oauth.client_secret,
        ...withoutUndefined({ scope: oauth.scope }),
      },
    }),
  };
}
