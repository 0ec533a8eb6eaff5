// How the OpenAPI 3.1 document is made out of the routes' own schemas. Registered before the routes,
// by who writes the document or holds it to them; a gateway serves the file.
import swagger from '@fastify/swagger';
import type { FastifyInstance } from 'fastify';
import fp from 'fastify-plugin';
import { VERSION } from '../src/version.js';

const DESCRIPTION = `HTTP tool-execution gateway for AI agents. Post a batch of tool calls; every call comes back
with exactly one result, and every failure with an \`error_info\` that says whether to try again and
when, whether the answer is no, or whether it is unknown if it happened.`;

/** Gives the application `swagger()`, the document of the routes that follow. */
export const describeRoutes = fp(
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
  },
  { name: 'describe-routes' },
);
