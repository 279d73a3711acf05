import { sqlNowMicros } from '../../kernel/clock/clock.js';
import { statement } from '../../kernel/database/statement.js';
import type { ConversationType } from '../store/conversation.entity.js';
import type { StreamState } from './message-stream.entity.js';

/* Hand-written: appending is a hot write, and expired streams are looked for in sets. */

/** A stream, with the message that it is. */
export interface StreamRow extends Record<string, unknown> {
  readonly conversationId: string;
  readonly ts: number;
  readonly appId: string;
  readonly botId: string;
  readonly state: StreamState;
  readonly content: string | null;
  readonly begun: string | null;
  readonly expiresAt: number | null;
  readonly wire: string;
  readonly metadata: string | null;
}

/** Locks a stream and its message until the commit. */
export const HOLD_STREAM = statement(
  'streams_hold',
  `SELECT s.conversation_id AS "conversationId", s.ts, s.app_id AS "appId", s.bot_id AS "botId", s.state, s.content, s.begun,
          s.expires_at AS "expiresAt", m.wire, m.metadata
   FROM message_streams s JOIN messages m ON m.conversation_id = s.conversation_id AND m.ts = s.ts
   WHERE s.conversation_id = $1 AND s.ts = $2 FOR NO KEY UPDATE OF s, m`,
);

/** Parameters: conversation, ts, content, characters that were added, the message's text and wire text. */
export const GROW_STREAM = statement(
  'streams_grow',
  `WITH grown AS (
     UPDATE message_streams SET content = $3, appends = appends + 1, characters = characters + $4
     WHERE conversation_id = $1 AND ts = $2)
   UPDATE messages SET text = $5, wire = $6 WHERE conversation_id = $1 AND ts = $2`,
);

/**
 * Parameters: conversation, ts, state, content and beginning (kept while something may still be added), characters that were
 * added, the message's text, wire text and metadata.
 */
export const END_STREAM = statement(
  'streams_end',
  `WITH ended AS (
     UPDATE message_streams SET state = $3, content = $4, begun = $5, characters = characters + $6
     WHERE conversation_id = $1 AND ts = $2)
   UPDATE messages SET text = $7, wire = $8, metadata = $9 WHERE conversation_id = $1 AND ts = $2`,
);

/** Where a stream is, with its conversation locked: locks are taken in the order conversation, stream, message. */
export const HOLD_CONVERSATION = statement(
  'streams_hold_conversation',
  `SELECT c.workspace_id AS "workspaceId", c.type, w.tenant_id AS "tenantId" FROM conversations c JOIN workspaces w ON w.id = c.workspace_id
   WHERE c.id = $1 FOR NO KEY UPDATE OF c`,
);
export interface HeldConversationRow extends Record<string, unknown> {
  readonly workspaceId: string;
  readonly type: ConversationType;
  readonly tenantId: number;
}

/** A stream that is over, and the time of its sandbox. */
export interface OverdueRow extends Record<string, unknown> {
  readonly conversationId: string;
  readonly ts: number;
  readonly flags: string | null;
}

/**
 * Open streams that are past their end, each by its own sandbox's time, or whose app was deleted or has no token any more.
 * $1: the clock's offset in real time.
 */
export const OVERDUE_STREAMS = statement(
  'streams_overdue',
  `SELECT s.conversation_id AS "conversationId", s.ts, b.flags
   FROM message_streams s JOIN workspaces w ON w.id = s.workspace_id AND w.deleted_at IS NULL
   LEFT JOIN sandboxes b ON b.tenant_id = w.tenant_id
   WHERE s.state = 'open' AND (
     s.expires_at <= coalesce(b.clock_frozen_at, ${sqlNowMicros('$1')} + coalesce(b.clock_offset, 0))
     OR NOT EXISTS (
       SELECT FROM apps a JOIN tokens t ON t.app_id = a.id AND t.workspace_id = a.workspace_id AND t.kind = 'bot' AND t.revoked_at IS NULL
       WHERE a.workspace_id = s.workspace_id AND a.id = s.app_id))
   ORDER BY s.expires_at LIMIT 100`,
);

/** The soonest end of a tenant's ($1) open streams, in microseconds. */
export const NEXT_END = statement(
  'streams_next_end',
  `SELECT min(s.expires_at)::float8 AS at FROM workspaces w JOIN message_streams s ON s.workspace_id = w.id AND s.state = 'open'
   WHERE w.tenant_id = $1`,
);

/** Open streams of a tenant. Parameters: tenant, conversations, ts; null: any. */
export const OPEN_STREAMS = statement(
  'streams_open',
  `SELECT s.conversation_id AS "conversationId", s.ts, b.flags
   FROM workspaces w JOIN message_streams s ON s.workspace_id = w.id AND s.state = 'open'
   LEFT JOIN sandboxes b ON b.tenant_id = w.tenant_id
   WHERE w.tenant_id = $1 AND ($2::text[] IS NULL OR s.conversation_id = ANY($2)) AND ($3::bigint IS NULL OR s.ts = $3)`,
);

/** An app's open streams in a thread. Parameters: conversation, thread, app. */
export const OPEN_STREAMS_OF_THREAD = statement(
  'streams_of_thread',
  `SELECT s.ts FROM message_streams s JOIN messages m ON m.conversation_id = s.conversation_id AND m.ts = s.ts
   WHERE s.conversation_id = $1 AND coalesce(m.thread_ts, m.ts) = $2 AND s.app_id = $3 AND s.state = 'open' ORDER BY s.ts`,
);

/** Streams of the conversations that a person ($1 workspace, $2 user) is in, the newest first. */
export const STREAMS_OF_USER = statement(
  'streams_of_user',
  `SELECT s.conversation_id AS channel, s.ts, m.thread_ts AS "threadTs", s.app_id AS "appId", s.state, m.text
   FROM members b JOIN message_streams s ON s.conversation_id = b.conversation_id AND s.workspace_id = $1
   JOIN messages m ON m.conversation_id = s.conversation_id AND m.ts = s.ts
   WHERE b.user_id = $2 ORDER BY s.started_at DESC, s.ts DESC LIMIT 100`,
);

export interface SeenStream extends Record<string, unknown> {
  readonly channel: string;
  readonly ts: number;
  readonly threadTs: number | null;
  readonly appId: string;
  readonly state: StreamState;
  readonly text: string;
}

export interface ListedStream extends Record<string, unknown> {
  readonly conversationId: string;
  readonly ts: number;
  readonly threadTs: number | null;
  readonly appId: string;
  readonly state: StreamState;
  readonly startedAt: number;
  readonly expiresAt: number | null;
  readonly appends: number;
  readonly characters: number;
}

/** The newest streams of a tenant ($1). */
export const NEWEST_STREAMS = statement(
  'streams_newest',
  `SELECT s.conversation_id AS "conversationId", s.ts, m.thread_ts AS "threadTs", s.app_id AS "appId", s.state,
          s.started_at AS "startedAt", s.expires_at AS "expiresAt", s.appends, s.characters
   FROM workspaces w JOIN message_streams s ON s.workspace_id = w.id
   JOIN messages m ON m.conversation_id = s.conversation_id AND m.ts = s.ts
   WHERE w.tenant_id = $1 ORDER BY s.started_at DESC, s.ts DESC LIMIT 200`,
);
