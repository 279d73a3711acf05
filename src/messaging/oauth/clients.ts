import { Injectable } from '@nestjs/common';
import { Db } from '../../kernel/database/db.js';
import { sha256Hex } from '../../kernel/ids/ids.js';
import { isSameSecret } from '../../kernel/ids/same-secret.js';
import { SandboxReader, type SandboxFlags } from '../../kernel/sandbox/sandbox-flags.js';
import type { App } from '../access/apps-access.js';
import { CLIENT, WORKSPACES } from './clients.queries.js';

/** A registered app as a client of OAuth. */
export interface Client extends App {
  readonly clientId: string;
  readonly isDefault: boolean;
  readonly clientSecretHash: string | null;
  readonly tenantId: number;
  /** Its home's name. */
  readonly team: string;
  /** Its home's sandbox. */
  readonly sandbox: SandboxFlags | null;
}

export interface WorkspaceRow extends Record<string, unknown> {
  readonly id: string;
  readonly name: string;
  readonly domain: string;
  readonly tenantId: number;
  readonly flags: string | null;
  /** Of whom was asked for; null: not a member. */
  readonly userId: string | null;
  readonly userName: string | null;
  readonly realName: string | null;
}

/** The sandbox of a call. */
export interface ClientSandbox {
  readonly tenantId: number;
  readonly sandbox: SandboxFlags | null;
}

/** Finds apps by their client ids. */
@Injectable()
export class Clients {
  constructor(
    private readonly db: Db,
    private readonly sandboxes: SandboxReader,
  ) {}

  async find(clientId: string | undefined): Promise<Client | null> {
    if (clientId === undefined || !/^[0-9]{12}\.[0-9]{13}$/.test(clientId)) return null;
    const [row] = await this.db.read<Client & { flags: string | null; [column: string]: unknown }>(CLIENT, [clientId]);
    return row ? { ...row, sandbox: this.sandboxes.ofCall(row.flags) } : null;
  }

  /** Whether a secret is the client's; an app from before there were secrets has none until one is made. */
  opens(client: Client, secret: string | undefined): boolean {
    return (
      isSameSecret(sha256Hex(secret ?? ''), client.clientSecretHash ?? '') &&
      client.clientSecretHash !== null &&
      secret !== undefined
    );
  }

  /** A workspace, with its member of that account; null where there is none. */
  async workspace(workspaceId: string, accountId: string | null = null): Promise<WorkspaceRow | null> {
    const [row] = await this.db.read<WorkspaceRow>(WORKSPACES, [workspaceId, accountId]);
    return row ?? null;
  }

  /** The workspaces of which an account is a member. */
  workspacesOf(accountId: string): Promise<WorkspaceRow[]> {
    return this.db.read<WorkspaceRow>(WORKSPACES, [null, accountId]);
  }

  sandboxOf({ flags }: Pick<WorkspaceRow, 'flags'>): SandboxFlags | null {
    return this.sandboxes.ofCall(flags);
  }

  /** Where a call takes place that names a workspace by its code or token; one that names none, at the app's home. */
  calledAt(workspace: WorkspaceRow | null, client: Client): ClientSandbox {
    return workspace ? { tenantId: workspace.tenantId, sandbox: this.sandboxOf(workspace) } : client;
  }
}

/** What answers say about an app in a workspace. */
export const appIn = (client: Client, { id, name }: WorkspaceRow): Record<string, unknown> => ({
  app_id: client.id,
  team: { id, name },
  enterprise: null,
  is_enterprise_install: false,
});

/** The URLs to which people may be sent back; null: any of this machine, for a default app that has none of its own. */
export const redirectsOf = ({ manifest, isDefault }: Client): readonly string[] | null =>
  manifest.oauth_config?.redirect_urls ?? (isDefault ? null : []);

export const hasPkce = ({ manifest }: Pick<Client, 'manifest'>): boolean =>
  manifest.oauth_config?.pkce_enabled === true;

export const rotates = ({ manifest }: Pick<Client, 'manifest'>): boolean =>
  manifest.settings?.token_rotation_enabled === true;
