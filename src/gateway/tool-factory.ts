// Builds the runtime of one tool out of what the gateway holds: its upstream by kind, the breaker it
// may share with its server's other tools, and the read-back of an unknown outcome.
import type { CallContext, JsonObject, ToolDefinition, UpstreamInvoke } from '../call.js';
import type { Outcome } from '../errors/outcome.js';
import type { Scrubber } from '../errors/scrub.js';
import type { Breaker } from '../policy/breaker.js';
import type { FreshCall } from '../policy/result-cache.js';
import type { StatePorts } from '../state/ports.js';
import { createHttpUpstream, type HttpPools } from '../upstream/http/index.js';
import { createModuleUpstream } from '../upstream/module.js';
import type { ValidateOutput } from '../upstream/result-check.js';
import type { McpFleet } from './mcp-fleet.js';
import type { GatewayObserver } from './observe.js';
import type { ToolSource } from './registry.js';
import { createToolRuntime, type ToolRuntime } from './tool-runtime.js';

export interface ToolFactoryDeps {
  readonly scrubber: Scrubber;
  readonly state: StatePorts;
  readonly pools: HttpPools;
  readonly observer: GatewayObserver;
  readonly mcp: McpFleet;
  readonly reloads: () => number;
  readonly find: (name: string) => ToolRuntime | undefined;
  readonly onInternalError: (error: unknown, requestId: string) => void;
}

/** One per gateway; what it builds follows the configuration in force at that moment. */
export class ToolFactory {
  readonly #deps: ToolFactoryDeps;

  constructor(deps: ToolFactoryDeps) {
    this.#deps = deps;
  }

  /** Never throws: a tool that cannot run says so on every call. */
  build({ definition: tool, fault }: ToolSource): ToolRuntime {
    const { scrubber, state, observer, onInternalError } = this.#deps;
    const { verify } = tool;
    const breaker = this.#sharedBreaker(tool);
    return createToolRuntime(tool, {
      fault,
      scrubber,
      state,
      observer: observer.forTool(tool),
      onInternalError,
      trustedSchemas: tool.upstream.kind !== 'mcp',
      createUpstream: (definition, validateOutput) =>
        this.#createUpstream(definition, validateOutput),
      ...(breaker !== undefined && { breaker }),
      ...(verify !== undefined && {
        readBack: (args: JsonObject, ctx: CallContext) => this.#readBack(verify.tool, args, ctx),
      }),
    });
  }

  #sharedBreaker(tool: ToolDefinition): Breaker | undefined {
    if (tool.upstream.kind !== 'mcp' || tool.policy.breaker?.scope !== 'server') return undefined;
    return this.#deps.mcp.breakerOf(tool.upstream.server);
  }

  #createUpstream(
    tool: ToolDefinition,
    validateOutput: ValidateOutput | undefined,
  ): UpstreamInvoke {
    const { pools, mcp } = this.#deps;
    const deps = validateOutput === undefined ? {} : { validateOutput };
    switch (tool.upstream.kind) {
      case 'http':
        return createHttpUpstream(tool, deps, pools);
      case 'module':
        return createModuleUpstream(tool, { ...deps, reloads: this.#deps.reloads });
      case 'mcp':
        return mcp.createUpstream(tool.upstream.server, tool, deps);
    }
  }

  /**
   * Runs the read-only tool that a `verify` names, as the gateway itself. Never from its cache: what
   * was not there before the call would be taken for a refutation, and the call be repeated.
   */
  #readBack(name: string, args: JsonObject, ctx: CallContext): Promise<Outcome> {
    const runtime = this.#deps.find(name);
    if (runtime === undefined) {
      const explanation = 'The tool that verifies this one is not configured.';
      return Promise.resolve({ kind: 'misconfigured', explanation });
    }
    const errors = runtime.input.validate(args);
    if (errors !== undefined) return Promise.resolve({ kind: 'invalid-arguments', errors });
    const { definition } = runtime;
    const call: FreshCall = { id: 'verify', tool: definition, arguments: args, fresh: true };
    return runtime.pipeline.invoke(call, ctx);
  }
}
