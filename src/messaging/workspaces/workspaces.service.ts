import { Injectable } from '@nestjs/common';
import { Db } from '../../kernel/database/db.js';
import { RestError } from '../../kernel/http/http-error.js';
import { PublicUrl } from '../../kernel/http/public-url.js';
import { DeliveryEngine } from '../../webhooks/delivery-engine.js';
import { toWireWorkspace } from '../model/control-wire.js';
import { defaultManifest } from '../model/default-scopes.js';
import type { Identity } from '../model/identity.js';
import { Newcomers } from '../model/newcomers.js';
import { WorkspaceSetup } from '../model/workspace-setup.js';
import { pageValues, toPage, type Page } from '../rest/page.js';
import type { WorkspaceBody, WorkspaceChanges } from './workspaces.dto.js';
import {
  CHANGE_WORKSPACE,
  DELETE_TARGETS,
  DELETE_WORKSPACE,
  HOLD_WORKSPACE,
  INSERT_TENANT,
  MEMBERSHIP,
  PERSON,
  WORKSPACE_OF_MEMBER,
  WORKSPACES_PAGE,
  type MemberWorkspace,
  type MemberWorkspaceRow,
} from './workspaces.queries.js';

interface Person {
  readonly name: string;
  readonly email: string | null;
  readonly realName: string;
}

/** Workspaces and who belongs to them (messaging.md E.3). Membership counts, not the workspace a token is for. */
@Injectable()
export class Workspaces {
  constructor(
    private readonly db: Db,
    private readonly publicUrl: PublicUrl,
    private readonly setup: WorkspaceSetup,
    private readonly newcomers: Newcomers,
    private readonly engine: DeliveryEngine,
  ) {}

  async list(caller: Identity, page: Page): Promise<object> {
    const rows = await this.db.read<MemberWorkspaceRow>(WORKSPACES_PAGE, [caller.userId, ...pageValues(page)]);
    return toPage('workspaces', rows, page, (row) => this.show(row));
  }

  /** @throws RestError 404 team_not_found */
  async get(caller: Identity, id: string): Promise<object> {
    return this.show(await this.load(caller, id));
  }

  /** With #general, #random and a default app; no tracker organization. @throws RestError 409 domain_taken */
  async create(caller: Identity, body: WorkspaceBody): Promise<object> {
    const person = await this.person(caller);
    const id = await this.db.write(async (tx) => {
      const [tenant] = await tx.query<{ id: number }>(INSERT_TENANT);
      const workspace = await this.setup.foundWorkspace(tx, {
        tenantId: (tenant as { id: number }).id,
        name: body.name,
        domain: body.domain ?? undefined,
        creatorId: caller.userId,
      });
      if (!workspace) throw new RestError(409, 'domain_taken');
      const workspaceId = workspace.id;
      const creatorId = caller.userId;
      await this.setup.addUser(tx, {
        workspaceId,
        accountId: creatorId,
        handle: person.name,
        realName: person.realName,
        email: person.email,
        role: 'primary_owner',
      });
      const app = await this.setup.createApp(tx, {
        workspaceId,
        manifest: defaultManifest(),
        creatorId,
        isDefault: true,
      });
      const members = [creatorId, app.botUserId];
      await this.setup.createChannel(tx, { workspaceId, name: 'general', creatorId, isGeneral: true, members });
      await this.setup.createChannel(tx, { workspaceId, name: 'random', creatorId, members });
      return workspaceId;
    });
    return this.get(caller, id);
  }

  /** Twice is once. @throws RestError 404 team_not_found, 401 account_inactive for somebody deactivated there */
  async join(caller: Identity, id: string): Promise<object> {
    const person = await this.person(caller);
    const alreadyMember = await this.db.write(async (tx) => {
      const [workspace] = await tx.query<{ id: string; tenantId: number }>(HOLD_WORKSPACE, [id]);
      if (!workspace) throw new RestError(404, 'team_not_found');
      const [member] = await tx.query<{ isDeleted: boolean }>(MEMBERSHIP, [id, caller.userId]);
      if (member?.isDeleted) throw new RestError(401, 'account_inactive');
      if (member) return true;
      await this.newcomers.welcome(tx, workspace, {
        accountId: caller.userId,
        handle: person.name,
        realName: person.realName,
        email: person.email,
      });
      return false;
    });
    return { workspace: await this.get(caller, id), user_id: caller.userId, already_member: alreadyMember };
  }

  /** @throws RestError 404 team_not_found, 403 not_admin, 409 domain_taken */
  async change(caller: Identity, id: string, changes: WorkspaceChanges): Promise<object> {
    const workspace = await this.load(caller, id);
    if (workspace.memberRole === 'member') throw new RestError(403, 'not_admin');
    const { name = null, domain = null, icon = null } = changes;
    try {
      await this.db.run(CHANGE_WORKSPACE, [id, name, domain, icon]);
    } catch (error) {
      if ((error as { constraint?: string }).constraint === 'workspaces_domain')
        throw new RestError(409, 'domain_taken');
      throw error;
    }
    return this.get(caller, id);
  }

  /**
   * From now on its tokens answer account_inactive and its URLs are dead; its rows are removed later, in batches.
   * @throws RestError 404 team_not_found, 403 not_admin, 409 cant_delete_default_workspace
   */
  async remove(caller: Identity, id: string): Promise<void> {
    const workspace = await this.load(caller, id);
    if (workspace.memberRole !== 'primary_owner') throw new RestError(403, 'not_admin');
    if (workspace.isDefault) throw new RestError(409, 'cant_delete_default_workspace');
    await this.db.write(async (tx) => {
      await tx.query(DELETE_WORKSPACE, [id]);
      const targets = await tx.query<{ id: string }>(DELETE_TARGETS, [id]);
      await this.engine.remove(
        tx,
        targets.map((target) => target.id),
      );
    });
  }

  private async load(caller: Identity, id: string): Promise<MemberWorkspace> {
    const [row] = await this.db.read<MemberWorkspaceRow>(WORKSPACE_OF_MEMBER, [caller.userId, id]);
    if (!row) throw new RestError(404, 'team_not_found');
    return row;
  }

  private async person(caller: Identity): Promise<Person> {
    const [row] = await this.db.read<Person & { [column: string]: unknown }>(PERSON, [
      caller.workspaceId,
      caller.userId,
    ]);
    return { name: caller.userName, email: row?.email ?? null, realName: row?.realName ?? caller.userName };
  }

  private show(workspace: MemberWorkspace): object {
    return toWireWorkspace(workspace, workspace.memberRole, this.publicUrl.base);
  }
}
