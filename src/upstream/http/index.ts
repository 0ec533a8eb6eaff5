// HTTP upstreams: a call becomes a request, its answer an outcome. Nothing here throws or rejects,
// whatever the peer does; time is the deadline layer's business, which aborts the attempt.
import type { Attempt, ResolvedCall, ToolDefinition, UpstreamInvoke } from '../../call.js';
import type { Outcome } from '../../errors/outcome.js';
import type { ValidateOutput } from '../result-check.js';
import { AnswerReader } from './answer.js';
import { HttpCall, type HttpTool } from './http-call.js';
import type { HttpPools } from './pools.js';
import { compileRequest } from './request.js';

export { HttpPools } from './pools.js';

export interface HttpDeps {
  /** Of the tool's output schema, compiled. */
  readonly validateOutput?: ValidateOutput | undefined;
}

/**
 * Builds the upstream of an `http:` tool. A definition that can never work makes every call
 * `misconfigured`.
 */
export function createHttpUpstream(
  tool: ToolDefinition,
  deps: HttpDeps,
  pools: HttpPools,
): UpstreamInvoke {
  const compiled = compile(tool, deps, pools);
  if ('kind' in compiled) return () => Promise.resolve(compiled);
  const { request } = compiled;
  return (call: ResolvedCall, attempt: Attempt) => {
    const built = request.build(call, attempt);
    if ('kind' in built) attempt.settle(built);
    else HttpCall.start(compiled, built, attempt);
    return undefined;
  };
}

function compile(
  tool: ToolDefinition,
  deps: HttpDeps,
  pools: HttpPools,
): (HttpTool & { readonly request: ReturnType<typeof compileRequest> }) | Outcome {
  const definition = tool.upstream;
  if (definition.kind !== 'http') {
    return { kind: 'misconfigured', explanation: 'The tool has no HTTP upstream.' };
  }
  try {
    const request = compileRequest(tool, definition);
    const readsOnly = request.method === 'GET' || request.method === 'HEAD';
    return {
      request,
      origin: request.origin,
      pool: pools.get(request.origin),
      reader: new AnswerReader(tool, definition, deps.validateOutput),
      idempotent: tool.idempotent,
      followsRedirects: definition.followRedirects === 'same_origin' && readsOnly,
    };
  } catch {
    // The message may quote the URL or a header, and with them a secret.
    return { kind: 'misconfigured', explanation: 'The HTTP request of the tool cannot be built.' };
  }
}
