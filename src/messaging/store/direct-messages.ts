import { Injectable } from '@nestjs/common';
import { Clock } from '../../kernel/clock/clock.js';
import { Db, type Tx } from '../../kernel/database/db.js';
import { newId } from '../../kernel/ids/ids.js';
import { groupOpened, imCreated } from '../events/conversation-events.js';
import { formatTs } from './message-ts.js';
import type { Conversation } from './conversation.entity.js';
import type { Identity } from '../access/identity.js';
import {
  DIRECT_BY_MEMBERS,
  INSERT_DIRECT,
  INSERT_MEMBERS,
  HOLD_DIRECT,
  RETURN_MEMBERS,
  HANDLES,
} from './direct-messages.queries.js';

/** Sorted ids: the same set of users always has the same conversation (conversations.open). */
const membersKey = (userIds: readonly string[]): string => [...new Set(userIds)].sort().join(',');

/** Ims and mpims: found by their set of members, or made. */
@Injectable()
export class DirectMessages {
  constructor(
    private readonly db: Db,
    private readonly clock: Clock,
  ) {}

  /** The conversation of exactly these users, the caller among them, or null. */
  async find(caller: Pick<Identity, 'workspaceId'>, userIds: readonly string[]): Promise<Conversation | null> {
    const [row] = await this.db.read<Conversation>(DIRECT_BY_MEMBERS, [caller.workspaceId, membersKey(userIds)]);
    return row ?? null;
  }

  /**
   * Finds or makes it: an im for one or two users, an mpim for more. Users were checked by the caller. All of them are
   * members from the start; no message (conversations.open). Its event is recorded where the caller's tenant is given.
   */
  async open(
    tx: Tx,
    caller: Pick<Identity, 'workspaceId' | 'userId'> & { readonly tenantId?: number },
    userIds: readonly string[],
  ): Promise<{ id: string; created: boolean }> {
    const members = [...new Set(userIds)].sort();
    const key = membersKey(members);
    const isIm = members.length <= 2;
    const id = newId(isIm ? 'D' : 'G');
    const now = this.clock.nowMicros();
    const labels = isIm
      ? { name: null, topic: '', purpose: '' }
      : await this.groupLabels(tx, caller.workspaceId, members);
    const inserted = await tx.query(INSERT_DIRECT, [
      id,
      caller.workspaceId,
      isIm ? 'im' : 'mpim',
      labels.name,
      key,
      caller.userId,
      labels.topic,
      labels.purpose,
      members.length,
      now,
    ]);
    if (inserted.length === 0) {
      const [row] = await tx.query<Conversation>(DIRECT_BY_MEMBERS, [caller.workspaceId, key]);
      const existing = row as Conversation;
      if (existing.memberCount < members.length) {
        await tx.query(HOLD_DIRECT, [existing.id]);
        await tx.query(RETURN_MEMBERS, [existing.id, members, now]);
      }
      return { id: existing.id, created: false };
    }
    await tx.query(INSERT_MEMBERS, [id, members, now]);
    if (caller.tenantId !== undefined) {
      const change = {
        tenantId: caller.tenantId,
        workspaceId: caller.workspaceId,
        conversation: { id, type: isIm ? ('im' as const) : ('mpim' as const) },
        userId: caller.userId,
        eventTs: formatTs(now),
      };
      const otherId = members.find((userId) => userId !== caller.userId) ?? caller.userId;
      tx.record(isIm ? imCreated({ ...change, otherId, createdAt: now }) : groupOpened(change));
    }
    return { id, created: true };
  }

  /** Name, topic and purpose of an mpim: the handles of all members, sorted (docs/reference/chat.md#conversations). */
  private async groupLabels(tx: Tx, workspaceId: string, members: readonly string[]) {
    const rows = await tx.query<{ name: string }>(HANDLES, [workspaceId, members]);
    const names = rows.map((row) => row.name).sort();
    return {
      name: `mpdm-${names.join('--')}-1`,
      topic: 'Group messaging',
      purpose: `Group messaging with: ${names.map((name) => `@${name}`).join(' ')}`,
    };
  }
}
