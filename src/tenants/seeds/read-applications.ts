import { isRedirectUrl } from '../../kernel/http/redirect-urls.js';
import { scopeList, unfitScope } from '../../tracker/access/oauth-scopes.js';
import type { SeedReader } from './seed-reader.js';
import type { SeedApplication } from './seed-types.js';

/** Applications of OAuth of a document (docs/reference/tracker-oauth.md#documents). */
export function readApplications(value: unknown, read: SeedReader): SeedApplication[] {
  const names = new Set<string>(['default-app']);
  return read.list(value, 'tracker.apps').map((one, i) => {
    const path = `tracker.apps[${i}]`;
    const app = read.object(
      one,
      path,
      'name redirect_uris client_credentials public webhook_url webhook_resource_types client_id client_secret installed',
    );
    const name = read.name(app['name'], `${path}.name`, 80);
    if (names.has(name)) read.fault(`${path}.name`, `"${name}" is there twice`);
    names.add(name);
    const redirectUris = read.texts(app['redirect_uris'], `${path}.redirect_uris`);
    if (redirectUris.length > 100) read.fault(`${path}.redirect_uris`, 'must hold at most 100');
    for (const [n, uri] of redirectUris.entries()) {
      if (uri.length > 2_048 || !isRedirectUrl(uri))
        read.fault(`${path}.redirect_uris[${n}]`, 'must be a redirect URL');
    }
    const clientId = read.text(app['client_id'], `${path}.client_id`, 32);
    if (clientId !== undefined && !/^[0-9a-f]{32}$/.test(clientId))
      read.fault(`${path}.client_id`, 'must be 32 of 0-9 and a-f');
    return {
      name,
      redirectUris,
      hasClientCredentials: read.flag(app['client_credentials'], `${path}.client_credentials`) ?? false,
      isPublic: read.flag(app['public'], `${path}.public`) ?? false,
      webhookUrl: app['webhook_url'] === undefined ? undefined : read.url(app['webhook_url'], `${path}.webhook_url`),
      resourceTypes: read.texts(app['webhook_resource_types'], `${path}.webhook_resource_types`),
      clientId,
      clientSecret: read.token(app['client_secret'], `${path}.client_secret`, ''),
      installed: readInstalled(app['installed'], `${path}.installed`, read),
      path,
    };
  });
}

function readInstalled(value: unknown, path: string, read: SeedReader): SeedApplication['installed'] {
  if (value === undefined || value === null || value === false) return undefined;
  const installed = read.object(value, path, 'actor scopes as');
  const actor = read.text(installed['actor'], `${path}.actor`, 10) ?? 'user';
  if (actor !== 'user' && actor !== 'app') read.fault(`${path}.actor`, 'must be user or app');
  const kind = actor === 'app' ? 'app' : 'user';
  const scopes = scopeList(read.texts(installed['scopes'], `${path}.scopes`).join(','));
  const unfit = unfitScope(scopes, kind);
  if (unfit !== undefined) read.fault(`${path}.scopes`, `nobody can grant "${unfit}" here`);
  return { actor: kind, scopes, as: read.text(installed['as'], `${path}.as`, 255) };
}
