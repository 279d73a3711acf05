import { Inject, Injectable } from '@nestjs/common';
import { IsNull, type EntityManager } from 'typeorm';
import { Account } from '../../auth/account.entity.js';
import type { AccessTokenClaims } from '../../auth/access-tokens.js';
import { Accounts } from '../../auth/accounts.js';
import { SignIn } from '../../auth/sign-in.service.js';
import { SETTINGS_TOKEN, type Settings } from '../../kernel/config/settings.js';
import { Db, type Tx } from '../../kernel/database/db.js';
import { RestError } from '../../kernel/http/http-error.js';
import { TenantMaking } from '../../kernel/tenancy/tenant-making.js';
import { Tenant } from '../../kernel/tenancy/tenant.entity.js';
import { Access } from '../access/access.js';
import { orgClaimOf } from '../access/org-claim.js';
import { Organization } from '../store/organization.entity.js';
import { User } from '../store/user.entity.js';
import { TrackerSetup } from '../provisioning/setup.js';
import { Joining } from '../events/joining.js';
import { userEvent } from '../events/user-events.js';
import type { Viewer } from '../access/viewer.js';
import type { ChangeOrganizationBody, CreateOrganizationBody } from './membership.dto.js';
import { setJoinable } from './organization.queries.js';

/** What docs/reference/tracker.md#rest shows of an organization and of the caller in it. */
interface Membership {
  organization: { id: string; name: string; urlKey: string; createdAt: Date; joinable: boolean };
  user: { id: string; email: string; name: string; admin: boolean; owner: boolean };
}

/**
 * How accounts join organizations (docs/reference/tracker.md#rest). Each way returns a new session that claims the
 * organization.
 */
@Injectable()
export class MembershipService {
  constructor(
    @Inject(SETTINGS_TOKEN) private readonly settings: Settings,
    private readonly db: Db,
    private readonly access: Access,
    private readonly setup: TrackerSetup,
    private readonly making: TenantMaking,
    private readonly accounts: Accounts,
    private readonly signIn: SignIn,
    private readonly joining: Joining,
  ) {}

  /**
   * A new organization with its creator as owner; it has no team yet.
   * @throws RestError 409 url_key_taken, too_many_organizations
   */
  async create(caller: AccessTokenClaims, { name, urlKey }: CreateOrganizationBody): Promise<object> {
    refuseBound(caller);
    const membership = await this.db.write(async (tx) => {
      const tenantId = await this.making.make(tx, caller.accountId);
      const made = await tx.sql.countBy(User, { accountId: caller.accountId, owner: true });
      if (made >= this.settings.maxOrganizations) throw new RestError(409, 'too_many_organizations');
      const organization = await this.setup.createOrganization(tx, { tenantId, name, urlKey });
      if (!organization) throw new RestError(409, 'url_key_taken');
      const account = await this.account(tx, caller.accountId);
      const user = await this.setup.addUser(tx, { organizationId: organization.id, ...account, owner: true });
      return membershipOf(organization, user, true);
    });
    return this.sessionIn(membership, caller);
  }

  /** Joins, or switches to one joined before. @throws RestError 404 organization_not_found, 403 account_inactive */
  async join(caller: AccessTokenClaims, urlKey: string): Promise<object> {
    refuseBound(caller);
    const membership = await this.db.write(async (tx) => {
      // joins are serialized, so that an account becomes one user only
      const lock = { mode: 'for_no_key_update' } as const;
      const organization = await tx.sql.findOne(Organization, { where: { urlKey, hasOwnIds: IsNull() }, lock });
      if (!organization) throw new RestError(404, 'organization_not_found');
      const { accountId } = caller;
      const known = await tx.sql.findOneBy(User, { accountId, organizationId: organization.id });
      const joinable = await isJoinable(tx.sql, organization.tenantId);
      if (!known && !joinable) throw new RestError(404, 'organization_not_found');
      if (known && !known.active) throw new RestError(403, 'account_inactive');
      if (known) {
        await this.accounts.remember(tx, caller.accountId, { org: orgClaimOf(organization.id) });
        return membershipOf(organization, known, joinable);
      }
      const account = await this.account(tx, caller.accountId);
      const user = await this.setup.addUser(tx, { organizationId: organization.id, ...account });
      tx.record(userEvent(await this.joining.settingOf(tx, organization, user), user));
      return membershipOf(organization, user, joinable);
    });
    return this.sessionIn(membership, caller);
  }

  async of(viewer: Viewer): Promise<Membership> {
    const [organization, user] = await Promise.all([
      this.access.organization(viewer),
      this.access.users.visible(viewer, viewer.userId),
    ]);
    return membershipOf(organization, user, await this.db.load((entities) => isJoinable(entities, viewer.tenantId)));
  }

  /**
   * Whether people who know its url key may join. If the organization has a workspace, that workspace's admins decide.
   * @throws RestError 403 not_admin
   */
  async change(viewer: Viewer, { joinable }: ChangeOrganizationBody): Promise<Membership> {
    if (joinable === true && viewer.sandbox?.ids) throw new RestError(400, 'not_in_own_id_space');
    if (typeof joinable === 'boolean') {
      if (!(await setJoinable(this.db, viewer.tenantId, joinable))) throw new RestError(403, 'not_admin');
    }
    return this.of(viewer);
  }

  private async account(tx: Tx, accountId: string): Promise<{ accountId: string; name: string; email: string }> {
    const account = await tx.sql.findOneBy(Account, { id: accountId });
    if (!account) throw new RestError(401, 'account_inactive');
    return { accountId, name: account.realName, email: account.email ?? `${accountId.toLowerCase()}@users.invalid` };
  }

  /** The session of the shared routes with the tracker's user in it (docs/reference/tracker.md#rest). */
  private async sessionIn(membership: Membership, { accountId, claims }: AccessTokenClaims): Promise<object> {
    const kept = { ...claims, org: orgClaimOf(membership.organization.id) };
    return { ...(await this.signIn.begin(accountId, {}, kept)), ...membership };
  }
}

/** Whether strangers may join by name; not when the tenant was deleted. */
const isJoinable = async (entities: EntityManager, id: number): Promise<boolean> =>
  (await entities.findOneBy(Tenant, { id }))?.joinable ?? false;

const membershipOf = (organization: Organization, user: User, joinable: boolean): Membership => ({
  organization: {
    id: organization.id,
    name: organization.name,
    urlKey: organization.urlKey,
    createdAt: organization.createdAt,
    joinable,
  },
  user: { id: user.id, email: user.email, name: user.name, admin: user.admin, owner: user.owner },
});

/** What a sandbox hands out for somebody opens that sandbox alone. */
function refuseBound(account: AccessTokenClaims): void {
  if (account.claims['bound'] === true) throw new RestError(403, 'not_allowed_token_type');
}
