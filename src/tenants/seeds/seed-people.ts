import { Injectable } from '@nestjs/common';
import { seenId } from '../../kernel/clock/request-sandbox.js';
import { AccessTokens } from '../../auth/access-tokens.js';
import { Accounts } from '../../auth/accounts.js';
import { Sessions } from '../../auth/sessions.js';
import type { Tx } from '../../kernel/database/db.js';
import { RestError } from '../../kernel/http/http-error.js';
import { newId } from '../../kernel/ids/ids.js';
import { profileOf } from '../../messaging/provisioning/initial-values.js';
import { BulkSetup } from '../../messaging/provisioning/bulk-setup.js';
import { SET_USERS } from '../../messaging/provisioning/seeds.queries.js';
import { orgClaimOf } from '../../tracker/access/org-claim.js';
import { TrackerSetup } from '../../tracker/provisioning/setup.js';
import type { KnownObjects, KnownUser, SeededUser, SeedContext } from './known-objects.js';
import type { SeedUser } from './seed-types.js';

/** People of a document: accounts, users of both products, their sessions and fixed credentials. */
@Injectable()
export class SeedPeople {
  constructor(
    private readonly setup: BulkSetup,
    private readonly tracker: TrackerSetup,
    private readonly accounts: Accounts,
    private readonly sessions: Sessions,
    private readonly accessTokens: AccessTokens,
  ) {}

  /**
   * Makes missing people and completes the others.
   * @throws RestError 409 name_taken, email_taken
   */
  async add(tx: Tx, context: SeedContext, users: readonly SeedUser[], known: KnownObjects): Promise<void> {
    const missing = users.filter((user) => !known.users.has(user.name) && known.person(user.name) === undefined);
    if (context.onlyNew) {
      const taken = users.find((user) => !missing.includes(user));
      if (taken)
        throw new RestError(
          409,
          taken.email === undefined ? 'name_taken' : 'email_taken',
          undefined,
          `${taken.path}.name`,
        );
    }
    const completed = users.filter((user) => !missing.includes(user));
    for (const { name, path } of completed) {
      if (known.person(name) === undefined) throw new RestError(409, 'name_taken', undefined, `${path}.name`);
    }
    await this.complete(tx, context, completed, known);
    await this.make(tx, context, missing, known);
  }

  private async make(tx: Tx, context: SeedContext, users: readonly SeedUser[], known: KnownObjects): Promise<void> {
    const { workspaceId, organizationId, domain } = context;
    const people = users.map((user) => ({
      user,
      id: user.id ?? newId('U'),
      handle: user.name,
      realName: user.realName ?? user.name,
      email: (user.email ?? `${user.name}@${domain}.example`).toLowerCase(),
      role: user.isAdmin === true ? ('admin' as const) : ('member' as const),
      admin: user.isAdmin === true,
      passwordHash: user.passwordHash,
      profile: user.profile,
      presence: user.presence,
    }));
    const claims = { org: orgClaimOf(organizationId) };
    const stored = await this.accounts.createAll(tx, people, claims);
    const taken = people.find(({ id }) => !stored.has(id));
    if (taken) throw new RestError(409, 'email_taken', undefined, `${taken.user.path}.email`);
    const named = await this.setup.addUsers(tx, workspaceId, people);
    const clash = people.find(({ id }) => !named.has(id));
    if (clash) throw new RestError(409, 'name_taken', undefined, `${clash.user.path}.name`);
    const trackerIds = await this.tracker.addUsers(
      tx,
      organizationId,
      people.map(({ id, realName, email, admin }) => ({ accountId: id, name: realName, email, admin })),
    );
    for (const [i, { id, handle }] of people.entries()) {
      known.users.set(handle, { id, trackerId: trackerIds[i] as string, isBot: false, wasThere: false });
    }
  }

  private async complete(tx: Tx, context: SeedContext, users: readonly SeedUser[], known: KnownObjects): Promise<void> {
    const rows = users.flatMap((user) => {
      const { name, realName, isAdmin, presence, profile } = user;
      const id = known.person(name)?.id;
      const said = { ...(realName === undefined ? {} : profileOf(realName, name)), ...profile };
      if (presence === undefined && isAdmin !== true && Object.keys(said).length === 0) return [];
      return [{ id, presence: presence ?? null, profile: said, is_admin: isAdmin ?? false }];
    });
    if (rows.length > 0) await tx.query(SET_USERS, [context.workspaceId, JSON.stringify(rows)]);
  }

  /** Sessions of everyone in the document; those of existing people are valid for this tenant only. */
  async openSessions(
    tx: Tx,
    context: SeedContext,
    users: readonly SeedUser[],
    seconds: number,
    known: KnownObjects,
  ): Promise<Record<string, SeededUser>> {
    const claims = { team_id: context.workspaceId, org: orgClaimOf(context.organizationId) };
    const people = users.map(({ name }) => ({ name, user: known.person(name) as KnownUser }));
    const tokens = new Map<string, string>();
    for (const bound of [false, true]) {
      const group = people.filter(({ user }) => user.wasThere === bound);
      const own = bound ? { ...claims, bound: true } : claims;
      const ids = group.map(({ user }) => user.id);
      const sids = await this.sessions.open(tx, ids, own, { seconds });
      for (const [i, accountId] of ids.entries()) {
        const token = { accountId, sid: sids[i] as string, claims: own };
        tokens.set(accountId, await this.accessTokens.issue(token, seconds));
      }
    }
    return Object.fromEntries(
      people.map(({ name, user: { id, trackerId } }) => [
        name,
        { user_id: id, access_token: tokens.get(id) as string, tracker_user_id: trackerId },
      ]),
    );
  }

  /** Fixed credentials: user tokens of the default app, API keys. They are known to be unused (withFreeNames). */
  async addCredentials(
    tx: Tx,
    { workspaceId, organizationId }: SeedContext,
    users: readonly SeedUser[],
    known: KnownObjects,
  ): Promise<void> {
    const app = known.defaultApp;
    const tokens = users.flatMap(({ name, userToken }) => {
      if (userToken === undefined || !app) return [];
      const userId = (known.person(name) as KnownUser).id;
      return [{ token: seenId(userToken), kind: 'user' as const, appId: app.id, userId, scopes: app.userScopes }];
    });
    await this.setup.issueTokens(tx, workspaceId, tokens);
    const keys = users.flatMap(({ name, apiKey }) => {
      const userId = known.person(name)?.trackerId;
      return apiKey === undefined || !userId ? [] : [{ userId, label: 'seeded', token: seenId(apiKey) }];
    });
    await this.tracker.createApiKeys(tx, organizationId, keys);
  }
}
