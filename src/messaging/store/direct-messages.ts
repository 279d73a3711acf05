import { Injectable } from '@nestjs/common';
import { Clock } from '../../kernel/clock/clock.js';
import { Db, type Tx } from '../../kernel/database/db.js';
import { statement } from '../../kernel/database/statement.js';
import { newId } from '../../kernel/ids/ids.js';
import { groupOpened, imCreated } from '../events/conversation-events.js';
import { formatTs } from './message-ts.js';
import { conversationColumns, type Conversation } from './conversation.entity.js';
import type { Identity } from '../access/identity.js';

const BY_MEMBERS = statement(
  'chat_conversation_by_members',
  `SELECT ${conversationColumns('c')} FROM conversations c WHERE c.workspace_id = $1 AND c.members_key = $2`,
);

const INSERT_DIRECT = statement(
  'chat_insert_direct',
  `INSERT INTO conversations (id, workspace_id, type, name, members_key, creator_id, topic, purpose, member_count, created_at, updated_at)
   VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $10) ON CONFLICT (workspace_id, members_key) DO NOTHING RETURNING id`,
);

const INSERT_MEMBERS = statement(
  'chat_insert_direct_members',
  `INSERT INTO members (conversation_id, user_id, joined_at) SELECT $1, u, $3 FROM unnest($2::text[]) u`,
);

const HOLD_DIRECT = statement('chat_hold_direct', `SELECT FROM conversations WHERE id = $1 FOR NO KEY UPDATE`);

/** Those who left a group message come back when somebody opens it for the same users again. */
const RETURN_MEMBERS = statement(
  'chat_return_direct_members',
  `WITH back AS (
     INSERT INTO members (conversation_id, user_id, joined_at) SELECT $1, u, $3 FROM unnest($2::text[]) u
     ON CONFLICT DO NOTHING RETURNING user_id)
   UPDATE conversations SET member_count = member_count + (SELECT count(*) FROM back), members_version = members_version + 1
   WHERE id = $1`,
);

const HANDLES = statement(
  'chat_handles',
  `SELECT id, name FROM users WHERE workspace_id = $1 AND id = ANY($2::text[])`,
);

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
    const [row] = await this.db.read<Conversation>(BY_MEMBERS, [caller.workspaceId, membersKey(userIds)]);
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
      const [row] = await tx.query<Conversation>(BY_MEMBERS, [caller.workspaceId, key]);
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
