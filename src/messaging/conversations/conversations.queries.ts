import { statement, type Statement } from '../../kernel/database/statement.js';
import { pageStatement } from '../rpc/page-texts.queries.js';
import { sqlIsClosed } from '../access/conversation-access.queries.js';
import { conversationColumns, type Conversation, type ConversationType } from '../store/conversation.entity.js';
import { sqlOtherParty } from '../wire/conversation-wire.js';
import { messageWire } from '../wire/message-wire.queries.js';

/* Hand-written: lists that leave the database as text, and changes that are judged by the row as it is. */

/** `created` as clients see it: the key of the list's order. */
const created = (c: string): string => `(${c}.created_at / 1000000)`;

/** Lists show neither of these; with `lastTs` the rows of a page would also change with every post. */
const NOT_LISTED = ['lastTs', 'pinCount'] as const;

/** A conversation in a list, with what its item shows of the caller's part in it. */
export interface ListRow extends Omit<Conversation, (typeof NOT_LISTED)[number]> {
  readonly isMember: boolean;
  readonly isClosed: boolean;
  /** ims: the other party is deactivated. */
  readonly isUserDeleted: boolean;
}

/**
 * A page of conversations that a user may see. Parameters: workspace, user, types, the key to start from (created in
 * seconds, id), how many. Channels are walked by their index, or the user's memberships where they are fewer; of direct
 * messages always the user's own, which the first letter of an id finds (OFFSET 0 keeps the planner from walking those
 * of everybody). Each branch is cut to a page before they are merged.
 */
const list = (name: string, { types, live }: { types: 'public' | 'all'; live: boolean }): Statement => {
  const from = `(${created('c')}, c.id) >= ($4::bigint, $5::text) ${live ? 'AND NOT c.is_archived' : ''}`;
  const cut = `ORDER BY ${created('c')}, c.id LIMIT $6::int`;
  const publicChannels = `
    (SELECT c.* FROM conversations c
     WHERE 'public' = ANY ($3::text[]) AND c.workspace_id = $1 AND c.type = 'public' AND ${from} ${cut})`;
  const privateChannels = `
    (SELECT c.* FROM members m JOIN conversations c ON c.id = m.conversation_id
     WHERE 'private' = ANY ($3::text[]) AND m.user_id = $2 AND m.conversation_id >= 'C' AND m.conversation_id < 'D'
       AND c.workspace_id = $1 AND c.type = 'private' AND ${from} ${cut})`;
  const directMessages = `
    (SELECT c.* FROM members m CROSS JOIN LATERAL (
       SELECT * FROM conversations c WHERE c.id = m.conversation_id AND c.workspace_id = $1 AND ${from} OFFSET 0) c
     WHERE $3::text[] && ARRAY['im', 'mpim'] AND m.user_id = $2 AND m.conversation_id >= 'D' AND m.conversation_id < 'H'
       AND c.type IN ('im', 'mpim') AND c.type = ANY ($3::text[]) ${cut})`;
  const branches = types === 'public' ? [publicChannels] : [publicChannels, privateChannels, directMessages];
  return pageStatement(
    name,
    `WITH page AS (SELECT * FROM (${branches.join(' UNION ALL ')}) c ${cut})
     SELECT ${conversationColumns('c', NOT_LISTED)}, m.user_id IS NOT NULL AS "isMember",
            ${sqlIsClosed('c', 'm')} AS "isClosed",
            CASE WHEN c.type = 'im' THEN EXISTS (
              SELECT FROM users u WHERE u.workspace_id = c.workspace_id AND u.id = ${sqlOtherParty('c', '$2')}
                AND u.deleted_at IS NOT NULL) ELSE false END AS "isUserDeleted"
     FROM page c LEFT JOIN members m ON m.conversation_id = c.id AND m.user_id = $2
     ORDER BY ${created('c')}, c.id`,
  );
};

const LISTS = {
  public: {
    any: list('chat_list_public', { types: 'public', live: false }),
    live: list('chat_list_public_live', { types: 'public', live: true }),
  },
  all: {
    any: list('chat_list_conversations', { types: 'all', live: false }),
    live: list('chat_list_conversations_live', { types: 'all', live: true }),
  },
} as const;

/** The statement for these types: most calls ask for public channels only, which is quicker to plan by itself. */
export const listOf = (types: readonly ConversationType[], options: { live: boolean }): Statement =>
  LISTS[types.every((type) => type === 'public') ? 'public' : 'all'][options.live ? 'live' : 'any'];

export interface MemberRow {
  readonly userId: string;
  readonly joinedAt: number;
}

/** Parameters: conversation, the key to start from (joined_at, user), how many. */
export const MEMBERS = statement(
  'chat_list_members',
  `SELECT user_id AS "userId", joined_at AS "joinedAt" FROM members
   WHERE conversation_id = $1 AND (joined_at, user_id) >= ($2::bigint, $3::text)
   ORDER BY joined_at, user_id LIMIT $4::int`,
);

/** What an im shows besides its row. Parameters: workspace, other party, conversation, viewer ids. */
export const IM_DETAILS = statement(
  'chat_im_details',
  `SELECT EXISTS (SELECT FROM users WHERE workspace_id = $1 AND id = $2 AND deleted_at IS NOT NULL) AS "isUserDeleted",
     (SELECT ${messageWire('m', '$4::text[]')} FROM messages m
      WHERE m.conversation_id = $3 AND (m.thread_ts IS NULL OR m.is_broadcast) ORDER BY m.ts DESC LIMIT 1) AS latest`,
);

/** Which of these users are members. */
export const MEMBERS_AMONG = statement(
  'chat_members_among',
  `SELECT user_id AS "userId" FROM members WHERE conversation_id = $1 AND user_id = ANY ($2::text[])`,
);

const change = (name: string, set: string): Statement =>
  statement(
    name,
    `UPDATE conversations c SET ${set}, updated_at = $2 WHERE c.id = $1 RETURNING ${conversationColumns('c')}`,
  );

/** Parameters of the changes: conversation, now in microseconds, then the new values. */
export const ARCHIVE = change('chat_archive_conversation', 'is_archived = true');
export const UNARCHIVE = change('chat_unarchive_conversation', 'is_archived = false');
export const RENAME = change(
  'chat_rename_conversation',
  'name = $3, previous_names = array_prepend(c.name, c.previous_names)',
);

/**
 * Closes a direct message for one member, as of the newest ts; nothing when it was closed. Parameters: conversation, user,
 * newest ts.
 */
export const CLOSE = statement(
  'chat_close_direct',
  `UPDATE members m SET closed_at = $3 FROM conversations c
   WHERE c.id = m.conversation_id AND m.conversation_id = $1 AND m.user_id = $2 AND NOT ${sqlIsClosed('c', 'm')} RETURNING 1`,
);

/** Parameters: conversation, user. Answers a row where it was closed. */
export const REOPEN = statement(
  'chat_reopen_direct',
  `WITH was AS (SELECT ${sqlIsClosed('c', 'm')} AS closed FROM members m JOIN conversations c ON c.id = m.conversation_id
     WHERE m.conversation_id = $1 AND m.user_id = $2 AND m.closed_at IS NOT NULL FOR NO KEY UPDATE OF m)
   UPDATE members SET closed_at = NULL FROM was
   WHERE conversation_id = $1 AND user_id = $2 RETURNING was.closed`,
);
