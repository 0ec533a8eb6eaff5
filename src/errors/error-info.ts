// The wire form of a failure and the classifier's full verdict on it. No logic here.
import type { ErrorCategory, ErrorCode } from './catalogue.js';

/**
 * What is known of the call's effect on the upstream application.
 * `not_sent`: it cannot have seen the call. `completed`: it gave a definite answer and nothing is
 * left running. `unknown`: anything else.
 */
export type Effect = 'not_sent' | 'completed' | 'unknown';

export type ClassifiedBy =
  'gateway' | 'author' | 'upstream' | 'status' | 'transport' | 'mcp' | 'type' | 'text';

/** Why the gateway did not try (again). */
export type RetryStoppedBy =
  | 'max_attempts'
  | 'deadline'
  /** Longer than the time left, or than the gateway itself may wait (`retry.max_wait_ms`). */
  | 'retry_after_exceeds_deadline'
  | 'budget'
  | 'unsafe_to_repeat'
  | 'upstream_said_no'
  | 'not_retryable';

/** Structured facts beside a failure; scrubbed, never raw upstream text. */
export interface ErrorDetails {
  tool_name: string;
  attempts: number;
  transient: boolean;
  classified_by: ClassifiedBy;
  [key: string]: unknown;
}

/** A failure (or a refusal) as callers see it. */
export interface ErrorInfo {
  code: ErrorCode;
  category: ErrorCategory;
  /** The tool author's own stable code. */
  reason?: string;
  /** Scrubbed and capped, for people and models. Never empty. */
  message: string;
  retryable: boolean;
  /** Integer milliseconds in 0..86400000, or null where nothing is known. */
  retry_after_ms: number | null;
  effect: Effect;
  details: ErrorDetails;
}

/** How an outcome counts for the circuit breaker; `neutral` counts nowhere. */
export type BreakerVerdict = 'failure' | 'success' | 'neutral';

/** The classifier's verdict: what the caller is told, and what the layers act on. */
export interface Classification {
  readonly info: ErrorInfo;
  readonly status: 'error' | 'declined';
  readonly breaker: BreakerVerdict;
  /** The upstream refused before executing (429, 425, 421, MCP session 404): repeating is safe. */
  readonly refusedBeforeExecution: boolean;
  /** The upstream said not to retry (`x-should-retry: false`, a negative gRPC pushback). */
  readonly upstreamSaidNo: boolean;
  /** May be repeated once only, on a fresh connection (421): the upstream does that itself. */
  readonly onceOnly: boolean;
  /** Milliseconds for which calls to this tool stop locally (429, 503 with a hint); null: none. */
  readonly cooldownMs: number | null;
}
