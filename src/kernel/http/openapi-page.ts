import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { PACKAGE_ROOT } from '../config/package-root.js';
import { sendPacked } from './packed-file.js';

/** Swagger UI's script and style, which the build puts there (`scripts/build.mjs`). */
const FOLDER = join(PACKAGE_ROOT, 'dist', 'swagger');

const ASSETS = {
  'swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
  'swagger-ui.css': 'text/css; charset=utf-8',
} as const;

/** Starts Swagger UI on the document beside the page. */
const START = `SwaggerUIBundle({
  url: document.currentScript.dataset.document,
  dom_id: '#swagger-ui',
  deepLinking: true,
});
`;

/** @param folder where the assets are, as seen from the page: `docs` at `/api/docs`, `.` at `/api/docs/` */
const page = (folder: string, document: string): string => `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Understudy control plane</title>
    <link rel="icon" href="data:,">
    <link rel="stylesheet" href="${folder}/swagger-ui.css">
  </head>
  <body>
    <div id="swagger-ui"></div>
    <script src="${folder}/swagger-ui-bundle.js"></script>
    <script src="${folder}/swagger-ui-init.js" data-document="${document}"></script>
  </body>
</html>
`;

/** Its page runs its own scripts, and stands in no frame. */
const HEADERS = {
  'Content-Security-Policy':
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'X-Frame-Options': 'DENY',
  'X-Content-Type-Options': 'nosniff',
};

/** Serves Swagger UI at `/api/docs`, for the document at `/api/docs-json`; it asks no other server for anything. */
export function serveOpenApiPage(fastify: FastifyInstance): void {
  const pages = { '/api/docs': page('docs', 'docs-json'), '/api/docs/': page('.', '../docs-json') };
  for (const [path, html] of Object.entries(pages)) {
    fastify.get(path, (_request, reply) => reply.headers(HEADERS).type('text/html; charset=utf-8').send(html));
  }
  fastify.get('/api/docs/swagger-ui-init.js', (_request, reply) =>
    reply.headers(HEADERS).type('text/javascript; charset=utf-8').send(START),
  );
  for (const [name, type] of Object.entries(ASSETS)) {
    fastify.get(`/api/docs/${name}`, (request, reply) => {
      const file = join(FOLDER, `${name}.br`);
      if (!existsSync(file)) return reply.callNotFound();
      sendPacked(file, request, reply.headers(HEADERS).type(type));
      return reply;
    });
  }
}
