import { Injectable } from '@nestjs/common';
import { Db } from '../../kernel/database/db.js';
import { RestError } from '../../kernel/http/http-error.js';
import { AppsAccess } from '../access/apps-access.js';
import type { Identity } from '../access/identity.js';
import { TokenUses } from '../access/token-uses.js';
import { toWireApp, tokenHint } from '../wire/control-wire.js';
import { OPEN_SOCKETS, TOKENS_OF_APP, type TokenRow } from './app-details.queries.js';

/** Details of one app: its tokens, and the secrets that sign its requests (docs/reference/control-plane.md#apps). */
@Injectable()
export class AppDetails {
  constructor(
    private readonly db: Db,
    private readonly apps: AppsAccess,
    private readonly uses: TokenUses,
  ) {}

  /**
   * For every member, as no token can be derived from it.
   * @throws RestError 404 app_not_found
   */
  async one(caller: Identity, id: string): Promise<object> {
    const app = await this.apps.find(caller.workspaceId, id);
    if (!app) throw new RestError(404, 'app_not_found');
    await this.uses.store();
    const [tokens, [sockets]] = await Promise.all([
      this.db.read<TokenRow>(TOKENS_OF_APP, [app.workspaceId, app.id]),
      this.db.read<{ open: number }>(OPEN_SOCKETS, [app.id]),
    ]);
    return {
      ...toWireApp(app, app.workspaceId),
      tokens: tokens.map(({ kind, rotates, hint, created, lastUsedAt }) => ({
        kind,
        hint: tokenHint(kind, hint, rotates),
        created,
        last_used_at: lastUsedAt,
      })),
      open_sockets: sockets?.open ?? 0,
    };
  }

  /** For its creator and admins. @throws RestError 404 app_not_found, 403 not_admin */
  async credentials(caller: Identity, id: string): Promise<object> {
    const app = await this.apps.ofOwner(caller, id);
    return { signing_secret: app.signingSecret, verification_token: app.verificationToken };
  }
}
