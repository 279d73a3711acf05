import { Injectable } from '@nestjs/common';
import { PublicUrl } from '../../kernel/http/public-url.js';
import { RestError } from '../../kernel/http/http-error.js';
import { AppsAccess, type App } from '../access/apps-access.js';
import type { Identity } from '../access/identity.js';
import type { AppManifest } from '../store/app-manifest.js';
import { readManifest } from '../provisioning/manifest.js';
import type { Answer } from '../rpc/envelope.interceptor.js';
import { oauthUrl } from '../wire/chat-urls.js';
import { MessagingError, type ErrorCode } from '../wire/codes.js';
import { AppAdministration, keptFaults } from './app-administration.service.js';
import { Apps } from './apps.service.js';

type OwnedApp = App & { readonly isDefault: boolean };

/** A fault of a manifest, as answers show it. */
interface ManifestFault {
  readonly message: string;
  readonly pointer: string;
}

/** Manifests by API: apps.manifest.* (docs/reference/installing.md#manifests-by-api). */
@Injectable()
export class Manifests {
  constructor(
    private readonly apps: Apps,
    private readonly access: AppsAccess,
    private readonly administration: AppAdministration,
    private readonly publicUrl: PublicUrl,
  ) {}

  /** @throws MessagingError invalid_manifest, app_not_found, no_permission */
  async validate(caller: Identity, sent: unknown, appId: string | undefined): Promise<Answer> {
    const app = appId === undefined ? undefined : await this.ownedApp(caller, appId);
    const manifest = read(sent, app);
    return { errors: [], ...this.warned(caller, manifest) };
  }

  /** Registers an app and installs nothing. @throws MessagingError invalid_manifest, too_many_apps */
  async create(caller: Identity, sent: unknown): Promise<Answer> {
    const manifest = read(sent);
    const { app } = await this.apps.make(caller, manifest, false).catch(refuse);
    return {
      app_id: app.id,
      credentials: {
        client_id: app.clientId,
        client_secret: app.clientSecret,
        verification_token: app.verificationToken,
        signing_secret: app.signingSecret,
      },
      oauth_authorize_url: this.authorizeUrl(caller, app),
      team_id: caller.workspaceId,
      team_domain: caller.workspaceDomain,
      ...this.warned(caller, manifest),
    };
  }

  /** What was granted changes with the next installation. @throws MessagingError invalid_manifest, app_not_found, no_permission */
  async update(caller: Identity, appId: string, sent: unknown): Promise<Answer> {
    const app = await this.ownedApp(caller, appId);
    const manifest = read(sent, app);
    await this.administration.change(app, manifest, { rescopes: false }).catch(refuse);
    return {
      app_id: app.id,
      permissions_updated: scopesOf(app.manifest) !== scopesOf(manifest),
      ...this.warned(caller, manifest),
    };
  }

  /** @throws MessagingError app_not_found, no_permission */
  async export(caller: Identity, appId: string): Promise<Answer> {
    const { manifest } = await this.ownedApp(caller, appId);
    return { manifest };
  }

  /** @throws MessagingError app_not_found, no_permission, app_not_eligible */
  async delete(caller: Identity, appId: string): Promise<void> {
    await this.administration.remove(caller, appId).catch(refuse);
  }

  private ownedApp(caller: Identity, appId: string): Promise<OwnedApp> {
    return this.access.ofOwner(caller, appId).catch(refuse);
  }

  private warned(caller: Identity, manifest: AppManifest): object {
    const warnings = this.apps.warnings(caller, manifest);
    return warnings.length > 0 ? { response_metadata: { warnings } } : {};
  }

  private authorizeUrl({ sandbox }: Identity, { clientId, botScopes, userScopes }: Omit<App, 'workspaceId'>): string {
    const query = new URLSearchParams({ client_id: clientId ?? '', scope: botScopes.join(',') });
    if (userScopes.length > 0) query.set('user_scope', userScopes.join(','));
    return `${oauthUrl(this.publicUrl.base, sandbox)}/oauth/v2/authorize?${query.toString()}`;
  }
}

/** @param app whose manifest it is to be @throws MessagingError invalid_manifest */
function read(sent: unknown, app?: OwnedApp): AppManifest {
  const result = readManifest(sent, 'manifest');
  if ('faults' in result) throw invalid(result.faults.map((fault) => faultOf(fault.replace(/^manifest\.?/, ''))));
  const kept = app ? keptFaults(app.manifest, result.manifest) : [];
  if (kept.length > 0) throw invalid(kept.map(faultOf));
  return result.manifest;
}

const invalid = (errors: readonly ManifestFault[]): MessagingError =>
  new MessagingError('invalid_manifest', { extra: { errors } });

/** A sentence that begins with a path within the manifest; with a blank, where it is about the whole. */
function faultOf(sentence: string): ManifestFault {
  const end = sentence.indexOf(' ');
  const path = sentence.slice(0, end).replace(/\[(\d+)\]/g, '.$1');
  const message = sentence.slice(end + 1);
  return {
    message: message.charAt(0).toUpperCase() + message.slice(1),
    pointer: path === '' ? '' : `/${path.replaceAll('.', '/')}`,
  };
}

/** What is refused on the control plane for reasons that only the store knows, as faults of the manifest. */
const FAULTS: Readonly<Record<string, string>> = {
  command_taken: 'features.slash_commands has a command of another app of the workspace',
  too_many_commands: 'features.slash_commands has more commands than the workspace may have',
  too_many_subscriptions: 'settings.event_subscriptions is one more than the workspace may have',
  url_verification_failed: 'settings.event_subscriptions.request_url did not answer the challenge',
};

const CODES: Readonly<Record<string, ErrorCode>> = {
  app_not_found: 'app_not_found',
  not_admin: 'no_permission',
  cant_delete_default_app: 'app_not_eligible',
  too_many_apps: 'too_many_apps',
};

/** A refusal of the control plane as one of these methods; everything else goes on. */
function refuse(error: unknown): never {
  if (!(error instanceof RestError)) throw error;
  const { message } = error;
  const [fault, code] = [FAULTS[message], CODES[message]];
  if (fault !== undefined) throw invalid([faultOf(fault)]);
  if (code !== undefined) throw new MessagingError(code);
  throw error;
}

/** The scopes that a manifest asks for, in any order. */
const scopesOf = ({ oauth_config: oauth }: AppManifest): string =>
  JSON.stringify([oauth?.scopes?.bot, oauth?.scopes?.user].map((scopes) => [...new Set(scopes ?? [])].sort()));
