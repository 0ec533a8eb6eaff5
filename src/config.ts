// The configuration after loading: every default merged, every unit explicit. Types only.
import type {
  CachePolicy,
  ErrorRule,
  IdempotencyPolicy,
  ToolDefinition,
  ToolPolicy,
} from './call.js';

export interface ServerConfig {
  readonly maxBatch: number;
  readonly maxBodyBytes: number;
  readonly defaultDeadlineMs: number;
  readonly maxDeadlineMs: number;
  readonly drainTimeoutMs: number;
  /** Of the envelope, per client; null: none. */
  readonly rateLimit: { readonly requests: number; readonly perMs: number } | null;
  /** CIDRs or addresses in front of us whose X-Forwarded-For is believed; empty: nobody's. */
  readonly trustProxy: readonly string[];
  /** Addresses that no tool may dial, as CIDRs; `allow` wins over `deny`. */
  readonly egress: { readonly deny: readonly string[]; readonly allow: readonly string[] };
}

export interface ClientDefinition {
  readonly id: string;
  /** Lower-case hex SHA-256 of the API key. */
  readonly keySha256: string;
  /** Glob patterns over tool names; `!` excludes; the last match wins. */
  readonly tools: readonly string[];
  readonly rateLimit: { readonly calls: number; readonly perMs: number } | null;
}

export type McpTransportDefinition =
  | {
      readonly kind: 'http';
      readonly url: string;
      readonly headers: Readonly<Record<string, string>>;
      /** OAuth 2 client credentials. */
      readonly oauth?: {
        readonly tokenUrl: string;
        readonly clientId: string;
        readonly clientSecret: string;
        readonly scope?: string;
      };
    }
  | {
      readonly kind: 'stdio';
      readonly command: string;
      readonly args: readonly string[];
      /** The child's whole environment besides PATH and HOME. */
      readonly env: Readonly<Record<string, string>>;
      readonly cwd?: string;
    };

export interface McpServerDefinition {
  readonly name: string;
  readonly transport: McpTransportDefinition;
  /** Glob patterns over the server's tool names; `!` excludes. */
  readonly tools: readonly string[];
  /** Put before the server's tool names. */
  readonly prefix: string;
  /** Whether its annotations may make a call repeatable. */
  readonly trusted: boolean;
  readonly idleTimeoutMs: number;
  /** Not ready without it. */
  readonly required: boolean;
  readonly connect: 'eager' | 'lazy';
  readonly policy: ToolPolicy;
  /** Wins over annotations where given. */
  readonly idempotent?: boolean;
  readonly idempotency?: IdempotencyPolicy;
  readonly cache?: CachePolicy;
  readonly errorRules: readonly ErrorRule[];
}

export interface GatewayConfig {
  readonly server: ServerConfig;
  readonly clients: readonly ClientDefinition[];
  readonly tools: readonly ToolDefinition[];
  readonly mcpServers: readonly McpServerDefinition[];
  /** Values that must never leave: environment values, credentials in headers, URLs and clients. */
  readonly secrets: readonly string[];
}
