import type { Tx } from '../../kernel/database/db.js';
import { newId } from '../../kernel/ids/ids.js';
import { wantedEvents, type WantedEvents } from './event-names.js';
import { INSERT_TARGET, TENANT_OF_WORKSPACE, INSERT_SOCKET_TARGET, INSERT_TARGETS } from './event-targets.queries.js';

/** Names of our dialects in `delivery_targets.product`. */
export const EVENTS_DIALECT = 'chat.events';
export const OUTGOING_DIALECT = 'chat.outgoing';
export const SOCKETS_DIALECT = 'chat.sockets';

/**
 * Subscribes an app's sockets to these kinds: always, or only while one is open or was recently. Does nothing if they
 * are subscribed already.
 */
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
    /** The app that made it: it receives what that app may see. */
    readonly scopedAppId?: string | undefined;
  };
}

/** Stores an event subscription or an outgoing webhook; events are queued for it from now on. Returns its id. */
export async function insertTarget(tx: Tx, target: NewTarget): Promise<string> {
  const id = newId(target.app ? 'Es' : 'Ow');
  const [tenant] = await tx.query<{ id: number }>(TENANT_OF_WORKSPACE, [target.workspaceId]);
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

/** Stores targets; a subscription whose app has the URL already is left out. Returns their ids in order. */
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
