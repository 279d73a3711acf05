import { Injectable } from '@nestjs/common';
import { Accounts } from '../auth/accounts.js';
import { Clock } from '../kernel/clock/clock.js';
import type { Tx } from '../kernel/database/db.js';
import { RestError } from '../kernel/http/http-error.js';
import { newId } from '../kernel/ids/ids.js';
import { handleOf, newAppOf } from '../messaging/provisioning/initial-values.js';
import type { NewApp } from '../messaging/store/app.entity.js';
import type { TokenToMake } from '../messaging/provisioning/bulk-rows.js';
import { BulkSetup } from '../messaging/provisioning/bulk-setup.js';
import type { AppManifest } from '../messaging/store/app-manifest.js';
import { WorkspaceSetup } from '../messaging/provisioning/workspace-setup.js';
import { orgClaimOf } from './org-claim.js';
import { INSERT_TENANT } from './new-tenant.queries.js';

export interface NewTenantInput {
  readonly name: string;
  /** Absent: a slug of the name, made unique by a number. */
  readonly domain?: string | undefined;
  /** The workspace's id if it is fixed. */
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
  /** Ids that are fixed beforehand. */
  readonly ids?: {
    readonly admin?: string | undefined;
    readonly app?: string | undefined;
    readonly general?: string | undefined;
    readonly random?: string | undefined;
  };
  /** The id of the organization that is made next: the admin's sessions will claim it. */
  readonly organizationId?: string;
  /** The credentials of its app. */
  readonly tokensOf?: (app: CreatedTenant['app'], adminId: string) => readonly TokenToMake[];
}

export interface CreatedTenant {
  readonly tenantId: number;
  readonly workspace: { readonly id: string; readonly domain: string };
  readonly admin: { readonly id: string; readonly name: string; readonly email: string };
  readonly app: NewApp & { readonly isDefault: boolean };
  /** Ids of #general and #random. */
  readonly channels: { readonly general: string; readonly random: string };
}

/**
 * Makes a tenant with everything that docs/reference/control-plane.md#first-start names, for first start, provisioning
 * and sandboxes alike. Records no events.
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
    const workspace = await this.setup.createWorkspaceWithFreeDomain(tx, {
      tenantId,
      id,
      name,
      domain,
      isDefault,
      creatorId: adminId,
    });
    if (!workspace) throw new RestError(409, 'domain_taken', undefined, 'team.domain');
    const admin = await this.createAccount(tx, adminId, workspace.domain, input);
    const { manifest } = input;
    const made = newAppOf(
      { manifest, creatorId: adminId, isDefault: isDefaultApp, id: ids.app },
      this.clock.nowMicros(),
    );
    const app = { ...made, isDefault: isDefaultApp };
    const channels = { general: ids.general ?? newId('C'), random: ids.random ?? newId('C') };
    // an app made from a manifest joins no channel until it is invited
    const members = isDefaultApp ? [adminId, app.botUserId] : [adminId];
    const taken = await this.bulk.found(
      tx,
      { tenantId, workspaceId: workspace.id },
      {
        app: { app, isDefault: isDefaultApp },
        person: { ...admin, handle: admin.name, realName: input.admin.name, role: 'primary_owner' },
        tokens: input.tokensOf?.(app, adminId) ?? [],
        channels: [
          { id: channels.general, name: 'general', creatorId: adminId, isGeneral: true, members },
          { id: channels.random, name: 'random', creatorId: adminId, members },
        ],
      },
    );
    if (taken.length > 0) throw new RestError(409, 'command_taken');
    return { tenantId, workspace, admin, app, channels };
  }

  /** Accounts outlive their workspace, so the generated address of a reused domain may be in use. */
  private async createAccount(
    tx: Tx,
    id: string,
    domain: string,
    { admin: { email, name, passwordHash }, organizationId }: NewTenantInput,
  ): Promise<CreatedTenant['admin']> {
    const claims = organizationId === undefined ? {} : { org: orgClaimOf(organizationId) };
    for (let number = 1; ; number++) {
      const address = (email ?? `admin${number === 1 ? '' : number}@${domain}.example`).toLowerCase();
      const stored = await this.accounts.createAll(tx, [{ id, email: address, passwordHash, realName: name }], claims);
      if (stored.has(id)) return { id, name: handleOf(name, 'admin'), email: address };
      if (email !== undefined) throw new RestError(409, 'email_taken', undefined, 'admin.email');
    }
  }
}
