import { columnsOf } from '../../kernel/database/columns.js';
import { statement } from '../../kernel/database/statement.js';
import { isStreaming } from '../messages/stream-news.queries.js';
import { Usergroup } from '../store/usergroup.entity.js';
import { sumOverMessages } from './chat-view.queries.js';

/* Hand-written: whole tables of a workspace in one snapshot, each in the seed's own format. */

/**
 * Apps that are at home in a workspace, with whoever installed them, commands and subscription. Parameter, here and
 * below: the workspace.
 */
export const APPS_TO_EXPORT = statement(
  'export_apps',
  `SELECT a.id, a.name, a.bot_id AS "botId", a.bot_user_id AS "botUserId", a.bot_scopes AS "botScopes",
     a.user_scopes AS "userScopes", a.interactivity_url AS "interactivityUrl", a.manifest, a.is_default AS "isDefault",
     a.socket_mode AS "socketMode", a.is_distributed AS "isDistributed", a.installed_at IS NOT NULL AS "isInstalled",
     coalesce((SELECT json_agg(DISTINCT u.name) FROM tokens t JOIN users u ON u.workspace_id = t.workspace_id AND u.id = t.user_id AND NOT u.is_bot
       WHERE t.workspace_id = a.workspace_id AND t.app_id = a.id AND t.kind = 'user' AND t.is_consented AND t.revoked_at IS NULL), '[]') AS people,
     EXISTS (SELECT FROM tokens t WHERE t.workspace_id = a.workspace_id AND t.app_id = a.id AND t.kind = 'refresh' AND t.revoked_at IS NULL) AS "isRotating",
     coalesce((SELECT json_agg(json_build_object('command', c.command, 'url', c.url, 'description', c.description,
        'usage_hint', c.usage_hint) ORDER BY c.command) FROM slash_commands c WHERE c.workspace_id = a.workspace_id AND c.app_id = a.id), '[]') AS commands,
     (SELECT json_build_object('url', e.url, 'names', e.names) FROM event_targets e
      WHERE e.workspace_id = a.workspace_id AND e.app_id = a.id AND NOT e.is_socket ORDER BY e.created_at, e.id LIMIT 1) AS subscription
   FROM apps a WHERE a.workspace_id = $1 AND a.home_id IS NULL ORDER BY a.name, a.created_at, a.id`,
);

/** With their members. */
export const CONVERSATIONS_TO_EXPORT = statement(
  'export_conversations',
  `SELECT c.id, c.type, c.name, c.topic, c.purpose, c.is_general AS "isGeneral",
     coalesce((SELECT array_agg(m.user_id) FROM members m WHERE m.conversation_id = c.id), '{}') AS members
   FROM conversations c WHERE c.workspace_id = $1 ORDER BY c.name, c.id`,
);

/** Messages of people and bots: no system messages, no tombstones, no messages of webhooks, none that is still being streamed. */
export const MESSAGES_TO_EXPORT = statement(
  'export_messages',
  `SELECT m.conversation_id AS "conversationId", m.ts, m.thread_ts AS "threadTs", m.user_id AS "userId", m.bot_id AS "botId",
     m.text, m.reactions, CASE WHEN m.wire LIKE '%"blocks":%' OR m.wire LIKE '%"attachments":%' THEN m.wire END AS wire
   FROM conversations c JOIN messages m ON m.conversation_id = c.id
   WHERE c.workspace_id = $1 AND (m.subtype IS NULL OR m.subtype = 'thread_broadcast') AND m.user_id IS NOT NULL
     AND NOT ${isStreaming('m')}
   ORDER BY m.conversation_id, m.ts`,
);

/** Bookmarks of a workspace's conversations, in their order. */
export const BOOKMARKS_TO_EXPORT = statement(
  'export_bookmarks',
  `SELECT b.conversation_id AS "conversationId", b.title, b.link, b.emoji FROM conversations c
   JOIN bookmarks b ON b.conversation_id = c.id WHERE c.workspace_id = $1 ORDER BY b.conversation_id, b.rank, b.id`,
);

/** Those that are enabled. */
export const USERGROUPS_TO_EXPORT = statement(
  'export_usergroups',
  `SELECT ${columnsOf(Usergroup, 'g')} FROM usergroups g WHERE g.workspace_id = $1 AND g.deleted_at IS NULL ORDER BY g.name`,
);

/** Incoming webhooks. */
export const INCOMING_TO_EXPORT = statement(
  'export_incoming',
  `SELECT h.id, h.app_id AS "appId", h.conversation_id AS "conversationId", h.name, h.icons FROM incoming_webhooks h
   WHERE h.workspace_id = $1 ORDER BY h.created_at, h.name, h.id`,
);

/** Outgoing webhooks. */
export const OUTGOING_TO_EXPORT = statement(
  'export_outgoing',
  `SELECT e.id, e.url, e.names, e.name, e.conversation_id AS "conversationId" FROM event_targets e
   WHERE e.workspace_id = $1 AND e.app_id IS NULL ORDER BY e.created_at, e.url, e.id`,
);

/** As SQL: how many messages a workspace has, and the length of their wire text. */
export const sizesOfMessages = (workspace: string): string =>
  `${sumOverMessages(workspace, 'count(*)')}::int AS messages,
     ${sumOverMessages(workspace, 'sum(length(wire))')}::float8 AS bytes`;
