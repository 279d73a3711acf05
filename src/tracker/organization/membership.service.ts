import { Injectable } from '@nestjs/common';
import type { AccessTokenClaims } from '../../auth/access-tokens.js';
import { Accounts } from '../../auth/accounts.js';
import { SignIn } from '../../auth/sign-in.service.js';
import { Clock } from '../../kernel/clock/clock.js';
import { Db, type Tx } from '../../kernel/database/db.js';
import { statement } from '../../kernel/database/statement.js';
import { RestError } from '../../kernel/http/http-error.js';
import { PublicUrl } from '../../kernel/http/public-url.js';
import { Access } from '../model/access.js';
import { orgClaimOf } from '../model/org-claim.js';
import { columnsOf, Organization, User } from '../model/rows.js';
import { TrackerSetup } from '../model/setup.js';
import { userEvent } from '../model/user-events.js';
import type { Viewer } from '../model/viewer.js';
import type { CreateOrganizationBody } from './membership.dto.js';

const INSERT_TENANT = statement('tracker_insert_tenant', 'INSERT INTO tenants DEFAULT VALUES RETURNING id');

const ACCOUNT = statement('tracker_account', 'SELECT real_name AS "name", email FROM accounts WHERE id = $1');

/** Who joins queues here, so that an account becomes one user only. */
const HOLD_BY_KEY = statement(
  'tracker_hold_organization_by_key',
  `SELECT ${columnsOf(Organization, 'g')} FROM organizations g WHERE g.url_key = $1 FOR NO KEY UPDATE`,
);

const USER_OF_ACCOUNT = statement(
  'tracker_user_of_account',
  `SELECT ${columnsOf(User, 'u')} FROM tracker_users u WHERE u.account_id = $1 AND u.organization_id = $2`,
);

/** What h.3 shows of an organization and of the caller in it. */
interface Place {
  organization: { id: string; name: string; urlKey: string; createdAt: Date };
  user: { id: string; email: string; name: string; admin: boolean; owner: boolean };
}

/** How accounts come into organizations (tracker.md h.3). Each way in answers a new session that claims it. */
@Injectable()
export class MembershipService {
  constructor(
    private readonly db: Db,
    private readonly access: Access,
    private readonly setup: TrackerSetup,
    private readonly accounts: Accounts,
    private readonly signIn: SignIn,
    private readonly clock: Clock,
    private readonly publicUrl: PublicUrl,
  ) {}

  /** A new organization with its creator as owner; it has no team yet. @throws RestError 409 url_key_taken */
  async create(caller: AccessTokenClaims, { name, urlKey }: CreateOrganizationBody): Promise<object> {
    const place = await this.db.write(async (tx) => {
      const [tenant] = await tx.query<{ id: number }>(INSERT_TENANT);
      const tenantId = (tenant as { id: number }).id;
      const organization = await this.setup.createOrganization(tx, { tenantId, name, urlKey });
      if (!organization) throw new RestError(409, 'url_key_taken');
      const account = await this.account(tx, caller.accountId);
      const user = await this.setup.addUser(tx, { organizationId: organization.id, ...account, owner: true });
      return placeOf(organization, user);
    });
    return this.sessionIn(place, caller);
  }

  /** Joins, or switches to one joined before. @throws RestError 404 organization_not_found, 403 account_inactive */
  async join(caller: AccessTokenClaims, urlKey: string): Promise<object> {
    const place = await this.db.write(async (tx) => {
      const [organization] = await tx.query<Organization & { [column: string]: unknown }>(HOLD_BY_KEY, [urlKey]);
      if (!organization) throw new RestError(404, 'organization_not_found');
      const [known] = await tx.query<User & { [column: string]: unknown }>(USER_OF_ACCOUNT, [
        caller.accountId,
        organization.id,
      ]);
      if (known && !known.active) throw new RestError(403, 'account_inactive');
      if (known) {
        await this.accounts.remember(tx, caller.accountId, { org: orgClaimOf(organization.id) });
        return placeOf(organization, known);
      }
      const account = await this.account(tx, caller.accountId);
      const user = await this.setup.addUser(tx, { organizationId: organization.id, ...account });
      const told = { viewer: viewerOf(organization, user), web: this.publicUrl.base, at: this.clock.now() };
      tx.record(userEvent(told, user));
      return placeOf(organization, user);
    });
    return this.sessionIn(place, caller);
  }

  async of(viewer: Viewer): Promise<Place> {
    const [organization, user] = await Promise.all([
      this.access.organization(viewer),
      this.access.users.visible(viewer, viewer.userId),
    ]);
    return placeOf(organization, user);
  }

  private async account(tx: Tx, accountId: string): Promise<{ accountId: string; name: string; email: string }> {
    const [account] = await tx.query<{ name: string; email: string | null }>(ACCOUNT, [accountId]);
    if (!account) throw new RestError(401, 'account_inactive');
    return { accountId, name: account.name, email: account.email ?? `${accountId.toLowerCase()}@users.invalid` };
  }

  /** The session of the shared routes with the tracker's user in it (h.3). */
  private async sessionIn(place: Place, { accountId, claims }: AccessTokenClaims): Promise<object> {
    const kept = { ...claims, org: orgClaimOf(place.organization.id) };
    return { ...(await this.signIn.begin(accountId, {}, kept)), ...place };
  }
}

const placeOf = (organization: Organization, user: User): Place => ({
  organization: {
    id: organization.id,
    name: organization.name,
    urlKey: organization.urlKey,
    createdAt: organization.createdAt,
  },
  user: { id: user.id, email: user.email, name: user.name, admin: user.admin, owner: user.owner },
});

/** Who has just joined, as the actor of that event. */
const viewerOf = (organization: Organization, user: User): Viewer => ({
  ...user,
  userId: user.id,
  tenantId: organization.tenantId,
  urlKey: organization.urlKey,
  organizationName: organization.name,
  gitBranchFormat: organization.gitBranchFormat,
  hiddenTeamIds: [],
  archivedTeamIds: [],
  apiKeyId: null,
});
