// The composition: a Fastify instance around a gateway, ready to listen or to `inject`.
import type { ValidateFunction } from 'ajv';
import Fastify, { type FastifyInstance, type FastifyPluginAsync } from 'fastify';
import { registerRoutes } from '../routes/index.js';
import type { Gateway } from './gateway/gateway.js';
import { newId } from './ids.js';
import { type Admin, adminPlugin } from './plugins/admin.js';
import { authPlugin } from './plugins/auth.js';
import { bodyPlugin } from './plugins/body.js';
import { answerClientError } from './plugins/client-error.js';
import { envelopeLimitPlugin } from './plugins/envelope-limit.js';
import { gatewayPlugin } from './plugins/gateway.js';
import { followResponses } from './plugins/latest-response.js';
import { openapiPlugin } from './plugins/openapi.js';
import { problemOf, problemPlugin, sendProblem } from './plugins/problem.js';
import { closeStalledClients } from './plugins/stalled-clients.js';
import { telemetryPlugin } from './plugins/telemetry.js';
import { createMetrics, type Metrics } from './telemetry/metrics.js';

export interface AppOptions {
  readonly gateway: Gateway;
  readonly adminKey?: string;
  /** Answer anyone, not this machine only, without configured clients. */
  readonly allowAnonymous?: boolean;
  readonly onInternalError?: (error: unknown, requestId: string) => void;
  /** What /admin acts through; absent: it cannot be administered. */
  readonly admin?: Admin;
  /** Default: metrics of its own that nothing feeds. */
  readonly metrics?: Metrics;
  /** A client that reads nothing of what waits for it is let go after this time. Default 30 s. */
  readonly stalledClientMs?: number;
  /** Registered before the routes, to see them all. */
  readonly describe?: FastifyPluginAsync;
}

/** Time for a client to send its request, milliseconds. */
const REQUEST_TIMEOUT_MS = 30_000;
const MAX_HEADER_BYTES = 16_384;

/** Fastify runs none where there is none, whatever its types say. */
const NO_VALIDATOR = undefined as unknown as ValidateFunction;

/**
 * The schemas of routes are what the OpenAPI document is made of, and no more: what comes in is read
 * by parsers of our own, which say where a fault is, and what goes out is written as it is. Fastify
 * would compile every one of them at each start.
 */
const DESCRIPTIONS = {
  compilersFactory: {
    buildValidator: () => () => NO_VALIDATOR,
    buildSerializer: () => () => (data: unknown) => JSON.stringify(data),
  },
} as const;

/** Builds the application; the caller listens, and closes it before the gateway. */
export async function buildApp(options: AppOptions): Promise<FastifyInstance> {
  const { gateway } = options;
  const { server } = gateway.config;
  const app = Fastify({
    // No logger: ours tells of batches, and one here would cost every request two more listeners.
    logger: false,
    bodyLimit: server.maxBodyBytes,
    requestTimeout: REQUEST_TIMEOUT_MS,
    http: { maxHeaderSize: MAX_HEADER_BYTES },
    routerOptions: { maxParamLength: 256 },
    trustProxy: server.trustProxy.length > 0 ? [...server.trustProxy] : false,
    requestIdHeader: false,
    genReqId: (request) => requestId(request.headers['x-request-id']),
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    schemaController: DESCRIPTIONS,
    clientErrorHandler: answerClientError,
    // The router's own errors, which no error handler hears of.
    frameworkErrors: (error, request, reply) => {
      void sendProblem(reply, request, problemOf(error, request));
    },
  });
  followResponses(app.server);
  closeStalledClients(app.server, options.stalledClientMs);
  const metrics = options.metrics ?? createMetrics();
  await app.register(problemPlugin, {
    onRefused: (status, code) => {
      metrics.requestRefused(status, code);
    },
    onInternalError: options.onInternalError ?? (() => undefined),
  });
  await app.register(telemetryPlugin, { metrics });
  await app.register(adminPlugin, { admin: options.admin });
  await app.register(gatewayPlugin, { gateway });
  await app.register(authPlugin, {
    adminKey: options.adminKey,
    allowAnonymous: options.allowAnonymous === true,
  });
  await app.register(envelopeLimitPlugin);
  await app.register(bodyPlugin);
  await app.register(openapiPlugin);
  if (options.describe !== undefined) await app.register(options.describe);
  registerRoutes(app);
  return app;
}

/** The caller's own request id where it is harmless, else a new one. */
function requestId(given: string | string[] | undefined): string {
  return typeof given === 'string' && /^[\w-]{1,64}$/.test(given) ? given : newId();
}
