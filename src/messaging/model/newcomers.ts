import { Injectable } from '@nestjs/common';
import type { Tx } from '../../kernel/database/db.js';
import { statement } from '../../kernel/database/statement.js';
import { Memberships } from './memberships.js';
import { WorkspaceSetup } from './workspace-setup.js';

const GENERAL = statement(
  'chat_general_channel',
  `SELECT id FROM conversations WHERE workspace_id = $1 AND is_general`,
);

export const HANDLE = /^[a-z0-9][a-z0-9._-]{0,79}$/;

/** People who come into a workspace by themselves: everybody in #general hears of it (messaging.md E.1, E.3). */
@Injectable()
export class Newcomers {
  constructor(
    private readonly setup: WorkspaceSetup,
    private readonly memberships: Memberships,
  ) {}

  /** Makes an account a regular member. Answers the handle it got. */
  async welcome(
    tx: Tx,
    workspace: { readonly id: string; readonly tenantId: number },
    person: { accountId: string; handle: string; realName: string; email: string | null },
  ): Promise<string> {
    const handle = await this.setup.addUser(tx, { workspaceId: workspace.id, ...person });
    const [general] = await tx.query<{ id: string }>(GENERAL, [workspace.id]);
    if (general) {
      const scene = {
        tenantId: workspace.tenantId,
        workspaceId: workspace.id,
        conversation: { id: general.id, type: 'public' as const },
      };
      await this.memberships.announceJoined(tx, scene, [person.accountId]);
    }
    return handle;
  }
}
