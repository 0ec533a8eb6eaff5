// Everything one tool needs, built once when the configuration loads: validators, upstream,
// pipeline, classifier subject. A tool that cannot run says so on every call instead of at random.
import type {
  Attempt,
  ResolvedCall,
  ToolDefinition,
  ToolObserver,
  UpstreamInvoke,
} from '../call.js';
import type { CompiledErrorRules } from '../errors/author-rules.js';
import { compileErrorRules } from '../errors/author-rules.js';
import type { ClassifySubject } from '../errors/classify.js';
import type { Outcome } from '../errors/outcome.js';
import type { Scrubber } from '../errors/scrub.js';
import type { Breaker } from '../policy/breaker.js';
import { buildPipeline, type Pipeline, type PipelineDeps } from '../policy/pipeline.js';
import type { StatePorts } from '../state/ports.js';
import { compileValidator, type Validator } from '../tools/validator.js';
import type { ValidateOutput } from '../upstream/result-check.js';

/** The last failure of a tool, for `/healthz`. */
export interface LastFailure {
  readonly code: string;
  /** Epoch milliseconds. */
  readonly at: number;
}

export interface ToolRuntime {
  readonly definition: ToolDefinition;
  readonly subject: ClassifySubject;
  readonly input: Validator;
  readonly pipeline: Pipeline;
  readonly observer: ToolObserver;
  /** Why it cannot run as configured; undefined for a sound tool. */
  readonly fault: string | undefined;
  readonly warnings: readonly string[];
  lastFailure: LastFailure | undefined;
}

export interface ToolRuntimeDeps {
  /** Why it cannot be called, found before its schemas were looked at. */
  readonly fault: string | undefined;
  readonly scrubber: Scrubber;
  readonly state: StatePorts;
  readonly observer: ToolObserver;
  /** False for schemas that a stranger's server sent. */
  readonly trustedSchemas: boolean;
  readonly createUpstream: (
    tool: ToolDefinition,
    validateOutput: ValidateOutput | undefined,
  ) => UpstreamInvoke;
  readonly readBack?: PipelineDeps['readBack'];
  readonly onInternalError: (error: unknown, requestId: string) => void;
  /** Shared per MCP server. */
  readonly breaker?: Breaker;
}

const ACCEPT_ALL: Validator = { validate: () => undefined };

/** Builds a tool's runtime. Never throws: a schema that does not compile becomes its `fault`. */
export function createToolRuntime(definition: ToolDefinition, deps: ToolRuntimeDeps): ToolRuntime {
  const warnings: string[] = [];
  const faults: string[] = deps.fault === undefined ? [] : [deps.fault];
  const compile = (schema: ToolDefinition['inputSchema'], which: string): Validator => {
    const compiled = compileValidator(schema, { trusted: deps.trustedSchemas });
    if (compiled.ok) {
      warnings.push(...compiled.warnings.map((warning) => `${which}: ${warning}`));
      return compiled.validator;
    }
    faults.push(`${which}: ${compiled.problem}`);
    return ACCEPT_ALL;
  };
  const input = compile(definition.inputSchema, 'input_schema');
  const output =
    definition.outputSchema === undefined
      ? undefined
      : compile(definition.outputSchema, 'output_schema');
  const fault = faults.length > 0 ? faults.join('; ') : undefined;
  const subject = subjectOf(definition, compileErrorRules(definition.errorRules), deps.scrubber);
  const validateOutput = output === undefined ? undefined : output.validate.bind(output);
  const upstream =
    fault === undefined ? deps.createUpstream(definition, validateOutput) : misconfigured(fault);
  const pipeline = buildPipeline(definition, upstream, {
    subject,
    observer: deps.observer,
    state: deps.state,
    onInternalError: deps.onInternalError,
    ...(deps.breaker !== undefined && { breaker: deps.breaker }),
    ...(deps.readBack !== undefined && { readBack: deps.readBack }),
  });
  return {
    definition,
    subject,
    input,
    pipeline,
    observer: deps.observer,
    fault,
    warnings,
    lastFailure: undefined,
  };
}

function subjectOf(
  tool: ToolDefinition,
  rules: CompiledErrorRules,
  scrubber: Scrubber,
): ClassifySubject {
  return {
    toolName: tool.name,
    kind: tool.upstream.kind,
    idempotent: tool.idempotent,
    trust503: tool.policy.trust503,
    rules,
    scrubber,
    ...(tool.upstream.kind === 'mcp' && { serverName: tool.upstream.server }),
  };
}

function misconfigured(explanation: string): UpstreamInvoke {
  const outcome: Outcome = { kind: 'misconfigured', explanation };
  return (_call: ResolvedCall, _attempt: Attempt) => Promise.resolve(outcome);
}
