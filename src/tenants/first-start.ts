import { Inject, Injectable } from '@nestjs/common';
import { Passwords } from '../auth/passwords.js';
import { Clock } from '../kernel/clock/clock.js';
import { SETTINGS_TOKEN, type Settings } from '../kernel/config/settings.js';
import { Db, type Tx } from '../kernel/database/db.js';
import { statement } from '../kernel/database/statement.js';
import { StoreError } from '../kernel/database/store-error.js';
import { sha256Hex } from '../kernel/ids/ids.js';
import { tokensRevoked } from '../messaging/events/app-events.js';
import { defaultManifest } from '../messaging/provisioning/default-scopes.js';
import { APP_LEVEL_SCOPES, hintOf } from '../messaging/provisioning/beginnings.js';
import { formatTs } from '../messaging/store/message-ts.js';
import { TrackerSetup } from '../tracker/provisioning/setup.js';
import { setBaseline } from '../kernel/sandbox/baseline.js';
import { DefaultCredentials, type Credentials } from './default-credentials.js';
import { NewTenant } from './new-tenant.js';
import { SeedFile } from './seeds/seed-file.js';
import type { Seed } from './seeds/seed-types.js';

/** Any constant does, as long as no other program on the same database takes it. */
const FIRST_START_LOCK = 7_430_216;

const LOCK = statement('tenants_first_start_lock', 'SELECT pg_advisory_xact_lock($1)');

const DEFAULT_TENANT = statement(
  'tenants_default',
  `SELECT w.id, w.name, w.tenant_id AS "tenantId", a.id AS "appId", a.bot_user_id AS "botUserId", a.bot_scopes AS "botScopes",
          a.user_scopes AS "userScopes", a.token_version AS version,
          a.signing_secret AS "signingSecret", acc.id AS "adminId", acc.email,
          acc.password_hash AS "passwordHash"
   FROM workspaces w
   JOIN apps a ON a.workspace_id = w.id AND a.is_default
   JOIN accounts acc ON acc.id = w.creator_id
   WHERE w.is_default`,
  { opens: ['signingSecret'] },
);

/** The default tenant's organization, and the admin in it. */
const DEFAULT_ORGANIZATION = statement(
  'tenants_default_organization',
  `SELECT o.id, o.url_key AS "urlKey", u.id AS "userId" FROM organizations o
   JOIN tracker_users u ON u.organization_id = o.id AND u.account_id = $2 WHERE o.tenant_id = $1`,
);

const REVOKE_DEFAULT_KEYS = statement(
  'tenants_revoke_default_keys',
  `UPDATE api_keys SET revoked_at = now()
   WHERE organization_id = $1 AND is_default AND revoked_at IS NULL AND hash <> $2`,
);

const SET_PASSWORD = statement('tenants_default_password', 'UPDATE accounts SET password_hash = $2 WHERE id = $1');

const NEXT_VERSION = statement(
  'tenants_next_version',
  'UPDATE apps SET token_version = token_version + 1 WHERE id = $1',
);

/** Revokes earlier default tokens of this app but those wanted, which are stored or brought back. */
const REVOKE_DEFAULT_TOKENS = statement(
  'tenants_revoke_default_tokens',
  `UPDATE tokens SET revoked_at = now()
   WHERE app_id = $1 AND is_default AND revoked_at IS NULL AND NOT (hash = ANY($2::text[]))`,
);

/** Answers the hashes that now are this app's: a token that is somebody else's stays theirs. */
const STORE_DEFAULT_TOKEN = statement(
  'tenants_store_default_token',
  `INSERT INTO tokens (hash, kind, workspace_id, app_id, user_id, scopes, hint, is_default) VALUES ($1, $2, $3, $4, $5, $6, $7, true)
   ON CONFLICT (hash) DO UPDATE SET revoked_at = NULL, is_default = true, scopes = excluded.scopes, user_id = excluded.user_id,
     hint = excluded.hint
   WHERE tokens.app_id = excluded.app_id
   RETURNING hash`,
);

/**
 * What operators do to the default credentials outlives resets: the images that a reset puts back are changed with the rows.
 * Parameters: the tenant, the app.
 */
