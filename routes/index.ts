// Every route, registered by hand: what is not listed here does not exist.
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import { sendProblem } from '../src/plugins/problem.js';
import { adminRoutes } from './admin.js';
import { batchRoutes } from './batches.js';
import { errorRoutes } from './errors.js';
import { healthRoutes } from './health.js';
import { mcpRoutes } from './mcp.js';
import { metricsRoutes } from './metrics.js';
import { ErrorInfoSchema, ProblemSchema } from './schemas/error-info.js';
import { ErrorReportSchema } from './schemas/errors.js';
import {
  BatchResultSchema,
  BatchOptionsSchema,
  BatchSchema,
  ToolCallSchema,
  ToolResultSchema,
} from './schemas/tool-calls.js';
import { toolCallRoutes } from './tool-calls.js';
import { toolRoutes } from './tools.js';
import { uiRoutes } from './ui.js';
import { uiDeps } from './ui-deps.js';

const SHARED_SCHEMAS = [
  ErrorInfoSchema,
  ProblemSchema,
  ToolCallSchema,
  BatchOptionsSchema,
  BatchSchema,
  ToolResultSchema,
  BatchResultSchema,
  ErrorReportSchema,
];

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const;

export function registerRoutes(app: FastifyInstance): void {
  for (const schema of SHARED_SCHEMAS) app.addSchema(schema);
  const methods = new Map<string, Set<string>>();
  app.addHook('onRoute', (route: RouteOptions) => {
    const known = methods.get(route.url) ?? new Set<string>();
    for (const method of [route.method].flat()) known.add(method);
    methods.set(route.url, known);
  });
  toolCallRoutes(app);
  batchRoutes(app);
  toolRoutes(app);
  errorRoutes(app);
  healthRoutes(app);
  metricsRoutes(app);
  adminRoutes(app);
  mcpRoutes(app);
  uiRoutes(app, uiDeps(app));
  refuseOtherMethods(app, new Map(methods));
}

/** A known path with another method is 405 with Allow, not 404 (RFC 9110 section 15.5.6). */
function refuseOtherMethods(
  app: FastifyInstance,
  routes: ReadonlyMap<string, ReadonlySet<string>>,
): void {
  for (const [url, known] of routes) {
    const others = METHODS.filter((method) => !known.has(method));
    const allow = [...known].join(', ');
    const refuse = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> =>
      sendProblem(reply, request, {
        status: 405,
        code: 'PARSER_INVALID_FORMAT',
        title: 'Method Not Allowed',
        detail: `This route answers ${allow}.`,
        headers: { allow },
      });
    // Before the body is read: what is in it does not matter any more.
    app.route({ method: others, url, schema: { hide: true }, onRequest: refuse, handler: refuse });
  }
}
