// What the classifier must know of a tool. Built once per tool when the configuration loads.
import type { CompiledErrorRules } from './author-rules.js';
import type { Scrubber } from './scrub.js';

/** The tool side of a classification. */
export interface ClassifySubject {
  /** Name as callers use it; '' where no tool is concerned. */
  readonly toolName: string;
  /** `none`: no tool stands behind the failure (an unknown tool, the envelope). */
  readonly kind: 'http' | 'mcp' | 'module' | 'none';
  /** The MCP server's name, for `details.server_name`. */
  readonly serverName?: string;
  readonly idempotent: boolean;
  /** A 503 with Retry-After is a refusal before execution. */
  readonly trust503: boolean;
  readonly rules: CompiledErrorRules;
  readonly scrubber: Scrubber;
}
