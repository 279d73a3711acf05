import { Injectable } from '@nestjs/common';
import {
  AccountProducts,
  type AccountProduct,
  type Claims,
  type SessionPart,
  type NewAccount,
  type SignInOptions,
} from '../../auth/account-products.js';
import { Db, type Tx } from '../../kernel/database/db.js';
import { RestError } from '../../kernel/http/http-error.js';
import { HANDLE, NewMembers } from '../members/new-members.js';
import { handleOf } from '../provisioning/initial-values.js';
import { toRestError } from '../rest/rest-errors.js';
import { Credentials } from '../rpc/credentials.js';
import { WORKSPACE_TO_ENTER, ENTER_WORKSPACE } from './account-product.queries.js';

interface JoinedWorkspace {
  teamId: string;
  teamName: string;
  domain: string;
  name: string;
  realName: string | null;
  email: string | null;
}

/**
 * What the chat product adds to accounts: a membership of a workspace, `team_id` in tokens, user and team in answers
 * (docs/reference/control-plane.md#accounts).
 */
@Injectable()
export class ChatAccounts implements AccountProduct {
  readonly name = 'chat';

  constructor(
    products: AccountProducts,
    private readonly db: Db,
    private readonly newMembers: NewMembers,
    private readonly credentials: Credentials,
  ) {
    products.register(this);
  }

  /** @throws RestError 404 team_not_found */
  async onAccountCreated(tx: Tx, account: NewAccount, options: SignInOptions): Promise<void> {
    const [workspace] = await tx.query<{ id: string; tenantId: number }>(WORKSPACE_TO_ENTER, [options.teamId ?? null]);
    if (!workspace) throw new RestError(404, 'team_not_found');
    const { name, email } = account;
    const handle =
      name !== undefined && HANDLE.test(name) ? name : handleOf(email.slice(0, email.indexOf('@')), 'user');
    await this.newMembers.add(tx, workspace, { accountId: account.id, handle, realName: account.realName, email });
  }

  /** @throws RestError 404 team_not_found, 401 account_inactive when no workspace is left */
  async enter(accountId: string, options: SignInOptions, kept: Claims): Promise<SessionPart> {
    const before = typeof kept['team_id'] === 'string' ? kept['team_id'] : null;
    const [row] = await this.db.read<JoinedWorkspace & { [column: string]: unknown }>(ENTER_WORKSPACE, [
      accountId,
      options.teamId ?? null,
      before,
    ]);
    if (!row)
      throw options.teamId === undefined
        ? new RestError(401, 'account_inactive')
        : new RestError(404, 'team_not_found');
    return {
      claims: { team_id: row.teamId },
      view: {
        user: { id: accountId, name: row.name, real_name: row.realName ?? '', email: row.email },
        team: { id: row.teamId, name: row.teamName, domain: row.domain },
      },
    };
  }

  /** An app's token is known here, but only people log out. */
  async refusal(credential: string): Promise<Error | null> {
    try {
      await this.credentials.identify(credential, {});
      return new RestError(403, 'not_allowed_token_type');
    } catch (error) {
      const refusal = toRestError(error);
      if (!(refusal instanceof RestError)) throw error;
      return refusal.code === 'invalid_auth' ? null : refusal;
    }
  }
}
