import { Injectable } from '@nestjs/common';
import { Clock, sqlNowMicros } from '../../kernel/clock/clock.js';
import { Db, type Tx } from '../../kernel/database/db.js';
import { statement } from '../../kernel/database/statement.js';
import { Upkeep } from '../../kernel/database/upkeep.js';
import { ephemeralSent, type EventPlace } from '../events/chat-events.js';
import { screenChanged } from '../events/screen-events.js';
import { closeWire } from '../wire/message-wire.js';
import { MessageLog } from './message-log.js';
import { formatTs } from './message-ts.js';

/** How long a person sees one and may click on it, by the sandbox's clock: as long as its response_url works. */
const KEPT_MICROS = 30 * 60_000_000;
const SWEPT_AT_ONCE = 2_000;

const INSERT = statement(
  'ephemeral_insert',
  `INSERT INTO ephemeral_messages (conversation_id, user_id, ts, workspace_id, app_id, wire) VALUES ($1, $2, $3, $4, $5, $6)`,
);

const COLUMNS = 'conversation_id AS channel, ts, app_id AS "appId", wire';

const FIND = statement(
  'ephemeral_find',
  `SELECT ${COLUMNS} FROM ephemeral_messages
   WHERE conversation_id = $2 AND user_id = $3 AND ts = $4 AND workspace_id = $1 AND ts > $5`,
);

/** Parameters: conversation, user, ts, app, wire. */
const REPLACE = statement(
  'ephemeral_replace',
  `UPDATE ephemeral_messages SET wire = $5 WHERE conversation_id = $1 AND user_id = $2 AND ts = $3 AND app_id = $4`,
);

const REMOVE = statement(
  'ephemeral_remove',
  `DELETE FROM ephemeral_messages WHERE conversation_id = $1 AND user_id = $2 AND ts = $3 AND app_id = $4`,
);

const OF_USER = statement(
  'ephemeral_of_user',
  `SELECT ${COLUMNS} FROM ephemeral_messages WHERE workspace_id = $1 AND user_id = $2 AND ts > $3 ORDER BY ts LIMIT 200`,
);

/** Each by its own sandbox's time; where that stands still, after a day of real time. */
const SWEEP = statement(
  'ephemeral_sweep',
  `DELETE FROM ephemeral_messages WHERE (conversation_id, user_id, ts) IN (
     SELECT e.conversation_id, e.user_id, e.ts FROM ephemeral_messages e
     JOIN workspaces w ON w.id = e.workspace_id LEFT JOIN sandboxes s ON s.tenant_id = w.tenant_id
     WHERE e.stored_at < now() - interval '1 day'
        OR e.ts < coalesce(s.clock_frozen_at, ${sqlNowMicros('$1')} + coalesce(s.clock_offset, 0)) - ${KEPT_MICROS}
     LIMIT ${SWEPT_AT_ONCE}) RETURNING 1`,
);

/** A message for one person's eyes only. */
export interface EphemeralMessage {
  readonly channel: string;
  /** Microseconds. */
  readonly ts: number;
  /** The app that sent it; null: a person did. */
  readonly appId: string | null;
  /** JSON text, as its reader sees it. */
  readonly wire: string;
}

/** What only one person sees: never in the history, kept for half an hour for clicks and for that person's screen. */
@Injectable()
export class EphemeralMessages {
  constructor(
    private readonly db: Db,
    private readonly clock: Clock,
    private readonly log: MessageLog,
    upkeep: Upkeep,
  ) {
    upkeep.register('forgetting ephemeral messages', 60_000, (stopped) => this.sweep(stopped));
  }

  /** Stores one and tells its reader's sockets. Answers its ts. @param input.open from `openWire` */
  async send(
    tx: Tx,
    place: EventPlace,
    input: { userId: string; appId: string | null; open: string },
  ): Promise<string> {
    const micros = await this.log.nextTs(tx, place.conversation.id);
    const ts = formatTs(micros);
    const wire = closeWire(`${input.open},"is_ephemeral":true`, ts);
    await tx.query(INSERT, [place.conversation.id, input.userId, micros, place.workspaceId, input.appId, wire]);
    tx.record(ephemeralSent({ ...place, userId: input.userId, open: input.open, ts }));
    if (input.appId !== null) tellScreen(tx, place, { userId: input.userId, appId: input.appId });
    return ts;
  }

  /** Puts another message in the place of an app's, or takes it away. @param input.open from `openWire`; null: away */
  async revise(
    tx: Tx,
    place: EventPlace,
    input: { userId: string; appId: string; ts: number; open: string | null },
  ): Promise<void> {
    const key = [place.conversation.id, input.userId, input.ts, input.appId];
    if (input.open === null) await tx.query(REMOVE, key);
    else await tx.query(REPLACE, [...key, closeWire(`${input.open},"is_ephemeral":true`, formatTs(input.ts))]);
    tellScreen(tx, place, input);
  }

  /** One that this person may still click on. @param ts microseconds */
  async find(workspaceId: string, channel: string, userId: string, ts: number): Promise<EphemeralMessage | null> {
    const [row] = await this.db.read<EphemeralMessage & Record<string, unknown>>(FIND, [
      workspaceId,
      channel,
      userId,
      ts,
      this.clock.nowMicros() - KEPT_MICROS,
    ]);
    return row ?? null;
  }

  /** What a person sees now, oldest first. */
  ofUser(workspaceId: string, userId: string): Promise<EphemeralMessage[]> {
    return this.db.read<EphemeralMessage & Record<string, unknown>>(OF_USER, [
      workspaceId,
      userId,
      this.clock.nowMicros() - KEPT_MICROS,
    ]);
  }

  async sweep(stopped = (): boolean => false): Promise<void> {
    while (!stopped() && (await this.db.run(SWEEP, [this.clock.wallOffsetMicros])).length === SWEPT_AT_ONCE);
  }
}

function tellScreen(tx: Tx, place: EventPlace, { userId, appId }: { userId: string; appId: string }): void {
  const { tenantId, workspaceId } = place;
  tx.record(screenChanged({ tenantId, workspaceId, userId, appId }));
}
