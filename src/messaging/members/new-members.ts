import { Injectable } from '@nestjs/common';
import { Clock } from '../../kernel/clock/clock.js';
import { PublicUrl } from '../../kernel/http/public-url.js';
import { teamJoined } from '../events/app-events.js';
import { toWireUser } from '../wire/user-wire.js';
import { formatTs } from '../store/message-ts.js';
import type { User, Role } from '../store/user.entity.js';
import type { Tx } from '../../kernel/database/db.js';
import { Memberships } from './memberships.js';
import { WorkspaceSetup } from '../provisioning/workspace-setup.js';
import { Conversation } from '../store/conversation.entity.js';
import { NEW_MEMBER } from './new-members.queries.js';

export const HANDLE = /^[a-z0-9][a-z0-9._-]{0,79}$/;

/**
 * People who join a workspace: everyone in #general receives an event
 * (docs/reference/control-plane.md#accounts, #workspaces).
 */
@Injectable()
export class NewMembers {
  constructor(
    private readonly setup: WorkspaceSetup,
    private readonly memberships: Memberships,
    private readonly clock: Clock,
    private readonly publicUrl: PublicUrl,
  ) {}

  /** Records the event of a new user: a person, or the bot of a new app. */
  async recordJoined(
    tx: Tx,
    workspace: { readonly id: string; readonly tenantId: number },
    userId: string,
  ): Promise<void> {
    const [user] = await tx.query<User & Record<string, unknown>>(NEW_MEMBER, [workspace.id, userId]);
    if (!user) return;
    const now = this.clock.nowSeconds();
    const view = { publicUrl: this.publicUrl.base, now, withEmail: true, withLocale: true };
    tx.record(
      teamJoined({
        tenantId: workspace.tenantId,
        workspaceId: workspace.id,
        user: toWireUser(user, view),
        cacheTs: now,
        eventTs: formatTs(this.clock.nowMicros()),
      }),
    );
  }

  /** Makes an account a regular member and records the events. Returns its handle. */
  async add(
    tx: Tx,
    workspace: { readonly id: string; readonly tenantId: number },
    person: { accountId: string; handle: string; realName: string; email: string | null; role?: Role },
  ): Promise<string> {
    const handle = await this.setup.addUser(tx, { workspaceId: workspace.id, ...person });
    await this.recordJoined(tx, workspace, person.accountId);
    const general = await tx.sql.findOneBy(Conversation, { workspaceId: workspace.id, isGeneral: true });
    if (general) {
      const place = {
        tenantId: workspace.tenantId,
        workspaceId: workspace.id,
        conversation: { id: general.id, type: 'public' as const },
      };
      await this.memberships.announceJoined(tx, place, [person.accountId]);
    }
    return handle;
  }
}