const KEEP_THROUGH_RESETS = statement(
  'tenants_keep_default_credentials',
  `WITH t AS (
     SELECT 'tokens' AS tbl, jsonb_build_object('hash', hash)::text AS key, to_jsonb(tokens) AS row FROM tokens
     WHERE app_id = $2 AND is_default
     UNION ALL
     SELECT 'api_keys', jsonb_build_object('id', k.id)::text, to_jsonb(k) FROM api_keys k JOIN organizations o ON o.id = k.organization_id
     WHERE o.tenant_id = $1 AND k.is_default),
   stay AS (
     DELETE FROM sandbox_undo u USING t WHERE u.tenant_id = $1 AND u.tbl = t.tbl AND u.key = t.key AND u.image IS NULL),
   changed AS (
     UPDATE sandbox_undo u SET image = t.row FROM t
     WHERE u.tenant_id = $1 AND u.tbl = t.tbl AND u.key = t.key AND u.image IS NOT NULL)
   UPDATE sandbox_undo u SET image = u.image || jsonb_build_object('token_version', a.token_version) FROM apps a
   WHERE a.id = $2 AND u.tenant_id = $1 AND u.tbl = 'apps' AND u.key = jsonb_build_object('id', a.id)::text AND u.image IS NOT NULL`,
);

interface DefaultRow {
  id: string;
  name: string;
  tenantId: number;
  appId: string;
  botUserId: string;
  botScopes: string[];
  userScopes: string[];
  version: number;
  signingSecret: string;
  adminId: string;
  email: string;
  passwordHash: string | null;
}

/** What a person needs to begin, in the clear. Never log it. */
export interface DefaultTenant extends Credentials {
  readonly teamId: string;
  readonly teamName: string;
  /** The organization's. */
  readonly urlKey: string;
  /** The default app's: what the server sends to it is signed with this. */
  readonly signingSecret: string;
  readonly adminEmail: string;
  readonly adminPassword: string;
}

/**
 * The default tenant (docs/reference/control-plane.md#first-start): made on an empty store, held to the settings at
 * every start.
 */
@Injectable()
export class FirstStart {
  constructor(
    private readonly db: Db,
    @Inject(SETTINGS_TOKEN) private readonly settings: Settings,
    private readonly credentials: DefaultCredentials,
    private readonly passwords: Passwords,
    private readonly tenants: NewTenant,
    private readonly tracker: TrackerSetup,
    private readonly seedFile: SeedFile,
    private readonly clock: Clock,
  ) {}

  /**
   * Makes the default tenant if there is none, and sees to it that its credentials are those of the settings and the
   * instance secret: earlier ones are revoked. Safe with several processes starting at once.
   */
  async ensure(): Promise<DefaultTenant> {
    const password = this.credentials.adminPassword;
    const [before] = await this.db.read<DefaultRow>(DEFAULT_TENANT);
    const isCurrent = before !== undefined && (await this.passwords.verify(before.passwordHash, password));
    const newHash = isCurrent ? null : await this.passwords.hash(password);
    const seed = before === undefined ? await this.seedFile.read() : undefined;
    return this.db.write(async (tx) => {
      await tx.query(LOCK, [FIRST_START_LOCK]);
      let [row] = await tx.query<DefaultRow>(DEFAULT_TENANT);
      if (!row) {
        await this.create(tx, newHash);
        [row] = await tx.query<DefaultRow>(DEFAULT_TENANT);
        const made = await this.install(tx, row as DefaultRow);
        if (seed) await this.fill(tx, row as DefaultRow, seed);
        await setBaseline(tx, (row as DefaultRow).tenantId);
        return made;
      } else if (newHash !== null) {
        await tx.query(SET_PASSWORD, [row.adminId, newHash]);
      }
      return this.install(tx, row as DefaultRow);
    });
  }

  /** Replaces the derived tokens; the old ones answer `token_revoked` from the next call on, on every replica. */
  async rotate(): Promise<DefaultTenant> {
    if (!this.credentials.canRotate) {
      throw new StoreError(
        `nothing to rotate: ${this.credentials.fixed.join(' and ')} fix the tokens; change these settings and start again`,
      );
    }
    return this.db.write(async (tx) => {
      await tx.query(LOCK, [FIRST_START_LOCK]);
      const [row] = await tx.query<DefaultRow>(DEFAULT_TENANT);
      if (!row) throw new StoreError('there is no default workspace yet: start the server once');
      await tx.query(NEXT_VERSION, [row.appId]);
      tx.record(
        tokensRevoked({
          tenantId: row.tenantId,
          workspaceId: row.id,
          appId: row.appId,
          userIds: [row.adminId],
          botUserIds: [row.botUserId],
          eventTs: formatTs(this.clock.nowMicros()),
        }),
      );
      return this.install(tx, { ...row, version: row.version + 1 });
    });
  }

