import { Inject, Injectable } from '@nestjs/common';
import { Clock } from '../../kernel/clock/clock.js';
import { SETTINGS_TOKEN, type Settings } from '../../kernel/config/settings.js';
import { Db, type Tx } from '../../kernel/database/db.js';
import { Upkeep } from '../../kernel/database/upkeep.js';
import { newTriggerId } from '../../kernel/ids/ids.js';
import { MessagingError } from '../wire/codes.js';
import { INSERT_TRIGGER, LOCK_TRIGGER, EXCHANGE_TRIGGER, SWEEP_TRIGGERS, SWEEP_BATCH } from './triggers.queries.js';

const FORM = /^\d{13}\.\d{12}\.[0-9a-f]{24}$/;

interface SpentTrigger extends Record<string, unknown> {
  userId: string;
  conversationId: string | null;
  expired: boolean;
  exchanged: boolean;
}

/** Trigger ids: record a person's action, which its app may exchange once, within seconds, for a view. */
@Injectable()
export class Triggers {
  constructor(
    @Inject(SETTINGS_TOKEN) private readonly settings: Settings,
    private readonly db: Db,
    private readonly clock: Clock,
    upkeep: Upkeep,
  ) {
    upkeep.register('forgetting old trigger ids', 60_000, (stopped) => this.sweep(stopped));
  }

  /** A new one, bound to app and person; its time runs from now. @param tx where it belongs to other changes */
  async issue(
    of: {
      workspaceId: string;
      appId: string;
      userId: string;
      /** Where the person acted; absent: nowhere. */
      conversationId?: string | undefined;
      /** How long it is good; absent: as the settings say. */
      seconds?: number;
    },
    tx?: Tx,
  ): Promise<string> {
    const nowMs = this.clock.nowMs();
    const id = newTriggerId(nowMs);
    const expiresAt = new Date(nowMs + (of.seconds ?? this.settings.triggerSeconds) * 1000);
    const values = [id, of.workspaceId, of.appId, of.userId, expiresAt, of.conversationId ?? null];
    await (tx ? tx.query(INSERT_TRIGGER, values) : this.db.run(INSERT_TRIGGER, values));
    return id;
  }

  /**
   * Uses it up in this transaction: a rollback restores it. Returns its person.
   * @throws MessagingError invalid_trigger_id, expired_trigger_id, exchanged_trigger_id
   */
  async exchange(tx: Tx, app: { workspaceId: string; appId: string }, id: string): Promise<string> {
    return (await this.spend(tx, app, id)).userId;
  }

  /** The same with where the person acted. */
  async spend(
    tx: Tx,
    app: { workspaceId: string; appId: string },
    id: string,
  ): Promise<{ userId: string; conversationId: string | null }> {
    if (!FORM.test(id)) throw new MessagingError('invalid_trigger_id');
    const [row] = await tx.query<SpentTrigger>(LOCK_TRIGGER, [id, app.workspaceId, app.appId, this.clock.now()]);
    if (!row) throw new MessagingError('invalid_trigger_id');
    if (row.expired) throw new MessagingError('expired_trigger_id');
    if (row.exchanged) throw new MessagingError('exchanged_trigger_id');
    await tx.query(EXCHANGE_TRIGGER, [id]);
    return row;
  }

  /** Deletes expired ones, a limited number at a time. */
  async sweep(stopped = (): boolean => false): Promise<void> {
    while (!stopped() && (await this.db.run(SWEEP_TRIGGERS)).length === SWEEP_BATCH);
  }
}
