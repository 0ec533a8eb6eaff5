// Facts of what happened to one attempt or one call. No verdicts: `classify` makes those.
// Every variant carries its own data only.
import type { ErrorInfo } from './error-info.js';

/** Where an attempt stood when it ended. Its effect follows from it. */
export type Phase = 'queued' | 'connecting' | 'sending' | 'awaiting_headers' | 'reading_body';

/** Which limit of time ran out: the tool's attempt, the call's own, the batch's, or silence on a stream. */
export type TimeoutScope = 'attempt' | 'call' | 'deadline' | 'idle';

export type CancelReason = 'client_left' | 'cancelled_by_request' | 'shutdown';

/** Header names in lower case; repeated headers as an array. */
export type HeaderBag = Readonly<Record<string, string | readonly string[] | undefined>>;

/** A tool's answer, kept as it came wherever nothing needs its value. */
export type ResultBody =
  /** Any JSON value. */
  | { readonly kind: 'value'; readonly value: unknown }
  /** Checked JSON text, spliced into the response unparsed. */
  | { readonly kind: 'json'; readonly text: string }
  /** Checked JSON as UTF-8, for large results. */
  | {
      readonly kind: 'json-bytes';
      readonly chunks: readonly Uint8Array[];
      readonly byteLength: number;
    }
  /** Plain text; becomes a JSON string. */
  | { readonly kind: 'text'; readonly text: string };

export interface OkOutcome {
  readonly kind: 'ok';
  readonly result: ResultBody;
  /** Codes of faults that the tool's policy lets pass (`validation: warn`). */
  readonly warnings?: readonly string[];
  /** Set when the result was cut to `result.max_bytes` (`on_oversize: truncate`): its size before. */
  readonly truncatedFromBytes?: number;
  /** Answered from the result cache or the idempotency store. */
  readonly cached?: boolean;
}

/** Evidence of an HTTP answer that is not a usable 2xx, or fails the declared predicate. */
export interface ResponseOutcome {
  readonly kind: 'response';
  readonly status: number;
  readonly headers: HeaderBag;
  /** Decoded body, at most `ERROR_BODY_MAX_BYTES` of it; '' when there was none. */
  readonly body: string;
  readonly bodyTruncated?: boolean;
  /** A 2xx that the author's `success_when` turned into a failure. */
  readonly predicateFailed?: boolean;
}

/** The largest part of an error answer that is read, in bytes. */
export const ERROR_BODY_MAX_BYTES = 65_536;

/** A connection, TLS or protocol error. `phase` is where the attempt stood. */
export interface TransportOutcome {
  readonly kind: 'transport';
  readonly error: unknown;
  readonly phase: Phase;
}

/** A timer of ours fired. */
export interface TimeoutOutcome {
  readonly kind: 'timeout';
  readonly scope: TimeoutScope;
  readonly phase: Phase;
  /** The limit that ran out, milliseconds. */
  readonly timeoutMs: number;
}

export interface CancelledOutcome {
  readonly kind: 'cancelled';
  readonly reason: CancelReason;
  readonly phase: Phase;
}

/** A module tool threw, or rejected with, this. */
export interface ThrownOutcome {
  readonly kind: 'thrown';
  readonly error: unknown;
}

/** A 2xx (or an MCP result) whose body cannot be used: type, JSON, decompression, output schema, pointer. */
export interface ResultInvalidOutcome {
  readonly kind: 'result-invalid';
  readonly problem:
    'json' | 'content_type' | 'decompression' | 'schema' | 'pointer' | 'encoding' | 'shape';
  /** One sentence of ours, without upstream text. */
  readonly explanation: string;
  /** JSON Pointer -> what is wrong, at most 20. */
  readonly errors?: Readonly<Record<string, string>>;
  /** What the tool delivered all the same, for `details.content`; the classifier bounds and scrubs it. */
  readonly content?: unknown;
  /** MCP: the answer was no CallToolResult at all, so nothing is known of the effect. */
  readonly effectUnknown?: boolean;
  readonly status?: number;
}

export interface ResultTooLargeOutcome {
  readonly kind: 'result-too-large';
  readonly limitBytes: number;
  /** Size where it was declared or known, else null. */
  readonly sizeBytes: number | null;
}

/** A limiter of the gateway, or the cooldown gate that an upstream's Retry-After closed. */
export interface RateLimitedOutcome {
  readonly kind: 'rate-limited';
  readonly scope: 'tool' | 'client' | 'cooldown';
  /** Until this call's own turn. */
  readonly retryAfterMs: number;
  /** The configured limit (calls); null for the cooldown gate. */
  readonly limit: number | null;
}

