import { BadRequestException, Injectable } from '@nestjs/common';
import { AccessTokens } from '../auth/access-tokens.js';
import { Accounts } from '../auth/accounts.js';
import { Passwords } from '../auth/passwords.js';
import { Sessions } from '../auth/sessions.js';
import { Db, type Tx } from '../kernel/database/db.js';
import { statement } from '../kernel/database/statement.js';
import { RestError } from '../kernel/http/http-error.js';
import { PublicUrl } from '../kernel/http/public-url.js';
import { newAlphanumeric } from '../kernel/ids/ids.js';
import { checkChannelName } from '../messaging/model/channel-name.js';
import { toWireApp, toWireWorkspace, type WorkspaceFacts } from '../messaging/model/control-wire.js';
import { defaultManifest, type AppManifest } from '../messaging/model/default-scopes.js';
import { readManifest } from '../messaging/model/manifest.js';
import { newBotToken, newUserToken, WorkspaceSetup, type NewApp } from '../messaging/model/workspace-setup.js';
import { orgClaimOf } from '../tracker/model/org-claim.js';
import { TrackerSetup } from '../tracker/model/setup.js';
import { NewTenant } from './new-tenant.js';
import type { ProvisionBody, ProvisionChannel, ProvisionUser } from './provision.dto.js';

const DEFAULT_WORKSPACE = statement(
  'tenants_provision_default',
  `SELECT w.id, w.domain, w.tenant_id AS "tenantId", u.id AS "adminId", u.name AS "adminName", u.email AS "adminEmail",
          a.id AS "appId", a.name AS "appName", a.bot_id AS "botId", a.bot_user_id AS "botUserId", a.bot_scopes AS "botScopes",
          a.user_scopes AS "userScopes", a.signing_secret AS "signingSecret", a.verification_token AS "verificationToken",
          a.interactivity_url AS "interactivityUrl", a.manifest, a.creator_id AS "creatorId", a.created_at AS "createdAt"
   FROM workspaces w
   JOIN users u ON u.workspace_id = w.id AND u.id = w.creator_id
   JOIN apps a ON a.workspace_id = w.id AND a.is_default
   WHERE w.is_default`,
);

const DEFAULT_ORGANIZATION = statement(
  'tenants_provision_organization',
  `SELECT o.id AS "organizationId", o.url_key AS "urlKey", u.id AS "userId",
          coalesce((SELECT t.key FROM teams t WHERE t.organization_id = o.id AND t.archived_at IS NULL
                    ORDER BY t.created_at, t.id LIMIT 1), '') AS "teamKey"
   FROM organizations o JOIN tracker_users u ON u.organization_id = o.id AND u.account_id = $2 WHERE o.tenant_id = $1`,
);

const WORKSPACE_FACTS = statement(
  'tenants_workspace_facts',
  `SELECT id, name, domain, icon, created_at AS "createdAt", creator_id AS "creatorId", is_default AS "isDefault",
          (SELECT count(*) FROM users u WHERE u.workspace_id = w.id AND u.deleted_at IS NULL AND NOT u.is_bot) AS "memberCount"
   FROM workspaces w WHERE id = $1`,
);

const FIND_USERS = statement(
  'tenants_find_users',
  `SELECT id, name FROM users WHERE workspace_id = $1 AND deleted_at IS NULL AND (id = ANY($2::text[]) OR name = ANY($2::text[]))`,
);

interface DefaultRow extends Omit<NewApp, 'id' | 'name'> {
  id: string;
  domain: string;
  tenantId: number;
  adminId: string;
  adminName: string;
  adminEmail: string;
  appId: string;
  appName: string;
}

/** The workspace that a call works on, whether it was there or not. */
interface Scene {
  readonly tenantId: number;
  readonly workspaceId: string;
  readonly domain: string;
  readonly admin: { readonly id: string; readonly name: string; readonly realName: string; readonly email: string };
  readonly app: NewApp;
}

interface MadeUser {
  readonly user_id: string;
  readonly name: string;
  readonly realName: string;
  readonly email: string;
}

/** Hashes of the given passwords; made before the transaction, as each takes milliseconds. */
interface Hashed {
  readonly admin: { readonly password: string; readonly hash: string } | null;
  /** Of `users`, in order. */
  readonly users: readonly (string | null)[];
}

/** A workspace with all that a test needs, in one transaction and one answer (messaging.md E.10). */
@Injectable()
export class Provisioning {
  constructor(
    private readonly db: Db,
    private readonly setup: WorkspaceSetup,
    private readonly accounts: Accounts,
    private readonly passwords: Passwords,
    private readonly sessions: Sessions,
    private readonly accessTokens: AccessTokens,
    private readonly tenants: NewTenant,
    private readonly tracker: TrackerSetup,
    private readonly publicUrl: PublicUrl,
  ) {}

