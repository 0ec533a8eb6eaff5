// The OpenAPI 3.1 document, generated from the routes' own schemas, and a page to try it. Must be
// registered before the routes that it describes.
import swagger from '@fastify/swagger';
import swaggerUi from '@fastify/swagger-ui';
import type { FastifyInstance } from 'fastify';
import fp from 'fastify-plugin';
import { VERSION } from '../version.js';

const DESCRIPTION = `HTTP tool-execution gateway for AI agents. Post a batch of tool calls; every call comes back
with exactly one result, and every failure with an \`error_info\` that says whether to try again and
when, whether the answer is no, or whether it is unknown if it happened.`;

/** A browser opens the page without a key; its `Authorize` sends one with what is tried. */
const OPEN = { auth: 'none', limited: false } as const;

export const openapiPlugin = fp(
  async (app: FastifyInstance) => {
    await app.register(swagger, {
      openapi: {
        openapi: '3.1.0',
        info: {
          title: 'Toolgate',
          version: VERSION,
          description: DESCRIPTION,
          license: { name: 'MIT', identifier: 'MIT' },
        },
        servers: [{ url: '/', description: 'Where this document comes from.' }],
        tags: [
          { name: 'calls', description: 'Call tools.' },
          { name: 'tools', description: 'What can be called.' },
          { name: 'errors', description: 'What outcomes mean.' },
          { name: 'mcp', description: 'The gateway as an MCP server.' },
          { name: 'health', description: 'For operators and monitors.' },
          { name: 'admin', description: 'With TOOLGATE_ADMIN_KEY only.' },
        ],
        components: {
          securitySchemes: {
            bearer: { type: 'http', scheme: 'bearer' },
            apiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key' },
          },
        },
        // A gateway without configured clients asks for no key.
        security: [{ bearer: [] }, { apiKey: [] }, {}],
      },
      refResolver: {
        buildLocalReference: (json, _baseUri, _fragment, i) =>
          typeof json['$id'] === 'string' ? json['$id'] : `def-${i}`,
      },
    });
    await app.register(async (docs) => {
      docs.addHook('onRoute', (route) => {
        route.config = { ...route.config, ...OPEN };
      });
      await docs.register(swaggerUi, {
        routePrefix: '/docs',
        staticCSP: true,
        // The gateway itself speaks plain HTTP: on another host the page's own files would not load.
        transformStaticCSP: (csp) => csp.replace(/ *upgrade-insecure-requests;/, ''),
      });
    });
    app.get('/openapi.json', { schema: { hide: true }, config: OPEN }, async (_request, reply) =>
      reply.send(app.swagger()),
    );
  },
  { name: 'openapi', dependencies: ['auth'] },
);
