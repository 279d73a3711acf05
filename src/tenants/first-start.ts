import { Inject, Injectable } from '@nestjs/common';
import { Passwords } from '../auth/passwords.js';
import { SETTINGS_TOKEN, type Settings } from '../kernel/config/settings.js';
import { Db, type Tx } from '../kernel/database/db.js';
import { statement } from '../kernel/database/statement.js';
import { StoreError } from '../kernel/database/store-error.js';
import { sha256Hex } from '../kernel/ids/ids.js';
import { defaultManifest } from '../messaging/model/default-scopes.js';
import { TrackerSetup } from '../tracker/model/setup.js';
import { DefaultCredentials, type Credentials } from './default-credentials.js';
import { NewTenant } from './new-tenant.js';

/** Any constant does, as long as no other program on the same database takes it. */
const FIRST_START_LOCK = 7_430_216;

const LOCK = statement('tenants_first_start_lock', 'SELECT pg_advisory_xact_lock($1)');

const DEFAULT_TENANT = statement(
  'tenants_default',
  `SELECT w.id, w.name, w.tenant_id AS "tenantId", a.id AS "appId", a.bot_user_id AS "botUserId", a.bot_scopes AS "botScopes",
          a.user_scopes AS "userScopes", a.token_version AS version, acc.id AS "adminId", acc.email,
          acc.password_hash AS "passwordHash"
   FROM workspaces w
   JOIN apps a ON a.workspace_id = w.id AND a.is_default
   JOIN accounts acc ON acc.id = w.creator_id
   WHERE w.is_default`,
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
  `INSERT INTO tokens (hash, kind, workspace_id, app_id, user_id, scopes, is_default) VALUES ($1, $2, $3, $4, $5, $6, true)
   ON CONFLICT (hash) DO UPDATE SET revoked_at = NULL, is_default = true, scopes = excluded.scopes, user_id = excluded.user_id
   WHERE tokens.app_id = excluded.app_id
   RETURNING hash`,
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
  readonly adminEmail: string;
  readonly adminPassword: string;
}

/** The default tenant (messaging.md E.0): made on an empty store, held to the settings at every start. */
@Injectable()
export class FirstStart {
  constructor(
    private readonly db: Db,
    @Inject(SETTINGS_TOKEN) private readonly settings: Settings,
    private readonly credentials: DefaultCredentials,
    private readonly passwords: Passwords,
    private readonly tenants: NewTenant,
    private readonly tracker: TrackerSetup,
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
    return this.db.write(async (tx) => {
      await tx.query(LOCK, [FIRST_START_LOCK]);
      let [row] = await tx.query<DefaultRow>(DEFAULT_TENANT);
      if (!row) {
        await this.create(tx, newHash);
        [row] = await tx.query<DefaultRow>(DEFAULT_TENANT);
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
      return this.install(tx, { ...row, version: row.version + 1 });
    });
  }

  private async create(tx: Tx, passwordHash: string | null): Promise<void> {
    await this.tenants.create(tx, {
      name: 'Default Workspace',
      domain: 'default',
      isDefault: true,
      admin: { email: this.settings.adminEmail, name: 'Admin', passwordHash },
      manifest: defaultManifest(),
      isDefaultApp: true,
    });
  }

  private async install(tx: Tx, row: DefaultRow): Promise<DefaultTenant> {
    const wanted = this.credentials.of(row.version);
    const hashes = [sha256Hex(wanted.botToken), sha256Hex(wanted.userToken)];
    await tx.query(REVOKE_DEFAULT_TOKENS, [row.appId, hashes]);
    const tokens = [
      [hashes[0], 'bot', row.id, row.appId, row.botUserId, row.botScopes],
      [hashes[1], 'user', row.id, row.appId, row.adminId, row.userScopes],
    ];
    for (const token of tokens) {
      const stored = await tx.query(STORE_DEFAULT_TOKEN, token);
      if (stored.length === 0) {
        const setting = token[1] === 'bot' ? 'SVC_DEFAULT_BOT_TOKEN' : 'SVC_DEFAULT_USER_TOKEN';
        throw new StoreError(`${setting} is a token that another app already has; choose another one`);
      }
    }
    const urlKey = await this.installKey(tx, row, wanted.apiKey);
    return {
      teamId: row.id,
      teamName: row.name,
      urlKey,
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
      return made.organization.urlKey;
    }
    await tx.query(REVOKE_DEFAULT_KEYS, [found.id, sha256Hex(token)]);
    const key = { organizationId: found.id, userId: found.userId, label: 'default', token, isDefault: true };
    if (!(await this.tracker.createApiKey(tx, key))) {
      throw new StoreError('SVC_DEFAULT_API_KEY is a key that another user already has; choose another one');
    }
    return found.urlKey;
  }
}