  /** @throws RestError 409 domain_taken, name_taken, email_taken; BadRequestException. Either undoes everything */
  async provision(body: ProvisionBody): Promise<object> {
    if (body.admin && !body.team) throw new BadRequestException(['admin goes with team']);
    const manifest = manifestOf(body);
    const hashed = await this.hash(body);

    const made = await this.db.write(async (tx) => {
      const scene = body.team ? await this.newScene(tx, body, manifest, hashed) : await this.defaultScene(tx, manifest);
      const tokens = await this.issueTokens(tx, scene);
      const users = await this.addUsers(tx, scene, body.users ?? [], hashed.users);
      const channels = await this.addChannels(tx, scene, users, body.channels ?? []);
      const tracker = await this.trackerHalf(tx, scene, body, users);
      const claims = { team_id: scene.workspaceId, org: orgClaimOf(tracker.organizationId) };
      const sids = await this.sessions.open(
        tx,
        users.map((user) => user.user_id),
        claims,
      );
      const [workspace] = await tx.query<WorkspaceFacts & { [column: string]: unknown }>(WORKSPACE_FACTS, [
        scene.workspaceId,
      ]);
      return { scene, tokens, users, channels, tracker, claims, sids, workspace: workspace as WorkspaceFacts };
    });

    const { scene, tokens } = made;
    const generated = body.team && body.admin?.password === undefined ? hashed.admin?.password : undefined;
    return {
      team: toWireWorkspace(made.workspace, 'primary_owner', this.publicUrl.base),
      admin: {
        user_id: scene.admin.id,
        name: scene.admin.name,
        email: scene.admin.email,
        ...(generated === undefined ? {} : { password: generated }),
      },
      app: toWireApp(scene.app, scene.workspaceId, tokens),
      bot_token: tokens.bot,
      user_token: tokens.user,
      users: await Promise.all(
        made.users.map(async ({ user_id, name, email }, i) => ({
          user_id,
          name,
          email,
          access_token: await this.accessTokens.issue({
            accountId: user_id,
            sid: made.sids[i] as string,
            claims: made.claims,
          }),
        })),
      ),
      channels: made.channels,
      tracker: { url_key: made.tracker.urlKey, team_key: made.tracker.teamKey, api_key: made.tracker.apiKey },
    };
  }

  private async hash(body: ProvisionBody): Promise<Hashed> {
    const password = body.admin?.password ?? newAlphanumeric(20);
    const [admin, ...users] = await Promise.all([
      body.team ? this.passwords.hash(password) : null,
      ...(body.users ?? []).map((user) => (user.password === undefined ? null : this.passwords.hash(user.password))),
    ]);
    return { admin: admin ? { password, hash: admin } : null, users };
  }

  private async newScene(
    tx: Tx,
    { team, admin }: ProvisionBody,
    manifest: AppManifest | undefined,
    hashed: Hashed,
  ): Promise<Scene> {
    const made = await this.tenants.create(tx, {
      name: team!.name,
      domain: team!.domain,
      isDefault: false,
      admin: { email: admin?.email, name: admin?.name ?? 'Admin', passwordHash: hashed.admin?.hash ?? null },
      manifest: manifest ?? defaultManifest(),
      isDefaultApp: manifest === undefined,
    });
    return {
      tenantId: made.tenantId,
      workspaceId: made.workspace.id,
      domain: made.workspace.domain,
      admin: { ...made.admin, realName: admin?.name ?? 'Admin' },
      app: made.app,
    };
  }

  private async defaultScene(tx: Tx, manifest: AppManifest | undefined): Promise<Scene> {
    const [row] = await tx.query<DefaultRow & { [column: string]: unknown }>(DEFAULT_WORKSPACE);
    if (!row) throw new RestError(404, 'team_not_found');
    const { id: workspaceId, tenantId, domain, adminId, adminName, adminEmail, appId, appName, ...app } = row;
    return {
      tenantId,
      workspaceId,
      domain,
      admin: { id: adminId, name: adminName, realName: adminName, email: adminEmail },
      app: manifest
        ? await this.setup.createApp(tx, { workspaceId, manifest, creatorId: adminId })
        : { ...app, id: appId, name: appName },
    };
  }

  /**
   * The organization beside the workspace with the same people; on the default one a fresh key of the admin. Answers no
   * UUID to the wire.
   */
  private async trackerHalf(
    tx: Tx,
    { tenantId, domain, admin }: Scene,
    { team }: ProvisionBody,
    users: readonly MadeUser[],
  ): Promise<{ organizationId: string; urlKey: string; teamKey: string; apiKey: string }> {
    const half = team
      ? await this.newOrganization(tx, { tenantId, name: team.name, urlKey: domain, admin })
      : await this.defaultOrganization(tx, tenantId, admin.id);
    for (const user of users) {
      await this.tracker.addUser(tx, {
        organizationId: half.organizationId,
        accountId: user.user_id,
        name: user.realName,
        email: user.email,
      });
    }
    return half;
  }

