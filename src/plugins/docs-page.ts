// The page of the OpenAPI document, as an application of its own that nobody listens to.
import swagger, { type StaticDocumentSpec } from '@fastify/swagger';
import swaggerUi from '@fastify/swagger-ui';
import Fastify, { type FastifyInstance } from 'fastify';

/** @param document the OpenAPI document as JSON text. */
export async function createDocsPage(
  routePrefix: string,
  document: string,
): Promise<FastifyInstance> {
  const page = Fastify();
  const specification = { document: JSON.parse(document) as StaticDocumentSpec['document'] };
  await page.register(swagger, { mode: 'static', specification });
  await page.register(swaggerUi, {
    routePrefix,
    staticCSP: true,
    // The gateway itself speaks plain HTTP: on another host the page's own files would not load.
    transformStaticCSP: (csp) => csp.replace(/ *upgrade-insecure-requests;/, ''),
  });
  return page;
}
