import { Inject, Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { createHash, timingSafeEqual } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import { SETTINGS_TOKEN, type Settings } from '../kernel/config/settings.js';
import { Db } from '../kernel/database/db.js';
import { statement } from '../kernel/database/statement.js';
import { RestError } from '../kernel/http/http-error.js';
import { MessagingError } from '../messaging/model/codes.js';
import { isAdmin } from '../messaging/model/identity.js';
import { bearer, Credentials } from '../messaging/rpc/credentials.js';

const IS_DEFAULT = statement('tenants_is_default', 'SELECT is_default AS "isDefault" FROM workspaces WHERE id = $1');

/** In constant time, whatever the lengths. */
const equal = (a: string, b: string): boolean =>
  timingSafeEqual(createHash('sha256').update(a).digest(), createHash('sha256').update(b).digest());

/** Opens `/api/admin/*`: to the holder of SVC_ADMIN_TOKEN or, where that is unset, to admins of the default workspace. */
@Injectable()
export class AdminGuard implements CanActivate {
  constructor(
    @Inject(SETTINGS_TOKEN) private readonly settings: Settings,
    private readonly credentials: Credentials,
    private readonly db: Db,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const { headers } = context.switchToHttp().getRequest<FastifyRequest>();
    const header = headers['x-admin-token'];
    const token = typeof header === 'string' && header !== '' ? header : bearer(headers.authorization);
    if (token === undefined) throw new RestError(401, 'not_authed');
    const { adminToken } = this.settings;
    if (adminToken !== undefined) {
      if (!equal(token, adminToken)) throw new RestError(401, 'invalid_auth');
      return true;
    }
    return this.isDefaultAdmin(token);
  }

  private async isDefaultAdmin(token: string): Promise<true> {
    const { identity } = await this.credentials.identify(token, {}).catch((error: unknown) => {
      // the account may have left the workspace that its token names
      throw error instanceof MessagingError
        ? new RestError(401, error.code === 'team_access_not_granted' ? 'account_inactive' : error.code)
        : error;
    });
    if (identity.kind === 'bot') throw new RestError(403, 'not_allowed_token_type');
    const [workspace] = await this.db.read<{ isDefault: boolean }>(IS_DEFAULT, [identity.workspaceId]);
    if (!workspace?.isDefault || !isAdmin(identity)) throw new RestError(403, 'not_admin');
    return true;
  }
}
