// The OpenAPI 3.1 document, and a page to try it. What makes the page is loaded when somebody looks
// at it: no start needs it, and most gateways never do.
import { readFile } from 'node:fs/promises';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';
import { packageRoot } from '../package-root.js';

/** Written by `npm run openapi` and held to the routes by a test. */
const FILE = new URL('openapi/openapi.json', packageRoot);

/** A browser opens the page without a key; its `Authorize` sends one with what is tried. */
const OPEN = { auth: 'none', limited: false } as const;

/** Of the connection, not of what is sent. */
const CONNECTION_HEADERS = ['connection', 'keep-alive', 'transfer-encoding', 'date'];

export const openapiPlugin = fp(
  (app: FastifyInstance, _options, done) => {
    let page: Promise<FastifyInstance> | undefined;
    const loadPage = async (): Promise<FastifyInstance> => {
      const { createDocsPage } = await import('./docs-page.js');
      return createDocsPage('/docs', await readFile(FILE, 'utf8'));
    };
    const show = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
      const { url, headers } = request;
      const shown = await (await (page ??= loadPage())).inject({ method: 'GET', url, headers });
      if (shown.statusCode === 404) {
        reply.callNotFound();
        return reply;
      }
      for (const name of CONNECTION_HEADERS) Reflect.deleteProperty(shown.headers, name);
      return reply.code(shown.statusCode).headers(shown.headers).send(shown.rawPayload);
    };
    app.addHook('onClose', async () => (await page)?.close());
    app.get('/openapi.json', { schema: { hide: true }, config: OPEN }, async (_request, reply) =>
      reply.type('application/json; charset=utf-8').send(await readFile(FILE)),
    );
    for (const url of ['/docs', '/docs/*']) {
      app.get(url, { schema: { hide: true }, config: OPEN }, show);
    }
    done();
  },
  { name: 'openapi', dependencies: ['auth'] },
);
