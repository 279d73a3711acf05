import type { Tx } from '../../kernel/database/db.js';
import { statement } from '../../kernel/database/statement.js';
import { newId } from '../../kernel/ids/ids.js';
import { wantedEvents, type WantedEvents } from './event-names.js';

/** The engine's row goes with ours: one statement, so that neither is ever without the other. */
const INSERT_TARGET = statement(
  'chat_insert_event_target',
  `WITH ours AS (
     INSERT INTO event_targets (id, tenant_id, workspace_id, app_id, url, names, kinds, message_types, conversation_id, name,
       secret, verified, creator_id, created_at, scoped_app_id)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $16)
     RETURNING id, tenant_id)
   INSERT INTO delivery_targets (id, product, tenant_id) SELECT id, $15, tenant_id FROM ours`,
  { seals: [11] },
);

const TENANT = statement('chat_tenant_of_workspace', 'SELECT tenant_id AS id FROM workspaces WHERE id = $1');

/** Names of our dialects in `delivery_targets.product`. */
export const EVENTS_DIALECT = 'chat.events';
export const OUTGOING_DIALECT = 'chat.outgoing';
export const SOCKETS_DIALECT = 'chat.sockets';

const INSERT_SOCKET_TARGET = statement(
  'chat_insert_socket_target',
  `WITH ours AS (
     INSERT INTO event_targets (id, tenant_id, workspace_id, app_id, url, names, kinds, message_types, creator_id, created_at,
       is_socket, open_until)
     SELECT $1, w.tenant_id, w.id, $3, '', $4, $5, $6, $7, $8, true, CASE WHEN $9::boolean THEN now() END
       FROM workspaces w WHERE w.id = $2
     ON CONFLICT (app_id, url) WHERE app_id IS NOT NULL DO NOTHING
     RETURNING id, tenant_id)
   INSERT INTO delivery_targets (id, product, tenant_id) SELECT id, $10, tenant_id FROM ours RETURNING id`,
);

/** An app's sockets hear of these kinds: always, or only while one is open or was lately. Nothing where they do already. */
export async function insertSocketTarget(
  tx: Tx,
  target: {
    workspaceId: string;
    appId: string;
    names: readonly string[];
    creatorId: string;
    createdAt: number;
    whileOpen?: boolean;
  },
): Promise<void> {
  const wanted: WantedEvents = wantedEvents(target.names);
  await tx.query(INSERT_SOCKET_TARGET, [
    newId('Es'),
    target.workspaceId,
    target.appId,
    [...wanted.names],
    [...wanted.kinds],
    wanted.messageTypes && [...wanted.messageTypes],
    target.creatorId,
    target.createdAt,
    target.whileOpen ?? false,
    SOCKETS_DIALECT,
  ]);
}

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
  readonly hook?: {
    readonly name: string;
    readonly secret: string;
    readonly conversationId: string | null;
    /** The app that made it: it hears what that app may. */
    readonly scopedAppId?: string | undefined;
  };
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
    target.hook?.scopedAppId ?? null,
  ]);
  return id;
}

/** A target of any kind, for many at once. */
export interface TargetToMake {
  readonly tenantId: number;
  readonly workspaceId: string;
  /** Absent: an outgoing webhook. */
  readonly appId?: string | undefined;
  /** Absent for sockets. */
  readonly url?: string | undefined;
  readonly socket?: 'always' | 'while_open';
  /** Valid names; absent: all nine kinds. */
  readonly names?: readonly string[] | undefined;
  readonly name?: string | undefined;
  readonly secret?: string | undefined;
  readonly conversationId?: string | null | undefined;
  readonly creatorId: string;
  /** Microseconds. */
  readonly createdAt: number;
}

/** What a statement that stores targets is made of; `rows` is the parameter with them. */
export const insertTargetsParts = (rows: string): string => `
   t AS MATERIALIZED (
     SELECT r.*, p.product, p.while_open FROM jsonb_populate_recordset(NULL::event_targets, ${rows}::jsonb) r
     JOIN jsonb_to_recordset(${rows}::jsonb) AS p (id text, product text, while_open boolean) USING (id)),
   ours AS (
     INSERT INTO event_targets (id, tenant_id, workspace_id, app_id, url, names, kinds, message_types, conversation_id, name,
       secret, verified, creator_id, created_at, is_socket, open_until)
     SELECT id, tenant_id, workspace_id, app_id, url, names, kinds, message_types, conversation_id, name,
       secret, false, creator_id, created_at, is_socket, CASE WHEN while_open THEN now() END
     FROM t ON CONFLICT (app_id, url) WHERE app_id IS NOT NULL DO NOTHING RETURNING id),
   engines AS (
     INSERT INTO delivery_targets (id, product, tenant_id) SELECT t.id, t.product, t.tenant_id FROM t JOIN ours o ON o.id = t.id)`;

const INSERT_TARGETS = statement('chat_insert_event_targets', `WITH ${insertTargetsParts('$1')} SELECT 1 FROM ours`);

/** Stores targets; a subscription whose app has the URL already is left out. Answers their ids in order. */
export async function insertTargets(tx: Tx, targets: readonly TargetToMake[]): Promise<string[]> {
  const rows = targetRows(tx, targets);
  await tx.query(INSERT_TARGETS, [JSON.stringify(rows)]);
  return rows.map(({ id }) => id);
}

/** As `insertTargetsParts` takes them. */
export const targetRows = (tx: Tx, targets: readonly TargetToMake[]) =>
  targets.map((target) => {
    const wanted: WantedEvents = wantedEvents(target.names);
    const product = target.socket ? SOCKETS_DIALECT : target.appId === undefined ? OUTGOING_DIALECT : EVENTS_DIALECT;
    return {
      id: newId(target.appId === undefined ? 'Ow' : 'Es'),
      tenant_id: target.tenantId,
      workspace_id: target.workspaceId,
      app_id: target.appId ?? null,
      url: target.url ?? '',
      names: [...wanted.names],
      kinds: [...wanted.kinds],
      message_types: wanted.messageTypes && [...wanted.messageTypes],
      conversation_id: target.conversationId ?? null,
      name: target.name ?? null,
      secret: target.secret === undefined ? null : tx.secrets.seal(target.secret),
      creator_id: target.creatorId,
      created_at: target.createdAt,
      is_socket: target.socket !== undefined,
      while_open: target.socket === 'while_open',
      product,
    };
  });
