import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyInstance } from 'fastify';
import type { Settings } from './kernel/config/settings.js';
import { VERSION } from './kernel/config/version.js';

/** `/` of the server: what this is and where to go on, as a page for browsers and as JSON for everybody else. */
export function serveFrontPage(app: NestFastifyApplication, settings: Settings): void {
  const fastify = app.getHttpAdapter().getInstance() as unknown as FastifyInstance;
  const facts = {
    product: 'Understudy',
    version: VERSION,
    mode: settings.mode,
    documentation: '/api/docs',
    openapi: '/api/docs-json',
    graphql: '/graphql',
    health: '/api/health',
  };
  const page = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${facts.product}</title>
<h1>${facts.product} ${facts.version}</h1>
<p>A self-hosted server that stands in for Slack’s Web API and Linear’s GraphQL API, in mode ${facts.mode}.</p>
<ul>
<li><a href="api/docs">/api/docs</a>: documentation of the REST routes</li>
<li>/graphql: the tracker’s GraphQL API, for POST</li>
<li><a href="api/health">/api/health</a>: how it is</li>
<li>README.md and the folder docs of the checkout: everything else</li>
</ul>
</html>
`;
  fastify.get('/', (request, reply) => {
    void reply.header('cache-control', 'no-store').header('vary', 'accept');
    if (!(request.headers.accept ?? '').includes('text/html')) return reply.send(facts);
    return reply
      .header('content-security-policy', "default-src 'none'; frame-ancestors 'none'; base-uri 'none'")
      .header('x-content-type-options', 'nosniff')
      .type('text/html; charset=utf-8')
      .send(page);
  });
}
