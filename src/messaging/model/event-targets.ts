import type { Tx } from '../../kernel/database/db.js';
import { statement } from '../../kernel/database/statement.js';
import { newId } from '../../kernel/ids/ids.js';
import { wantedEvents } from './event-names.js';

/** The engine's row goes with ours: one statement, so that neither is ever without the other. */
const INSERT_TARGET = statement(
  'chat_insert_event_target',
  `WITH ours AS (
     INSERT INTO event_targets (id, tenant_id, workspace_id, app_id, url, names, kinds, message_types, conversation_id, name,
       secret, verified, creator_id, created_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)
     RETURNING id, tenant_id)
   INSERT INTO delivery_targets (id, product, tenant_id) SELECT id, $15, tenant_id FROM ours`,
);

const TENANT = statement('chat_tenant_of_workspace', 'SELECT tenant_id AS id FROM workspaces WHERE id = $1');

/** Names of our dialects in `delivery_targets.product`. */
export const EVENTS_DIALECT = 'chat.events';
export const OUTGOING_DIALECT = 'chat.outgoing';

export interface NewTarget {
  readonly workspaceId: string;
  readonly url: string;
  /** Valid names; absent: all nine kinds. */
  readonly names?: readonly string[] | undefined;
  readonly creatorId: string;
  /** Microseconds. */
  readonly createdAt: number;
  /** An app's event subscription. */
  readonly app?: { readonly id: string; readonly verified: boolean };
  /** Else an outgoing webhook. */
  readonly hook?: { readonly name: string; readonly secret: string; readonly conversationId: string | null };
}

/** Stores an event subscription or an outgoing webhook; events are queued for it from now on. Answers its id. */
export async function insertTarget(tx: Tx, target: NewTarget): Promise<string> {
  const id = newId(target.app ? 'Es' : 'Ow');
  const [tenant] = await tx.query<{ id: number }>(TENANT, [target.workspaceId]);
  const wanted = wantedEvents(target.names);
  await tx.query(INSERT_TARGET, [
    id,
    (tenant as { id: number }).id,
    target.workspaceId,
    target.app?.id ?? null,
    target.url,
    [...wanted.names],
    [...wanted.kinds],
    wanted.messageTypes && [...wanted.messageTypes],
    target.hook?.conversationId ?? null,
    target.hook?.name ?? null,
    target.hook?.secret ?? null,
    target.app?.verified ?? false,
    target.creatorId,
    target.createdAt,
    target.app ? EVENTS_DIALECT : OUTGOING_DIALECT,
  ]);
  return id;
}
