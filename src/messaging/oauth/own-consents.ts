import { Injectable } from '@nestjs/common';
import { Db } from '../../kernel/database/db.js';
import { RestError } from '../../kernel/http/http-error.js';
import { AuthorizeQuery } from '../../oauth/authorize-query.js';
import { ConsentError } from '../../oauth/consent-error.js';
import { ConsentPages } from '../../oauth/consent-pages.js';
import type { Identity } from '../access/identity.js';
import { AppsAccess } from '../access/apps-access.js';
import { App } from '../store/app.entity.js';
import { readAuthorize } from './authorize-request.js';
import { Clients } from './clients.js';
import { InstallableChat } from './installable-chat.js';

/** What somebody grants an app, as an authorize URL would ask for it. */
export interface OwnConsent {
  readonly scope?: string | undefined;
  readonly user_scope?: string | undefined;
  readonly redirect_uri?: string | undefined;
  readonly state?: string | undefined;
  /** Name or id. */
  readonly channel?: string | undefined;
}

/** Somebody who is signed in lets an app in, without its authorize URL (docs/reference/installing.md#registration). */
@Injectable()
export class OwnConsents {
  constructor(
    private readonly db: Db,
    private readonly apps: AppsAccess,
    private readonly clients: Clients,
    private readonly installable: InstallableChat,
    private readonly pages: ConsentPages,
  ) {}

  /**
   * Where the person's browser is to go, with a code.
   * @throws RestError 404 not_found, app_not_found, channel_not_found, 400 and 403 with the codes of authorize URLs
   */
  async give(caller: Identity, appId: string, { channel, ...asked }: OwnConsent): Promise<string> {
    if (caller.sandbox.methods === 'core') throw new RestError(404, 'not_found');
    const client = await this.clients.find(await this.clientIdOf(caller, appId));
    if (!client) throw new RestError(404, 'app_not_found');
    const query = AuthorizeQuery.of({ ...asked, client_id: client.clientId, team: caller.workspaceId });
    const { fields } = await this.installable.consentAs(caller.tenantId, caller.userId, channel);
    try {
      return await this.pages.allow('chat', readAuthorize(query, client, 'install', false), {
        userId: caller.userId,
        placeId: caller.workspaceId,
        channelId: fields['channel'],
      });
    } catch (error) {
      throw error instanceof ConsentError ? new RestError(error.status, error.code) : error;
    }
  }

  /** Of an app of the workspace, at home there or a guest. */
  private async clientIdOf({ workspaceId }: Identity, id: string): Promise<string | undefined> {
    const app = await this.apps.find(workspaceId, id);
    if (!app?.homeId) return app?.clientId ?? undefined;
    const home = { workspaceId: app.homeId, id };
    return (await this.db.load((entities) => entities.findOneBy(App, home)))?.clientId ?? undefined;
  }
}