  private async newOrganization(
    tx: Tx,
    input: { tenantId: number; name: string; urlKey: string; admin: Scene['admin'] },
  ): Promise<{ organizationId: string; urlKey: string; teamKey: string; apiKey: string }> {
    const { tenantId, name, urlKey, admin } = input;
    const owner = { accountId: admin.id, name: admin.realName, email: admin.email };
    const made = await this.tracker.createTenantOrganization(tx, { tenantId, name, urlKey, owner });
    const { organization, team, apiKey } = made;
    return { organizationId: organization.id, urlKey: organization.urlKey, teamKey: team.key, apiKey: apiKey.token };
  }

  private async defaultOrganization(
    tx: Tx,
    tenantId: number,
    adminId: string,
  ): Promise<{ organizationId: string; urlKey: string; teamKey: string; apiKey: string }> {
    const [row] = await tx.query<{ organizationId: string; urlKey: string; teamKey: string; userId: string }>(
      DEFAULT_ORGANIZATION,
      [tenantId, adminId],
    );
    if (!row) throw new RestError(404, 'organization_not_found');
    const { organizationId, urlKey, teamKey, userId } = row;
    const key = await this.tracker.createApiKey(tx, { organizationId, userId, label: 'provisioned' });
    return { organizationId, urlKey, teamKey, apiKey: (key as { token: string }).token };
  }

  private async issueTokens(tx: Tx, { workspaceId, admin, app }: Scene): Promise<{ bot: string; user: string | null }> {
    const bot = newBotToken();
    const user = app.userScopes.length > 0 ? newUserToken() : null;
    const common = { workspaceId, appId: app.id };
    await this.setup.issueToken(tx, {
      ...common,
      token: bot,
      kind: 'bot',
      userId: app.botUserId,
      scopes: app.botScopes,
    });
    if (user !== null) {
      await this.setup.issueToken(tx, {
        ...common,
        token: user,
        kind: 'user',
        userId: admin.id,
        scopes: app.userScopes,
      });
    }
    return { bot, user };
  }

  private async addUsers(
    tx: Tx,
    { workspaceId, domain }: Scene,
    users: readonly ProvisionUser[],
    hashes: readonly (string | null)[],
  ): Promise<MadeUser[]> {
    const made: MadeUser[] = [];
    for (const [i, user] of users.entries()) {
      const email = (user.email ?? `${user.name}@${domain}.example`).toLowerCase();
      const realName = user.real_name ?? user.name;
      const id = await this.accounts.create(tx, { email, passwordHash: hashes[i] ?? null, realName });
      if (id === null) {
        // a name that is in use explains the made-up address that is, too
        const [taken] = await tx.query(FIND_USERS, [workspaceId, [user.name]]);
        throw new RestError(409, taken && user.email === undefined ? 'name_taken' : 'email_taken');
      }
      const name = await this.setup.addUser(tx, {
        workspaceId,
        accountId: id,
        handle: user.name,
        realName,
        email,
        role: user.is_admin ? 'admin' : 'member',
      });
      if (name !== user.name) throw new RestError(409, 'name_taken');
      made.push({ user_id: id, name, realName, email });
    }
    return made;
  }

  private async addChannels(
    tx: Tx,
    { workspaceId, admin, app }: Scene,
    users: readonly MadeUser[],
    channels: readonly ProvisionChannel[],
  ): Promise<{ id: string; name: string }[]> {
    const ids = await this.findUsers(tx, workspaceId, users, channels);
    const made: { id: string; name: string }[] = [];
    for (const [i, channel] of channels.entries()) {
      const name = (checkChannelName(channel.name) as { name: string }).name;
      const members = (channel.members ?? []).map((member, k) => {
        const id = ids.get(member);
        if (id === undefined)
          throw new BadRequestException([`channels.${i}.members.${k} names no user of the workspace`]);
        return id;
      });
      const created = await this.setup.createChannel(tx, {
        workspaceId,
        name,
        isPrivate: channel.is_private ?? false,
        creatorId: admin.id,
        topic: channel.topic,
        purpose: channel.purpose,
        members: [...new Set([admin.id, app.botUserId, ...members])],
      });
      if (!created) throw new RestError(409, 'name_taken');
      made.push({ id: created.id, name });
    }
    return made;
  }

  /** Ids by what `members` say, names or ids: those of this call's users are known, others are looked up. */
  private async findUsers(
    tx: Tx,
    workspaceId: string,
    users: readonly MadeUser[],
    channels: readonly ProvisionChannel[],
  ): Promise<Map<string, string>> {
    const ids = new Map(users.map((user) => [user.name, user.user_id]));
    const others = [...new Set(channels.flatMap((channel) => channel.members ?? []))].filter(
      (member) => !ids.has(member),
    );
    if (others.length > 0) {
      for (const { id, name } of await tx.query<{ id: string; name: string }>(FIND_USERS, [workspaceId, others])) {
        ids.set(id, id);
        ids.set(name, id);
      }
    }
    return ids;
  }
}

/** Undefined: the default app's. @throws BadRequestException naming every faulty path */
function manifestOf(body: ProvisionBody): AppManifest | undefined {
  if (!body.app?.manifest) return undefined;
  const read = readManifest(body.app.manifest, 'app.manifest');
  if ('faults' in read) throw new BadRequestException(read.faults);
  return read.manifest;
}
