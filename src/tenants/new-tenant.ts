import { Injectable } from '@nestjs/common';
import { Accounts } from '../auth/accounts.js';
import type { Tx } from '../kernel/database/db.js';
import { statement } from '../kernel/database/statement.js';
import { RestError } from '../kernel/http/http-error.js';
import { newId } from '../kernel/ids/ids.js';
import type { AppManifest } from '../messaging/model/default-scopes.js';
import { handleOf, WorkspaceSetup, type NewApp } from '../messaging/model/workspace-setup.js';

const INSERT_TENANT = statement('tenants_insert', 'INSERT INTO tenants DEFAULT VALUES RETURNING id');

export interface NewTenantInput {
  readonly name: string;
  /** Absent: a slug of the name, made unique by digits. */
  readonly domain?: string | undefined;
  readonly isDefault: boolean;
  readonly admin: {
    /** Absent: `admin@<domain>.example`. */
    readonly email?: string | undefined;
    readonly name: string;
    readonly passwordHash: string | null;
  };
  readonly manifest: AppManifest;
  /** The app is the workspace's default app. */
  readonly isDefaultApp: boolean;
}

export interface CreatedTenant {
  readonly tenantId: number;
  readonly workspace: { readonly id: string; readonly domain: string };
  readonly admin: { readonly id: string; readonly name: string; readonly email: string };
  readonly app: NewApp;
}

/** Makes a tenant with everything E.0 names, for first start and for provisioning alike. No events. */
@Injectable()
export class NewTenant {
  constructor(
    private readonly accounts: Accounts,
    private readonly setup: WorkspaceSetup,
  ) {}

  /** @throws RestError 409 domain_taken, email_taken */
  async create(tx: Tx, input: NewTenantInput): Promise<CreatedTenant> {
    const [tenant] = await tx.query<{ id: number }>(INSERT_TENANT);
    const tenantId = (tenant as { id: number }).id;
    const adminId = newId('U');
    const { name, domain, isDefault } = input;
    const workspace = await this.setup.foundWorkspace(tx, { tenantId, name, domain, isDefault, creatorId: adminId });
    if (!workspace) throw new RestError(409, 'domain_taken');
    const workspaceId = workspace.id;
    const admin = await this.createAdmin(tx, adminId, workspace, input.admin);
    const app = await this.setup.createApp(tx, {
      workspaceId,
      manifest: input.manifest,
      creatorId: adminId,
      isDefault: input.isDefaultApp,
    });
    const members = [adminId, app.botUserId];
    await this.setup.createChannel(tx, { workspaceId, name: 'general', creatorId: adminId, isGeneral: true, members });
    await this.setup.createChannel(tx, { workspaceId, name: 'random', creatorId: adminId, members });
    return { tenantId, workspace, admin, app };
  }

  private async createAdmin(
    tx: Tx,
    id: string,
    workspace: { id: string; domain: string },
    { email, name, passwordHash }: NewTenantInput['admin'],
  ): Promise<CreatedTenant['admin']> {
    const address = await this.createAccount(tx, id, workspace.domain, { email, name, passwordHash });
    const handle = await this.setup.addUser(tx, {
      workspaceId: workspace.id,
      accountId: id,
      handle: handleOf(name, 'admin'),
      realName: name,
      email: address,
      role: 'primary_owner',
    });
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
      if (email !== undefined) throw new RestError(409, 'email_taken');
    }
  }
}
