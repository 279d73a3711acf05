import { Injectable } from '@nestjs/common';
import { AccountProducts } from '../../auth/account-products.js';
import { Accounts } from '../../auth/accounts.js';
import { Passwords } from '../../auth/passwords.js';
import { SignIn } from '../../auth/sign-in.service.js';
import { Db } from '../../kernel/database/db.js';
import { RestError } from '../../kernel/http/http-error.js';
import type { Identity } from '../access/identity.js';
import { handleOf } from '../provisioning/initial-values.js';
import { HANDLE, NewMembers } from '../members/new-members.js';
import type { MemberBody } from './workspaces.dto.js';
import { Workspaces } from './workspaces.service.js';

/** Accounts that an admin creates: the way in when sign-up is closed (docs/SECURITY.md). */
@Injectable()
export class WorkspaceMembers {
  constructor(
    private readonly db: Db,
    private readonly workspaces: Workspaces,
    private readonly accounts: Accounts,
    private readonly passwords: Passwords,
    private readonly products: AccountProducts,
    private readonly newMembers: NewMembers,
    private readonly signIn: SignIn,
  ) {}

  /**
   * Makes an account, a member of the workspace and of the organization beside it. An account that exists is never added
   * this way: that is for its owner to decide.
   * @throws RestError 404 team_not_found, 403 not_admin, 409 email_taken
   */
  async add(caller: Identity, workspaceId: string, body: MemberBody): Promise<object> {
    const workspace = await this.workspaces.load(caller, workspaceId);
    if (workspace.memberRole === 'member') throw new RestError(403, 'not_admin');
    const email = body.email.toLowerCase();
    const realName = body.real_name ?? body.name;
    const passwordHash = body.password === undefined ? null : await this.passwords.hash(body.password, 'person');
    const handle = HANDLE.test(body.name) ? body.name : handleOf(email.slice(0, email.indexOf('@')), 'user');

    const { id, name } = await this.db.write(async (tx) => {
      const id = await this.accounts.create(tx, { email, passwordHash, realName });
      if (id === null) throw new RestError(409, 'email_taken');
      const role = body.is_admin === true ? 'admin' : 'member';
      const person = { accountId: id, handle, realName, email, role } as const;
      const name = await this.newMembers.add(tx, workspace, person);
      const account = { id, email, realName, name: body.name };
      for (const product of this.products.all) await product.onMemberAdded?.(tx, workspace.tenantId, account);
      return { id, name };
    });
    const account = await this.accounts.findByEmail(email);
    const session = await this.signIn.begin(id, { teamId: workspaceId }, account?.claims ?? {});
    return { user_id: id, name, email, access_token: session.accessToken };
  }
}
