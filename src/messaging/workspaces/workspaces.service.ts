import { Inject, Injectable } from '@nestjs/common';
import { Clock } from '../../kernel/clock/clock.js';
import { teamDomainChanged, teamRenamed } from '../events/app-events.js';
import { formatTs } from '../store/message-ts.js';
import { SETTINGS_TOKEN, type Settings } from '../../kernel/config/settings.js';
import { Db } from '../../kernel/database/db.js';
import { RestError } from '../../kernel/http/http-error.js';
import { setBaseline } from '../../kernel/sandbox/baseline.js';
import { TenantEnding } from '../../kernel/tenancy/tenant-ending.js';
import { TenantMaking } from '../../kernel/tenancy/tenant-making.js';
import { PublicUrl } from '../../kernel/http/public-url.js';
import { toWireWorkspace } from '../wire/control-wire.js';
import { defaultManifest } from '../provisioning/default-scopes.js';
import type { Identity } from '../access/identity.js';
import { NewMembers } from '../members/new-members.js';
import { WorkspaceSetup } from '../provisioning/workspace-setup.js';
import { pageValues, toPage, type Page } from '../rest/page.js';
import type { WorkspaceBody, WorkspaceChanges } from './workspaces.dto.js';
import {
  CHANGE_WORKSPACE,
  HOLD_WORKSPACE,
  MADE_BY,
  MEMBERSHIP,
  PERSON,
  SET_JOINABLE,
  WORKSPACE_OF_MEMBER,
  WORKSPACES_PAGE,
  type MemberWorkspace,
  type MemberWorkspaceRow,
} from './workspaces.queries.js';
import { workspaceUrl } from '../wire/chat-urls.js';

interface Person {
  readonly name: string;
  readonly email: string | null;
  readonly realName: string;
}

/**
 * Workspaces and who belongs to them (docs/reference/control-plane.md#workspaces). Membership counts, not the
 * workspace a token is for.
 */
@Injectable()
export class Workspaces {
  constructor(
    @Inject(SETTINGS_TOKEN) private readonly settings: Settings,
    private readonly db: Db,
    private readonly publicUrl: PublicUrl,
    private readonly setup: WorkspaceSetup,
    private readonly newMembers: NewMembers,
    private readonly ending: TenantEnding,
    private readonly making: TenantMaking,
    private readonly clock: Clock,
  ) {}

  async list(caller: Identity, page: Page): Promise<object> {
    if (caller.isBound) return { workspaces: [await this.get(caller, caller.workspaceId)], next_cursor: '' };
    const rows = await this.db.read<MemberWorkspaceRow>(WORKSPACES_PAGE, [caller.userId, ...pageValues(page)]);
    return toPage('workspaces', rows, page, (row) => this.show(row));
  }

  /** @throws RestError 404 team_not_found */
  async get(caller: Identity, id: string): Promise<object> {
    return this.show(await this.load(caller, id));
  }

  /** With #general, #random and a default app; no tracker organization. @throws RestError 409 domain_taken, too_many_workspaces */
  async create(caller: Identity, body: WorkspaceBody): Promise<object> {
    refuseBound(caller);
    const person = await this.person(caller);
    const id = await this.db.write(async (tx) => {
      const tenantId = await this.making.make(tx, caller.userId);
      const [made] = await tx.query<{ count: number }>(MADE_BY, [caller.userId]);
      if ((made?.count ?? 0) >= this.settings.maxWorkspaces) throw new RestError(409, 'too_many_workspaces');
      const workspace = await this.setup.createWorkspaceWithFreeDomain(tx, {
        tenantId,
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
      await setBaseline(tx, tenantId);
      return workspaceId;
    });
    return this.get(caller, id);
  }

  /** Joining again changes nothing. @throws RestError 404 team_not_found, 401 account_inactive for somebody deactivated there */
  async join(caller: Identity, id: string): Promise<object> {
    refuseBound(caller);
    const person = await this.person(caller);
    const alreadyMember = await this.db.write(async (tx) => {
      const [workspace] = await tx.query<{ id: string; tenantId: number; joinable: boolean }>(HOLD_WORKSPACE, [id]);
      if (!workspace) throw new RestError(404, 'team_not_found');
      const [member] = await tx.query<{ isDeleted: boolean }>(MEMBERSHIP, [id, caller.userId]);
      if (member?.isDeleted) throw new RestError(401, 'account_inactive');
      if (member) return true;
      if (!workspace.joinable) throw new RestError(404, 'team_not_found');
      await this.newMembers.add(tx, workspace, {
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
    const { joinable } = changes;
    if (joinable === true && caller.sandbox.ids) throw new RestError(400, 'not_in_own_id_space');
    try {
      await this.db.write(async (tx) => {
        await tx.query(CHANGE_WORKSPACE, [id, name, domain, icon]);
        if (typeof joinable === 'boolean') await tx.query(SET_JOINABLE, [id, joinable]);
        const place = { tenantId: workspace.tenantId, workspaceId: id, eventTs: formatTs(this.clock.nowMicros()) };
        if (name !== null && name !== workspace.name) tx.record(teamRenamed({ ...place, name }));
        if (domain !== null && domain !== workspace.domain) {
          const url = `${workspaceUrl(this.publicUrl.base, { sandbox: caller.sandbox, workspaceDomain: domain })}/`;
          tx.record(teamDomainChanged({ ...place, url, domain }));
        }
      });
    } catch (error) {
      if ((error as { constraint?: string }).constraint === 'workspaces_domain')
        throw new RestError(409, 'domain_taken');
      throw error;
    }
    return this.get(caller, id);
  }

  /**
   * From now on its credentials of both products answer as deleted and its URLs no longer work; its rows are deleted
   * later, in batches.
   * @throws RestError 404 team_not_found, 403 not_admin, 409 cant_delete_default_workspace
   */
  async remove(caller: Identity, id: string): Promise<void> {
    const workspace = await this.load(caller, id);
    if (workspace.memberRole !== 'primary_owner') throw new RestError(403, 'not_admin');
    if (workspace.isDefault) throw new RestError(409, 'cant_delete_default_workspace');
    await this.db.write((tx) => this.ending.end(tx, workspace.tenantId));
  }

  async load(caller: Identity, id: string): Promise<MemberWorkspace> {
    if (caller.isBound && id !== caller.workspaceId) throw new RestError(404, 'team_not_found');
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

/** What a sandbox hands out for somebody opens that sandbox alone. */
function refuseBound(caller: Identity): void {
  if (caller.isBound) throw new RestError(403, 'not_allowed_token_type');
}
