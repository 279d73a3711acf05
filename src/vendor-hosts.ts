import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyInstance } from 'fastify';
import { IsNull } from 'typeorm';
import { Db } from './kernel/database/db.js';
import { HttpEdges } from './kernel/http/edges.js';
import { restErrorBody } from './kernel/http/http-error.js';
import { TRACKER_PAGES, type VendorHost } from './kernel/http/vendor-hosts.js';
import { Workspace } from './messaging/store/workspace.entity.js';

/** The vendors' hosts, and where their paths are here (docs/reference/reach.md#hosts). */

const METHOD = /^\/api\/[A-Za-z][A-Za-z0-9]*(?:\.[A-Za-z0-9]+)+$/;
const OAUTH = /^\/(?:oauth|openid)\/[\w./-]+$/;
const DISCOVERY = /^\/\.well-known\/openid-configuration$/;
/** The web UI opens these addresses where there is one. */
const ARCHIVES = /^\/archives\/[^/]+(?:\/[^/]+)?$/;
/** Pages of files: nothing has them here, as under the server's own name. */
const FILE_PAGES = /^\/files\/U\w+\/F\w+(?:\/[^/]+)?$/;
const POSTING = /^\/services\/T\w+\/(B\w+)\/(\w+)$/;
const RESPONSE = /^\/(?:actions|commands)\/T\w+\/\w+\/(\w+)$/;
const FILES = /^\/(?:upload\/v1|files-pri|files-tmb|files-public)\/.+$/;
const TRACKER_FILES = /^\/(?:put\/\w+|[0-9a-f-]{36}\/[0-9a-f-]{36}\/[^/]+)$/i;
const LINK = /^\/link\/?$/;
const TRACKER_OAUTH = /^\/oauth\/[\w./-]+$/;
const TRACKER_PAGE = /^\/[\w-]+\/(?:issue|project)\/[^/]+(?:\/[^/]*)*$/;

/** Paths that are the same here. */
const same =
  (...patterns: readonly RegExp[]) =>
  (path: string): string | undefined =>
    patterns.some((pattern) => pattern.test(path)) ? path : undefined;

const hook = (path: string): string | undefined => {
  const [, id, secret] = POSTING.exec(path) ?? [];
  return id === undefined ? undefined : `/api/webhooks/incoming/${id}/${secret}`;
};

const response = (path: string): string | undefined => {
  const [, secret] = RESPONSE.exec(path) ?? [];
  return secret === undefined ? undefined : `/api/interactions/respond/${secret}`;
};

/** Hosts of Slack that are no workspace's. */
const OWN = ['www', 'api', 'hooks', 'files', 'wss-primary', 'wss-backup', 'mcp'];
const WORKSPACE = new RegExp(`^(?!(?:${OWN.join('|')})\\.slack\\.com$)(.+)\\.slack\\.com$`);

export const VENDOR_HOSTS: readonly VendorHost[] = [
  { hosts: /^slack\.com$/, inside: same(METHOD, OAUTH, DISCOVERY) },
  { hosts: /^(?:www|api)\.slack\.com$/, inside: same(METHOD, OAUTH) },
  { hosts: WORKSPACE, inside: (path) => same(METHOD, OAUTH, ARCHIVES, FILE_PAGES)(path) ?? hook(path) },
  { hosts: /^hooks\.slack\.com$/, inside: (path) => hook(path) ?? response(path) },
  { hosts: /^files\.slack\.com$/, inside: same(FILES) },
  { hosts: /^wss-(?:primary|backup)\.slack\.com$/, inside: same(LINK) },
  { hosts: /^mcp\.slack\.com$/, inside: (path) => (path === '/mcp' ? '/api/mcp/chat' : undefined) },
  { hosts: /^api\.linear\.app$/, inside: same(/^\/graphql$/, TRACKER_OAUTH) },
  {
    hosts: /^linear\.app$/,
    inside: (path) => same(TRACKER_OAUTH)(path) ?? (TRACKER_PAGE.test(path) ? TRACKER_PAGES : undefined),
  },
  { hosts: /^mcp\.linear\.app$/, inside: (path) => (path === '/mcp' ? '/api/mcp/issues' : undefined) },
  {
    hosts: /^uploads\.linear\.app$/,
    inside: (path) => (TRACKER_FILES.test(path) ? `/uploads${path}` : undefined),
  },
  // known as the vendor's, without a path
  { hosts: /^.+\.linear\.app$/, inside: () => undefined },
];

/** Answers 404 not_found_on_host under `<domain>.slack.com` where no workspace has that domain. */
export function requireWorkspaceOfHost(app: NestFastifyApplication): void {
  const fastify = app.getHttpAdapter().getInstance() as unknown as FastifyInstance;
  const [{ vendorHosts }, db] = [app.get(HttpEdges), app.get(Db)];
  fastify.addHook('onRequest', (request, reply, done) => {
    const domain = WORKSPACE.exec(vendorHosts.of(request.headers) ?? '')?.[1];
    if (domain === undefined) return done();
    const decide = (workspace: Workspace | null): void =>
      workspace ? done() : void reply.code(404).send(restErrorBody(404, 'not_found_on_host'));
    db.load((entities) => entities.findOneBy(Workspace, { domain, deletedAt: IsNull() })).then(decide, done);
  });
}