  private async create(tx: Tx, passwordHash: string | null): Promise<void> {
    await this.tenants.create(tx, {
      name: 'Default Workspace',
      domain: 'default',
      isDefault: true,
      joinable: true,
      admin: { email: this.settings.adminEmail, name: 'Admin', passwordHash },
      manifest: defaultManifest(),
      isDefaultApp: true,
      ids: { app: this.settings.defaultAppToken?.split('-')[2] },
    });
  }

  /** What SVC_SEED_FILE says, in the new default workspace: its teams replace the one that is there. */
  private async fill(tx: Tx, { id: workspaceId, tenantId, adminId }: DefaultRow, seed: Seed): Promise<void> {
    const [organization] = await tx.query<{ id: string }>(DEFAULT_ORGANIZATION, [tenantId, adminId]);
    const organizationId = (organization as { id: string }).id;
    const context = { tenantId, workspaceId, domain: 'default', organizationId, adminId, isNew: true };
    await this.seedFile.fill(tx, context, seed);
  }

  private async install(tx: Tx, row: DefaultRow): Promise<DefaultTenant> {
    const wanted = this.credentials.of(row.version, row.appId);
    if (!wanted.appToken.startsWith(`xapp-1-${row.appId}-`)) {
      throw new StoreError(
        `SVC_DEFAULT_APP_TOKEN names another app than this store's default app, which is ${row.appId}`,
      );
    }
    const hashes = [sha256Hex(wanted.botToken), sha256Hex(wanted.userToken), sha256Hex(wanted.appToken)];
    await tx.query(REVOKE_DEFAULT_TOKENS, [row.appId, hashes]);
    const tokens = [
      [hashes[0], 'bot', row.id, row.appId, row.botUserId, row.botScopes, hintOf(wanted.botToken)],
      [hashes[1], 'user', row.id, row.appId, row.adminId, row.userScopes, hintOf(wanted.userToken)],
      [hashes[2], 'app', row.id, row.appId, row.botUserId, [...APP_LEVEL_SCOPES], hintOf(wanted.appToken)],
    ] as const;
    for (const token of tokens) {
      const stored = await tx.query(STORE_DEFAULT_TOKEN, [...token]);
      if (stored.length === 0) {
        const setting = `SVC_DEFAULT_${token[1].toUpperCase()}_TOKEN`;
        throw new StoreError(`${setting} is a token that another app already has; choose another one`);
      }
    }
    const urlKey = await this.installKey(tx, row, wanted.apiKey);
    await tx.query(KEEP_THROUGH_RESETS, [row.tenantId, row.appId]);
    return {
      teamId: row.id,
      teamName: row.name,
      urlKey,
      signingSecret: row.signingSecret,
      adminEmail: row.email,
      adminPassword: this.credentials.adminPassword,
      ...wanted,
    };
  }

  /** The default organization, made if it is missing, with this API key in place of an earlier one. Answers its urlKey. */
  private async installKey(tx: Tx, row: DefaultRow, token: string): Promise<string> {
    interface Found extends Record<string, unknown> {
      id: string;
      urlKey: string;
      userId: string;
    }
    const [found] = await tx.query<Found>(DEFAULT_ORGANIZATION, [row.tenantId, row.adminId]);
    if (!found) {
      const made = await this.tracker.createTenantOrganization(tx, {
        tenantId: row.tenantId,
        name: row.name,
        urlKey: 'default',
        owner: { accountId: row.adminId, name: 'Admin', email: row.email },
        apiKey: { token, isDefault: true },
      });
      return made.urlKey;
    }
    await tx.query(REVOKE_DEFAULT_KEYS, [found.id, sha256Hex(token)]);
    const key = { organizationId: found.id, userId: found.userId, label: 'default', token, isDefault: true };
    if (!(await this.tracker.createApiKey(tx, key))) {
      throw new StoreError('SVC_DEFAULT_API_KEY is a key that another user already has; choose another one');
    }
    return found.urlKey;
  }
}
