import { Injectable } from '@nestjs/common';
import { Accounts } from '../auth/accounts.js';
import { Clock } from '../kernel/clock/clock.js';
import type { Tx } from '../kernel/database/db.js';
import { statement } from '../kernel/database/statement.js';
import { RestError } from '../kernel/http/http-error.js';
import { newId } from '../kernel/ids/ids.js';
import { handleOf, newAppOf, type NewApp } from '../messaging/provisioning/beginnings.js';
import { BulkSetup } from '../messaging/provisioning/bulk-setup.js';
import type { AppManifest } from '../messaging/provisioning/default-scopes.js';
import { WorkspaceSetup } from '../messaging/provisioning/workspace-setup.js';

const INSERT_TENANT = statement('tenants_insert', 'INSERT INTO tenants (joinable) VALUES ($1) RETURNING id');

export interface NewTenantInput {
  readonly name: string;
  /** Absent: a slug of the name, made unique by digits. */
  readonly domain?: string | undefined;
  /** The workspace's id where it is fixed. */
  readonly id?: string | undefined;
  readonly isDefault: boolean;
  /** Whether people who know its names may join. */
  readonly joinable: boolean;
  readonly admin: {
    /** Absent: `admin@<domain>.example`. */
    readonly email?: string | undefined;
    readonly name: string;
    readonly passwordHash: string | null;
  };
  readonly manifest: AppManifest;
  /** The app is the workspace's default app. */
  readonly isDefaultApp: boolean;
  /** Those that are fixed beforehand. */
  readonly ids?: {
    readonly admin?: string | undefined;
    readonly app?: string | undefined;
    readonly general?: string | undefined;
    readonly random?: string | undefined;
  };
}

export interface CreatedTenant {
  readonly tenantId: number;
  readonly workspace: { readonly id: string; readonly domain: string };
  readonly admin: { readonly id: string; readonly name: string; readonly email: string };
  readonly app: NewApp & { readonly isDefault: boolean };
}

/**
 * Makes a tenant with everything docs/reference/control-plane.md#first-start names, for first start, provisioning and
 * sandboxes alike. No events.
 */
@Injectable()
export class NewTenant {
  constructor(
    private readonly accounts: Accounts,
    private readonly setup: WorkspaceSetup,
    private readonly bulk: BulkSetup,
    private readonly clock: Clock,
  ) {}

  /** @throws RestError 409 domain_taken, email_taken */
  async create(tx: Tx, input: NewTenantInput): Promise<CreatedTenant> {
    const [tenant] = await tx.query<{ id: number }>(INSERT_TENANT, [input.joinable]);
    const tenantId = (tenant as { id: number }).id;
    const { ids = {} } = input;
    const adminId = ids.admin ?? newId('U');
    const { id, name, domain, isDefault, isDefaultApp } = input;
    const workspace = await this.setup.foundWorkspace(tx, {
      tenantId,
      id,
      name,
      domain,
      isDefault,
      creatorId: adminId,
    });
    if (!workspace) throw new RestError(409, 'domain_taken', undefined, 'team.domain');
    const admin = await this.createAdmin(tx, adminId, workspace, input.admin);
    const { manifest } = input;
    const made = newAppOf(
      { manifest, creatorId: adminId, isDefault: isDefaultApp, id: ids.app },
      this.clock.nowMicros(),
    );
    const app = { ...made, isDefault: isDefaultApp };
    const scene = { tenantId, workspaceId: workspace.id };
    const taken = await this.bulk.addApps(tx, scene, [{ app, isDefault: isDefaultApp }], new Set([admin.name]));
    if (taken.length > 0) throw new RestError(409, 'command_taken');
    // an app that was made from a manifest is in no channel until somebody invites it
    const members = isDefaultApp ? [adminId, app.botUserId] : [adminId];
    await this.bulk.addChannels(tx, workspace.id, [
      { id: ids.general, name: 'general', creatorId: adminId, isGeneral: true, members },
      { id: ids.random, name: 'random', creatorId: adminId, members },
    ]);
    return { tenantId, workspace, admin, app };
  }

  private async createAdmin(
    tx: Tx,
    id: string,
    workspace: { id: string; domain: string },
    { email, name, passwordHash }: NewTenantInput['admin'],
  ): Promise<CreatedTenant['admin']> {
    const address = await this.createAccount(tx, id, workspace.domain, { email, name, passwordHash });
    const handle = handleOf(name, 'admin');
    const user = { id, handle, realName: name, email: address, role: 'primary_owner' as const };
    await this.bulk.addUsers(tx, workspace.id, [user]);
    return { id, name: handle, email: address };
  }

  /** Accounts outlive their workspace, so the made-up address of a domain that comes back may be in use. */
  private async createAccount(
    tx: Tx,
    id: string,
    domain: string,
    { email, name, passwordHash }: NewTenantInput['admin'],
  ): Promise<string> {
    for (let number = 1; ; number++) {
      const address = (email ?? `admin${number === 1 ? '' : number}@${domain}.example`).toLowerCase();
      if ((await this.accounts.create(tx, { id, email: address, passwordHash, realName: name })) !== null)
        return address;
      if (email !== undefined) throw new RestError(409, 'email_taken', undefined, 'admin.email');
    }
  }
}
