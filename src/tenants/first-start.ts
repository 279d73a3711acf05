import { Inject, Injectable } from '@nestjs/common';
import { In, IsNull, Not } from 'typeorm';
import { Account } from '../auth/account.entity.js';
import { App } from '../messaging/store/app.entity.js';
import { Token } from '../messaging/store/token.entity.js';
import { ApiKey } from '../tracker/api-keys/api-key.entity.js';
import { Passwords } from '../auth/passwords.js';
import { Clock } from '../kernel/clock/clock.js';
import { SETTINGS_TOKEN, type Settings } from '../kernel/config/settings.js';
import { Db, type Tx } from '../kernel/database/db.js';
import { StoreError } from '../kernel/database/store-error.js';
import { sha256Hex } from '../kernel/ids/ids.js';
import { tokensRevoked } from '../messaging/events/app-events.js';
import { defaultManifest } from '../messaging/provisioning/default-scopes.js';
import { APP_LEVEL_SCOPES, hintOf } from '../messaging/provisioning/initial-values.js';
import { formatTs } from '../messaging/store/message-ts.js';
import { TrackerSetup } from '../tracker/provisioning/setup.js';
import { setBaseline } from '../kernel/sandbox/baseline.js';
import { DEFAULT_TENANT, STORE_DEFAULT_TOKEN } from '../messaging/provisioning/default-workspace.queries.js';
import { ORGANIZATION_OF_TENANT } from '../tracker/provisioning/setup.queries.js';
import { DefaultCredentials, type Credentials } from './default-credentials.js';
import { LOCK_FIRST_START, KEEP_THROUGH_RESETS } from './first-start.queries.js';
import { NewTenant } from './new-tenant.js';
import { SeedFile } from './seeds/seed-file.js';
import type { Seed } from './seeds/seed-types.js';

/** Any constant will do that no other program on the same database uses. */
const FIRST_START_LOCK = 7_430_216;

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

/** What a person needs to get started, in plain text. Never log it. */
export interface DefaultTenant extends Credentials {
  readonly teamId: string;
  readonly teamName: string;
  /** The organization's. */
  readonly urlKey: string;
  /** The default app's: signs what the server sends to it. */
  readonly signingSecret: string;
  readonly adminEmail: string;
  readonly adminPassword: string;
}

/**
 * The default tenant (docs/reference/control-plane.md#first-start): created on an empty store, and aligned with the
 * settings at every start.
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
   * Makes the default tenant if there is none, and makes its credentials those of the settings and the instance secret;
   * earlier ones are revoked. Safe with several processes starting at once.
   */
  async ensure(): Promise<DefaultTenant> {
    const password = this.credentials.adminPassword;
    const [before] = await this.db.read<DefaultRow>(DEFAULT_TENANT);
    const isCurrent = before !== undefined && (await this.passwords.verify(before.passwordHash, password));
    const newHash = isCurrent ? null : await this.passwords.hash(password);
    const seed = before === undefined ? await this.seedFile.read() : undefined;
    return this.db.write(async (tx) => {
      await tx.query(LOCK_FIRST_START, [FIRST_START_LOCK]);
      let [row] = await tx.query<DefaultRow>(DEFAULT_TENANT);
      if (!row) {
        await this.create(tx, newHash);
        [row] = await tx.query<DefaultRow>(DEFAULT_TENANT);
        const made = await this.install(tx, row as DefaultRow);
        if (seed) await this.fill(tx, row as DefaultRow, seed);
        await setBaseline(tx, (row as DefaultRow).tenantId);
        return made;
      } else if (newHash !== null) {
        await tx.sql.update(Account, { id: row.adminId }, { passwordHash: newHash });
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
      await tx.query(LOCK_FIRST_START, [FIRST_START_LOCK]);
      const [row] = await tx.query<DefaultRow>(DEFAULT_TENANT);
      if (!row) throw new StoreError('there is no default workspace yet: start the server once');
      await tx.sql.increment(App, { id: row.appId }, 'tokenVersion', 1);
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

  /** Fills the new default workspace from SVC_SEED_FILE: its teams replace the existing one. */
  private async fill(tx: Tx, { id: workspaceId, tenantId, adminId }: DefaultRow, seed: Seed): Promise<void> {
    const [organization] = await tx.query<{ id: string }>(ORGANIZATION_OF_TENANT, [tenantId, adminId]);
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
    // the ones that are wanted are stored or restored below
    const others = { appId: row.appId, isDefault: true, revokedAt: IsNull(), hash: Not(In(hashes)) };
    await tx.sql.update(Token, others, { revokedAt: () => 'now()' });
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

  /** The default organization, created if missing, with this API key instead of an earlier one. Returns its urlKey. */
  private async installKey(tx: Tx, row: DefaultRow, token: string): Promise<string> {
    interface Found extends Record<string, unknown> {
      id: string;
      urlKey: string;
      userId: string;
    }
    const [found] = await tx.query<Found>(ORGANIZATION_OF_TENANT, [row.tenantId, row.adminId]);
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
    const others = { organizationId: found.id, isDefault: true, revokedAt: IsNull(), hash: Not(sha256Hex(token)) };
    await tx.sql.update(ApiKey, others, { revokedAt: () => 'now()' });
    const key = { organizationId: found.id, userId: found.userId, label: 'default', token, isDefault: true };
    if (!(await this.tracker.createApiKey(tx, key))) {
      throw new StoreError('SVC_DEFAULT_API_KEY is a key that another user already has; choose another one');
    }
    return found.urlKey;
  }
}
