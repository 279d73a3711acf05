import { BadRequestException, Injectable } from '@nestjs/common';
import { AccessTokens } from '../auth/access-tokens.js';
import { Passwords } from '../auth/passwords.js';
import { Sessions } from '../auth/sessions.js';
import { Clock } from '../kernel/clock/clock.js';
import { Db, type Tx } from '../kernel/database/db.js';
import { RestError } from '../kernel/http/http-error.js';
import { PublicUrl } from '../kernel/http/public-url.js';
import { setBaseline } from '../kernel/sandbox/baseline.js';
import { FillingTurns } from '../kernel/tenancy/filling-turns.js';
import { newAppOf } from '../messaging/provisioning/initial-values.js';
import type { NewApp } from '../messaging/store/app.entity.js';
import { BulkSetup } from '../messaging/provisioning/bulk-setup.js';
import { DEFAULT_APP } from '../messaging/provisioning/default-workspace.queries.js';
import { HANDLES } from '../messaging/provisioning/workspace-setup.queries.js';
import type { AppManifest } from '../messaging/store/app-manifest.js';
import { toWireApp, toWireWorkspace, type WorkspaceFacts } from '../messaging/wire/control-wire.js';
import { WORKSPACE_FACTS } from '../messaging/workspaces/workspaces.queries.js';
import { orgClaimOf } from '../tracker/access/org-claim.js';
import { TrackerSetup } from '../tracker/provisioning/setup.js';
import { asRouteError, emailOf, shownRefs, type ProvisionRequest } from './provision-request.js';
import { DEFAULT_WORKSPACE, SET_OWNER } from './provisioning.queries.js';
import { TenantRemoval } from './removal/tenant-removal.js';
import { withFreedNames } from './seeds/freed-names.js';
import type { KnownApp, Seeded } from './seeds/known-objects.js';
import { tokensOf } from './seeds/app-credentials.js';
import { SeededTenants } from './seeds/seeded-tenants.js';
import { rowsOf, type Seed } from './seeds/seed-types.js';
import { Seeding } from './seeds/seeding.js';
import { Verifying } from './seeds/verifying.js';

/** The workspace of a call, new or existing, and what the call made. */
interface ProvisionedWorkspace {
  readonly tenantId: number;
  readonly workspaceId: string;
  readonly domain: string;
  readonly admin: { readonly id: string; readonly name: string; readonly email: string };
  readonly app: NewApp;
  readonly tokens: ReturnType<typeof tokensOf>['plaintext'];
  readonly organizationId: string;
  readonly tracker: { readonly url_key: string; readonly team_key: string; readonly api_key: string };
  readonly seeded: Seeded;
}

interface DefaultRow extends Record<string, unknown> {
  workspaceId: string;
  domain: string;
  tenantId: number;
  adminId: string;
  adminName: string;
  adminEmail: string;
  adminTrackerId: string;
  organizationId: string;
  urlKey: string;
  teamKey: string;
}

/**
 * A workspace with everything a test needs, in one transaction and one answer
 * (docs/reference/control-plane.md#provisioning). Sandboxes are filled by the same code.
 */
@Injectable()
export class Provisioning {
  constructor(
    private readonly db: Db,
    private readonly clock: Clock,
    private readonly setup: BulkSetup,
    private readonly passwords: Passwords,
    private readonly sessions: Sessions,
    private readonly accessTokens: AccessTokens,
    private readonly tenants: SeededTenants,
    private readonly seeding: Seeding,
    private readonly tracker: TrackerSetup,
    private readonly removal: TenantRemoval,
    private readonly turns: FillingTurns,
    private readonly verifying: Verifying,
    private readonly publicUrl: PublicUrl,
  ) {}

  /** @throws RestError 409 domain_taken, name_taken, email_taken; BadRequestException. Either rolls everything back */
  async provision(request: ProvisionRequest, owner: string | null = null): Promise<object> {
    const { team, admin, manifest } = request;
    // a named operator sees only what it made
    if (owner !== null && !team) throw new RestError(403, 'not_admin');
    if (admin && !team) throw new BadRequestException(['admin goes with team']);
    const { seed, password, passwordHash } = await this.hash(request);

    const fill = async (tx: Tx) => {
      const tenant = team
        ? await this.newTenant(tx, { ...request, team, seed }, passwordHash)
        : await this.onDefault(tx, manifest, seed);
      if (owner !== null) await tx.query(SET_OWNER, [tenant.tenantId, owner]);
      const accessToken = await this.openSession(tx, tenant, seed.accessTokenSeconds, team === undefined);
      const [workspace] = await tx.query<WorkspaceFacts & { [column: string]: unknown }>(WORKSPACE_FACTS, [
        tenant.workspaceId,
      ]);
      return { tenant, accessToken, workspace: workspace as WorkspaceFacts };
    };
    // a tenant that does not exist yet is not reset, so no reset waits for these locks
    const pause = this.turns.givingWay();
    const made = await (
      team
        ? this.turns.make(rowsOf(seed), () => withFreedNames(this.removal, () => this.db.write(fill, { pause })))
        : this.turns.fill(() => withFreedNames(this.removal, () => this.db.write(fill)))
    ).catch((error: unknown) => {
      throw asRouteError(error);
    });
    const { tenant, workspace } = made;
    await this.verifying.ask(tenant.workspaceId, seed, tenant.seeded);
    const tokens = { bot: tenant.tokens.bot, user: tenant.tokens.user, app: tenant.tokens.appLevel };
    const generated = team && admin?.password === undefined ? { password } : {};
    return {
      team: toWireWorkspace(workspace, 'primary_owner', this.publicUrl.base),
      admin: {
        user_id: tenant.admin.id,
        name: tenant.admin.name,
        email: tenant.admin.email,
        ...generated,
        access_token: made.accessToken,
      },
      app: toWireApp(tenant.app, tenant.workspaceId, { tokens }),
      bot_token: tokens.bot,
      user_token: tokens.user,
      app_token: tokens.app,
      users: seed.users.map((user) => ({
        user_id: tenant.seeded.users[user.name]?.user_id,
        name: user.name,
        email: emailOf(user, tenant.domain),
        access_token: tenant.seeded.users[user.name]?.access_token,
      })),
      channels: seed.channels.map(({ name }) => ({ id: tenant.seeded.channels[name], name })),
      tracker: tenant.tracker,
      ...(seed.apps.length > 0 ? { apps: tenant.seeded.apps } : {}),
      ...shownRefs(tenant.seeded.refs),
      ...(seed.warnings.length > 0 ? { warnings: seed.warnings } : {}),
    };
  }

