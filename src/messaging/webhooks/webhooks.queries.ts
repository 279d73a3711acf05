import { columnsOf } from '../../kernel/database/columns.js';
import { statement } from '../../kernel/database/statement.js';
import type { Listed } from '../rest/page.js';
import { IncomingWebhook } from '../store/incoming-webhook.entity.js';

/* Hand-written: pages by their keys over a target and its engine's row; a hook is looked up for every post. */

/** With the name of its channel. */
export interface ShownIncomingWebhook extends IncomingWebhook {
  readonly channelName: string | null;
}

const INCOMING = columnsOf(IncomingWebhook, 'h');

/** SQL for its join and its comparison of two columns at once, which pages by key. */
export const INCOMING_PAGE = statement(
  'chat_incoming_webhooks_page',
  `SELECT ${INCOMING}, c.name AS "channelName"
   FROM incoming_webhooks h LEFT JOIN conversations c ON c.id = h.conversation_id
   WHERE h.workspace_id = $1 AND (h.created_at, h.id) >= ($2, $3)
     AND ($6 OR c.type IS NULL OR c.type = 'public'
       OR EXISTS (SELECT FROM members m WHERE m.conversation_id = c.id AND m.user_id = $5))
   ORDER BY h.created_at, h.id LIMIT $4`,
);

/** Whether somebody who is no admin sees that there is such a webhook. */
export const INCOMING_IS_LISTED = statement(
  'chat_incoming_webhook_is_listed',
  `SELECT 1 FROM incoming_webhooks h LEFT JOIN conversations c ON c.id = h.conversation_id
   WHERE h.id = $1 AND (c.type IS NULL OR c.type = 'public'
     OR EXISTS (SELECT FROM members m WHERE m.conversation_id = c.id AND m.user_id = $2))`,
);

/** SQL as it is a transaction by itself (`Db.run`). */
/** A hook that is posted to, with all that a post needs. */
export interface PostedHook extends IncomingWebhook {
  readonly tenantId: number;
  /** `sandboxes.flags` */
  readonly sandbox: string;
  readonly conversationType: 'public' | 'private' | 'im' | 'mpim' | null;
  readonly appName: string;
  readonly appBotId: string;
  readonly appBotUserId: string;
  readonly appCreatedAt: number;
}

export const HOOK_TO_POST = statement(
  'chat_incoming_webhook_to_post',
  `SELECT ${INCOMING}, w.tenant_id AS "tenantId", sb.flags AS sandbox, c.type AS "conversationType", a.name AS "appName", a.bot_id AS "appBotId",
          a.bot_user_id AS "appBotUserId", a.created_at AS "appCreatedAt"
   FROM incoming_webhooks h JOIN workspaces w ON w.id = h.workspace_id AND w.deleted_at IS NULL
   JOIN sandboxes sb ON sb.tenant_id = w.tenant_id
   JOIN apps a ON a.workspace_id = h.workspace_id AND a.id = h.app_id
   LEFT JOIN conversations c ON c.id = h.conversation_id
   WHERE h.id = $1`,
);

/** An outgoing webhook or an event subscription, with the state that the delivery engine keeps of it. */
export interface EventTarget extends Listed {
  readonly workspaceId: string;
  readonly appId: string | null;
  readonly url: string;
  readonly names: string[];
  readonly conversationId: string | null;
  readonly name: string | null;
  readonly secret: string | null;
  readonly verified: boolean;
  readonly creatorId: string;
  readonly enabled: boolean;
  readonly lastStatus: string | null;
}

const TARGET = `t.id, t.workspace_id AS "workspaceId", t.app_id AS "appId", t.url, t.names, t.conversation_id AS "conversationId",
  t.name, t.secret, t.verified, t.creator_id AS "creatorId", t.created_at AS "createdAt", d.enabled, d.last_status AS "lastStatus"`;

export const OUTGOING_PAGE = statement(
  'chat_outgoing_webhooks_page',
  `SELECT ${TARGET} FROM event_targets t JOIN delivery_targets d ON d.id = t.id
   WHERE t.workspace_id = $1 AND t.app_id IS NULL AND (t.created_at, t.id) >= ($2, $3) ORDER BY t.created_at, t.id LIMIT $4`,
);

/** $5: the one app whose subscriptions are shown, or null. */
export const SUBSCRIPTIONS_PAGE = statement(
  'chat_event_subscriptions_page',
  `SELECT ${TARGET} FROM event_targets t JOIN delivery_targets d ON d.id = t.id
   WHERE t.workspace_id = $1 AND t.app_id IS NOT NULL AND NOT t.is_socket AND ($5::text IS NULL OR t.app_id = $5)
     AND (t.created_at, t.id) >= ($2, $3) ORDER BY t.created_at, t.id LIMIT $4`,
);

export const TARGET_BY_ID = statement(
  'chat_event_target',
  `SELECT ${TARGET} FROM event_targets t JOIN delivery_targets d ON d.id = t.id WHERE t.id = $1 AND t.workspace_id = $2 AND NOT t.is_socket`,
);

export const SUBSCRIPTION_FOR_UPDATE = statement(
  'chat_event_subscription_for_update',
  'SELECT id FROM event_targets WHERE app_id = $1 AND url = $2 AND workspace_id = $3 FOR UPDATE',
);
