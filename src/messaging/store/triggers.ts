import { Inject, Injectable } from '@nestjs/common';
import { Clock } from '../../kernel/clock/clock.js';
import { SETTINGS_TOKEN, type Settings } from '../../kernel/config/settings.js';
import { Db, type Tx } from '../../kernel/database/db.js';
import { statement } from '../../kernel/database/statement.js';
import { Upkeep } from '../../kernel/database/upkeep.js';
import { newDigits, newHex } from '../../kernel/ids/ids.js';
import { MessagingError } from '../wire/codes.js';

/** How long a trigger is known, in hours of real time. */
const KEPT_HOURS = 24;
const SWEPT_AT_ONCE = 2_000;

const INSERT = statement(
  'chat_insert_trigger',
  `INSERT INTO triggers (id, workspace_id, app_id, user_id, expires_at) VALUES ($1, $2, $3, $4, $5)`,
);

const LOCK = statement(
  'chat_lock_trigger',
  `SELECT user_id AS "userId", expires_at <= $4 AS expired, exchanged FROM triggers
   WHERE id = $1 AND workspace_id = $2 AND app_id = $3 FOR UPDATE`,
);

const EXCHANGE = statement('chat_exchange_trigger', 'UPDATE triggers SET exchanged = true WHERE id = $1');

const SWEEP = statement(
  'chat_sweep_triggers',
  `DELETE FROM triggers WHERE id IN (SELECT id FROM triggers WHERE created_at < now() - interval '${KEPT_HOURS} hours' LIMIT ${SWEPT_AT_ONCE}) RETURNING 1`,
);

const FORM = /^\d{13}\.\d{12}\.[0-9a-f]{24}$/;

/** Trigger ids: what a person did, which its app may exchange once, within seconds, for a view. */
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

  /** A new one, bound to app and person; its time runs from now. */
  async issue(of: { workspaceId: string; appId: string; userId: string }): Promise<string> {
    const nowMs = this.clock.nowMs();
    const id = `${String(nowMs).padStart(13, '0')}.${newDigits(12)}.${newHex(24)}`;
    const expiresAt = new Date(nowMs + this.settings.triggerSeconds * 1000);
    await this.db.run(INSERT, [id, of.workspaceId, of.appId, of.userId, expiresAt]);
    return id;
  }

  /**
   * Uses it up with this transaction: one that is rolled back leaves it as it was. Answers whose it is.
   * @throws MessagingError invalid_trigger_id, expired_trigger_id, exchanged_trigger_id
   */
  async exchange(tx: Tx, app: { workspaceId: string; appId: string }, id: string): Promise<string> {
    if (!FORM.test(id)) throw new MessagingError('invalid_trigger_id');
    const [row] = await tx.query<{ userId: string; expired: boolean; exchanged: boolean }>(LOCK, [
      id,
      app.workspaceId,
      app.appId,
      this.clock.now(),
    ]);
    if (!row) throw new MessagingError('invalid_trigger_id');
    if (row.expired) throw new MessagingError('expired_trigger_id');
    if (row.exchanged) throw new MessagingError('exchanged_trigger_id');
    await tx.query(EXCHANGE, [id]);
    return row.userId;
  }

  /** Forgets those that ended long ago, some at a time. */
  async sweep(stopped = (): boolean => false): Promise<void> {
    while (!stopped() && (await this.db.run(SWEEP)).length === SWEPT_AT_ONCE);
  }
}