  /** Slow hashes are computed before the transaction; generated passwords need none. */
  private async hash({
    admin,
    seed,
  }: ProvisionRequest): Promise<{ seed: Seed; password: string; passwordHash: string }> {
    const madeUp = this.passwords.makeUp();
    const [adminHash, ...hashes] = await Promise.all(
      [{ password: admin?.password }, ...seed.users].map(({ password }) =>
        password === undefined ? null : this.passwords.hash(password),
      ),
    );
    const users = seed.users.map((user, i) => ({ ...user, passwordHash: hashes[i] ?? null }));
    const password = admin?.password ?? madeUp.password;
    return { seed: { ...seed, users }, password, passwordHash: adminHash ?? madeUp.stored };
  }

  private async newTenant(
    tx: Tx,
    { team, admin, manifest, seed }: ProvisionRequest & Required<Pick<ProvisionRequest, 'team'>>,
    passwordHash: string,
  ): Promise<ProvisionedWorkspace> {
    const made = await this.tenants.make(
      tx,
      {
        team: { name: team.name, domain: team.domain, joinable: team.joinable ?? false },
        admin: { email: admin?.email, name: admin?.name ?? 'Admin', passwordHash },
        manifest,
        isProvisioned: true,
      },
      seed,
    );
    await setBaseline(tx, made.tenantId);
    const { workspace, urlKey, apiKey, seeded } = made;
    return {
      ...made,
      workspaceId: workspace.id,
      domain: workspace.domain,
      tracker: { url_key: urlKey, team_key: Object.keys(seeded.teams)[0] ?? '', api_key: apiKey },
    };
  }

  /** Completes the default workspace, with new tokens of its app or of a new one, and a new key of the admin. */
  private async onDefault(tx: Tx, manifest: AppManifest | undefined, seed: Seed): Promise<ProvisionedWorkspace> {
    const [row] = await tx.query<DefaultRow>(DEFAULT_WORKSPACE);
    if (!row) throw new RestError(404, 'team_not_found');
    const { tenantId, workspaceId, domain, organizationId, adminId, adminTrackerId, adminName, adminEmail } = row;
    const app = await this.appOfDefault(tx, row, manifest);
    const { stored, plaintext } = tokensOf(app, adminId);
    await this.setup.issueTokens(tx, workspaceId, stored);
    const owner = { organizationId, userId: adminTrackerId, label: 'provisioned' };
    const key = await this.tracker.createApiKey(tx, owner);
    const inChannels = [app.botUserId];
    const context = { tenantId, workspaceId, domain, organizationId, adminId, isNew: false, onlyNew: true, inChannels };
    return {
      tenantId,
      workspaceId,
      domain,
      admin: { id: adminId, name: adminName, email: adminEmail },
      app,
      tokens: plaintext,
      organizationId,
      tracker: { url_key: row.urlKey, team_key: row.teamKey, api_key: (key as { token: string }).token },
      seeded: await this.seeding.fill(tx, context, seed),
    };
  }

  private async appOfDefault(tx: Tx, row: DefaultRow, manifest: AppManifest | undefined): Promise<KnownApp> {
    const { workspaceId, adminId } = row;
    if (!manifest) {
      const [app] = await tx.query<KnownApp & Record<string, unknown>>(DEFAULT_APP, [workspaceId]);
      return app as KnownApp;
    }
    const app = { ...newAppOf({ manifest, creatorId: adminId }, this.clock.nowMicros()), isDefault: false };
    const handles = await tx.query<{ name: string }>(HANDLES, [workspaceId]);
    const taken = new Set(handles.map(({ name }) => name));
    const commands = await this.setup.addApps(tx, row, [{ app, isDefault: false }], taken);
    if (commands.length > 0) throw new RestError(409, 'command_taken');
    return app;
  }

  /** The admin's session. If the admin existed before, it is valid for this workspace only. */
  private async openSession(tx: Tx, made: ProvisionedWorkspace, seconds: number, wasThere: boolean): Promise<string> {
    const claims = {
      team_id: made.workspaceId,
      org: orgClaimOf(made.organizationId),
      ...(wasThere ? { bound: true } : {}),
    };
    const accountId = made.admin.id;
    const [sid] = await this.sessions.open(tx, [accountId], claims, { seconds });
    return this.accessTokens.issue({ accountId, sid: sid as string, claims }, seconds);
  }
}