export interface CircuitOpenOutcome {
  readonly kind: 'circuit-open';
  readonly failureCount: number;
  /** An operator opened it; absent: failures did. */
  readonly byOperator?: boolean;
  /** Until the next probe is admitted. */
  readonly retryAfterMs: number;
  /** The configured `open_ms`. */
  readonly resetTimeoutMs: number;
}

export interface BulkheadFullOutcome {
  readonly kind: 'bulkhead-full';
  readonly limit: number;
  readonly queued: number;
  readonly retryAfterMs: number;
  /** Whether it was refused at once or its wait in the queue ran out. */
  readonly cause: 'queue_full' | 'queue_timeout';
}

export interface InvalidArgumentsOutcome {
  readonly kind: 'invalid-arguments';
  /** JSON Pointer into the arguments -> what is wrong; at most 20, never the value. */
  readonly errors: Readonly<Record<string, string>>;
}

export interface UnknownToolOutcome {
  readonly kind: 'unknown-tool';
  readonly availableTools: readonly string[];
  readonly suggestions: readonly string[];
}

export interface NotPermittedOutcome {
  readonly kind: 'not-permitted';
}

/** A fault in the call itself that is not its arguments: bad `timeout_ms`, an unknown field. */
export interface InvalidCallOutcome {
  readonly kind: 'invalid-call';
  readonly errors: Readonly<Record<string, string>>;
}

export interface IdempotencyConflictOutcome {
  readonly kind: 'idempotency-conflict';
}

export interface DependencyFailedOutcome {
  readonly kind: 'dependency-failed';
  readonly dependency: { readonly id: string; readonly code: string };
}

/** The tool cannot run as configured (a module that does not load, a bad schema of an MCP tool). */
export interface MisconfiguredOutcome {
  readonly kind: 'misconfigured';
  /** One sentence of ours, without secrets. */
  readonly explanation: string;
}

/** A fault of the gateway. Only `requestId` is ever shown. */
export interface InternalOutcome {
  readonly kind: 'internal';
  readonly requestId: string;
}

/** A final verdict kept from an earlier execution (idempotency store). */
export interface StoredFailureOutcome {
  readonly kind: 'stored';
  readonly info: ErrorInfo;
  readonly status: 'error' | 'declined';
}

/** MCP evidence: a `tools/call` result with `isError`, or one that asks for input. */
export interface McpResultOutcome {
  readonly kind: 'mcp-result';
  readonly problem: 'is_error' | 'input_required' | 'unknown_result_type' | 'not_a_result';
  /** Joined text content, capped by the upstream at `ERROR_BODY_MAX_BYTES`. */
  readonly text: string;
  readonly structuredContent?: unknown;
}

/** MCP evidence: a JSON-RPC error object. */
export interface McpErrorOutcome {
  readonly kind: 'mcp-error';
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
  /** For -32602: whether a fresh `tools/list` still has the tool; undefined when it was not asked. */
  readonly toolListed?: boolean;
}

/** MCP evidence: the connection. */
export interface McpConnectionOutcome {
  readonly kind: 'mcp-connection';
  readonly problem:
    | 'connect_failed'
    | 'initialize_failed'
    | 'session_lost'
    | 'stream_ended'
    | 'accepted_without_answer'
    | 'child_exited'
    | 'not_json';
  readonly error?: unknown;
  /** The HTTP answer that ended the handshake, where there was one. */
  readonly http?: { readonly status: number; readonly headers: HeaderBag };
  readonly exitCode?: number;
  readonly exitSignal?: string;
}

export type FailedOutcome =
  | ResponseOutcome
  | TransportOutcome
  | TimeoutOutcome
  | CancelledOutcome
  | ThrownOutcome
  | ResultInvalidOutcome
  | ResultTooLargeOutcome
  | RateLimitedOutcome
  | CircuitOpenOutcome
  | BulkheadFullOutcome
  | InvalidArgumentsOutcome
  | UnknownToolOutcome
  | NotPermittedOutcome
  | InvalidCallOutcome
  | IdempotencyConflictOutcome
  | DependencyFailedOutcome
  | MisconfiguredOutcome
  | InternalOutcome
  | StoredFailureOutcome
  | McpResultOutcome
  | McpErrorOutcome
  | McpConnectionOutcome;

export type Outcome = OkOutcome | FailedOutcome;
