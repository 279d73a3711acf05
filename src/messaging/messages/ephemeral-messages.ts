import { Injectable } from '@nestjs/common';
import { Clock } from '../../kernel/clock/clock.js';
import { Db, type Tx } from '../../kernel/database/db.js';
import { Upkeep } from '../../kernel/database/upkeep.js';
import { ephemeralSent, type EventPlace } from '../events/chat-events.js';
import { screenChanged } from '../events/screen-events.js';
import { closeWire } from '../wire/message-wire.js';
import { MessageLog } from './message-log.js';
import { formatTs } from '../store/message-ts.js';
import {
  INSERT_EPHEMERAL,
  FIND_EPHEMERAL,
  REPLACE_EPHEMERAL,
  REMOVE_EPHEMERAL,
  EPHEMERAL_OF_USER,
  SWEEP_EPHEMERAL,
  RETENTION_MICROS,
  SWEEP_BATCH,
} from './ephemeral-messages.queries.js';

/** A message for one person only. */
export interface EphemeralMessage {
  readonly channel: string;
  /** Microseconds. */
  readonly ts: number;
  /** The app that sent it; null: a person did. */
  readonly appId: string | null;
  /** JSON text, as its reader sees it. */
  readonly wire: string;
}

/** Ephemeral messages: never in the history, kept for half an hour for clicks and for the person's screen. */
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

  /** Stores one and sends it to its reader's sockets. Answers its ts. @param input.open from `openWire` */
  async send(
    tx: Tx,
    place: EventPlace,
    input: { userId: string; appId: string | null; open: string },
  ): Promise<string> {
    const micros = await this.log.nextTs(tx, place.conversation.id);
    const ts = formatTs(micros);
    const wire = closeWire(`${input.open},"is_ephemeral":true`, ts);
    await tx.query(INSERT_EPHEMERAL, [
      place.conversation.id,
      input.userId,
      micros,
      place.workspaceId,
      input.appId,
      wire,
    ]);
    tx.record(ephemeralSent({ ...place, userId: input.userId, open: input.open, ts }));
    if (input.appId !== null) recordScreenChange(tx, place, { userId: input.userId, appId: input.appId });
    return ts;
  }

  /**
   * Replaces an app's message, or removes it.
   * @param input.open from `openWire`; null: remove
   */
  async revise(
    tx: Tx,
    place: EventPlace,
    input: { userId: string; appId: string; ts: number; open: string | null },
  ): Promise<void> {
    const key = [place.conversation.id, input.userId, input.ts, input.appId];
    if (input.open === null) await tx.query(REMOVE_EPHEMERAL, key);
    else
      await tx.query(REPLACE_EPHEMERAL, [...key, closeWire(`${input.open},"is_ephemeral":true`, formatTs(input.ts))]);
    recordScreenChange(tx, place, input);
  }

  /**
   * One that this person may still click on.
   * @param ts microseconds
   */
  async find(workspaceId: string, channel: string, userId: string, ts: number): Promise<EphemeralMessage | null> {
    const [row] = await this.db.read<EphemeralMessage & Record<string, unknown>>(FIND_EPHEMERAL, [
      workspaceId,
      channel,
      userId,
      ts,
      this.clock.nowMicros() - RETENTION_MICROS,
    ]);
    return row ?? null;
  }

  /** What a person sees now, oldest first. */
  ofUser(workspaceId: string, userId: string): Promise<EphemeralMessage[]> {
    return this.db.read<EphemeralMessage & Record<string, unknown>>(EPHEMERAL_OF_USER, [
      workspaceId,
      userId,
      this.clock.nowMicros() - RETENTION_MICROS,
    ]);
  }

  async sweep(stopped = (): boolean => false): Promise<void> {
    while (!stopped() && (await this.db.run(SWEEP_EPHEMERAL, [this.clock.wallOffsetMicros])).length === SWEEP_BATCH);
  }
}

function recordScreenChange(tx: Tx, place: EventPlace, { userId, appId }: { userId: string; appId: string }): void {
  const { tenantId, workspaceId } = place;
  tx.record(screenChanged({ tenantId, workspaceId, userId, appId }));
}
