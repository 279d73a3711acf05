import { Inject, Injectable } from '@nestjs/common';
import { SETTINGS_TOKEN, type Settings } from '../kernel/config/settings.js';
import { Db } from '../kernel/database/db.js';
import { RestError } from '../kernel/http/http-error.js';
import { isAdmin, managesAsPerson, type Identity } from '../messaging/access/identity.js';
import { Credentials } from '../messaging/rpc/credentials.js';
import { MessagingError } from '../messaging/wire/codes.js';
import { isSameSecret } from '../kernel/ids/same-secret.js';
import { Workspace } from '../messaging/store/workspace.entity.js';

/** An operator. One with a name sees only the sandboxes that it made, and copies of those. */
export interface Admin {
  readonly name: string | null;
}

/**
 * Identifies operators: holders of SVC_ADMIN_TOKEN or of one of SVC_ADMIN_TOKENS; if neither is set, admins of the
 * default workspace.
 */
@Injectable()
export class Admins {
  constructor(
    @Inject(SETTINGS_TOKEN) private readonly settings: Settings,
    private readonly credentials: Credentials,
    private readonly db: Db,
  ) {}

  /** Whether operators have tokens of their own; admins of the default workspace are then not operators. */
  get haveTokens(): boolean {
    return this.settings.adminToken !== undefined || this.settings.adminTokens !== undefined;
  }

  /** The operator with this token. */
  ofToken(token: string): Admin | undefined {
    const { adminToken, adminTokens } = this.settings;
    let found: Admin | undefined;
    // compares with all of them, so that the time reveals nothing
    for (const [name, known] of adminTokens ?? []) if (isSameSecret(token, known)) found = { name };
    if (adminToken !== undefined && isSameSecret(token, adminToken)) found = { name: null };
    return found;
  }

  /** @throws RestError 401, 403 */
  async authenticate(token: string): Promise<Admin> {
    if (this.haveTokens) {
      const admin = this.ofToken(token);
      if (!admin) throw new RestError(401, 'invalid_auth');
      return admin;
    }
    const { identity } = await this.credentials.identify(token, {}).catch((error: unknown) => {
      // the account may have left the workspace that its token names
      throw error instanceof MessagingError
        ? new RestError(401, error.code === 'team_access_not_granted' ? 'account_inactive' : error.code)
        : error;
    });
    if (!managesAsPerson(identity)) throw new RestError(403, 'not_allowed_token_type');
    if (!(await this.isDefaultAdmin(identity))) throw new RestError(403, 'not_admin');
    return { name: null };
  }

  /** Whether an identified caller is also an operator. */
  async isDefaultAdmin(identity: Identity): Promise<boolean> {
    if (this.haveTokens || !isAdmin(identity) || identity.isBound) return false;
    return this.db.load((entities) => entities.existsBy(Workspace, { id: identity.workspaceId, isDefault: true }));
  }
}
