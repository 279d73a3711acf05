import { randomBytes } from 'node:crypto';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Settings } from '../kernel/config/settings.js';
import { VERSION } from '../kernel/config/version.js';
import { pathOf } from '../kernel/http/edges.js';
import { PublicUrl } from '../kernel/http/public-url.js';
import { TRACKER_PAGES } from '../kernel/http/vendor-hosts.js';
import { COMMON_HEADERS, contentSecurityPolicy, type Page } from './content-security.js';
import { UiBase } from './ui-base.js';
import { UiFiles } from './ui-files.js';

/** Paths that all serve the app, which routes the rest of the path itself. */
const APP_PAGES = ['/w', '/w/*', '/archives/*', '/sandboxes', '/sign-in'];

const escaped = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => `&#${character.codePointAt(0) as number};`);

/**
 * Serves the web UI beside the API. `/` is the app for browsers; a client that accepts JSON but not HTML gets the API's
 * answer there.
 * @throws StoreError when the web UI is not built
 */
export function serveUi(app: NestFastifyApplication, settings: Settings, folder?: string): void {
  const fastify = app.getHttpAdapter().getInstance() as unknown as FastifyInstance;
  const files = new UiFiles(folder);
  const base = app.get(UiBase, { strict: false });
  const publicUrl = app.get(PublicUrl);
  const remoteImages = settings.uiRemoteImages;
  const config = JSON.stringify({ version: VERSION, remoteImages });

  const send = (page: Page, request: FastifyRequest, reply: FastifyReply): void => {
    const nonce = randomBytes(16).toString('base64url');
    const html = files
      .page(page)
      .replaceAll('__NONCE__', nonce)
      .replace('__BASE__', escaped(base.pathFor(request)))
      .replace('__CONFIG__', config);
    void reply
      .headers(COMMON_HEADERS)
      .header('Content-Security-Policy', contentSecurityPolicy(page, { nonce, remoteImages }))
      .header('Cache-Control', 'no-cache')
      .type('text/html; charset=utf-8')
      .send(html);
  };

  fastify.addHook('onRequest', (request, reply, done) => {
    const isPage = (request.method === 'GET' || request.method === 'HEAD') && pathOf(request.url) === '/';
    if (isPage && wantsHtml(request)) return send('app', request, reply);
    done();
  });
  for (const path of APP_PAGES) fastify.get(path, (request, reply) => send('app', request, reply));
  // there are no pages of issues: their addresses under the vendor's name lead to the front page
  fastify.get(TRACKER_PAGES, (_request, reply) => reply.redirect(`${publicUrl.base}/`, 302));
  fastify.get('/graphiql', (request, reply) => send('graphiql', request, reply));
  for (const name of ['favicon.svg', 'robots.txt']) {
    fastify.get(`/${name}`, (_request, reply) => files.sendPublic(name, reply));
  }
  fastify.get<{ Params: { '*': string } }>('/assets/*', (request, reply) => {
    if (!files.sendAsset(request.params['*'], request, reply)) reply.callNotFound();
  });
}

function wantsHtml(request: FastifyRequest): boolean {
  const { accept } = request.headers;
  if (accept === undefined || accept.includes('text/html')) return true;
  return accept.includes('*/*') && !accept.includes('application/json');
}
