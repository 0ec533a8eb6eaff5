// A tool's HTTP request, compiled once and filled per call.
import type {
  Attempt,
  HttpUpstreamDefinition,
  JsonObject,
  ResolvedCall,
  ToolDefinition,
} from '../../call.js';
import type { InvalidArgumentsOutcome } from '../../errors/outcome.js';
import { TOKEN } from '../../header-rules.js';
import { ArgumentFault } from './argument-fault.js';
import { compileBody } from './request-body.js';
import { compileHeaders } from './request-headers.js';
import type { IsArgument } from '../../json/template.js';
import { compileQuery, compileUrl, restAsQuery, withQuery, type CompiledUrl } from './url.js';

export interface HttpRequest {
  readonly method: string;
  /** Path and query, escaped. */
  readonly path: string;
  /** Name, value, name, value… */
  readonly headers: string[];
  readonly body: string | null;
}

export interface CompiledRequest {
  readonly origin: string;
  readonly method: string;
  /** Fills the request in. Never throws. */
  build(call: ResolvedCall, attempt: Attempt): HttpRequest | InvalidArgumentsOutcome;
}

/**
 * Compiles a tool's request.
 *
 * @throws Error with one sentence for the operator where the definition can never work
 */
export function compileRequest(
  tool: ToolDefinition,
  definition: HttpUpstreamDefinition,
): CompiledRequest {
  const method = definition.method.toUpperCase();
  // CONNECT opens a tunnel instead of asking for an answer.
  if (!TOKEN.test(method) || method === 'CONNECT') throw new Error('The method cannot be sent.');
  const url = compileUrl(definition.url);
  const isArgument = argumentTest(tool.inputSchema);
  const body = compileBody(definition, method, url.uses, isArgument);
  const query = compileQueryPart(definition, body !== undefined, url, isArgument);
  const headers = compileHeaders(
    definition,
    {
      authorization: url.authorization,
      'content-type': body?.contentType,
    },
    tool.idempotency?.header?.toLowerCase(),
    isArgument,
  );
  return {
    origin: url.origin,
    method,
    build: (call, attempt) => {
      try {
        const args = call.arguments;
        return {
          method,
          path: withQuery(url.path(args), query(args)),
          headers: headers(call, attempt),
          body: body === undefined ? null : body.write(args),
        };
      } catch (error) {
        if (error instanceof ArgumentFault) return error.toOutcome();
        // Arguments are plain JSON values; what else fails here fails on their shape.
        return { kind: 'invalid-arguments', errors: { '': 'cannot be put into a request' } };
      }
    },
  };
}

/** With declared properties, only their names are placeholders: `{…}` may be part of a text. */
function argumentTest(schema: JsonObject): IsArgument {
  const { properties } = schema;
  if (typeof properties !== 'object' || properties === null) return () => true;
  return (name) => Object.hasOwn(properties, name);
}

function compileQueryPart(
  definition: HttpUpstreamDefinition,
  hasBody: boolean,
  url: CompiledUrl,
  isArgument: IsArgument,
): (args: JsonObject) => string {
  if (definition.query !== undefined) return compileQuery(definition.query, isArgument);
  return hasBody ? () => '' : (args) => restAsQuery(args, url.uses);
}
