import { Injectable } from '@nestjs/common';
import { Clock } from '../../kernel/clock/clock.js';
import { Db } from '../../kernel/database/db.js';
import { statement } from '../../kernel/database/statement.js';
import { Upkeep } from '../../kernel/database/upkeep.js';
import { PublicUrl } from '../../kernel/http/public-url.js';
import { newAlphanumeric, newDigits, newHex, sha256Hex } from '../../kernel/ids/ids.js';
import type { ConversationType } from './conversation.entity.js';

const VALID_MS = 30 * 60_000;
const MOST_USES = 5;
const SWEPT_AT_ONCE = 2_000;

const INSERT = statement(
  'chat_insert_response_url',
  `INSERT INTO response_urls (hash, workspace_id, app_id, conversation_id, user_id, message_ts, expires_at)
   VALUES ($1, $2, $3, $4, $5, $6, $7)`,
);

const LOOK = statement(
  'chat_response_url',
  `SELECT r.uses, r.expires_at > $2 AS fresh FROM response_urls r
   JOIN workspaces w ON w.id = r.workspace_id AND w.deleted_at IS NULL WHERE r.hash = $1`,
);

/** The row's lock and this condition count: of many at once, five get through. */
const TAKE = statement(
  'chat_take_response_url',
  `UPDATE response_urls r SET uses = r.uses + 1 FROM workspaces w, conversations c
   WHERE r.hash = $1 AND r.uses < ${MOST_USES} AND r.expires_at > $2 AND w.id = r.workspace_id AND c.id = r.conversation_id
   RETURNING r.workspace_id AS "workspaceId", w.tenant_id AS "tenantId", r.app_id AS "appId", r.user_id AS "userId",
             r.conversation_id AS "conversationId", c.type, r.message_ts AS "messageTs"`,
);

const SWEEP = statement(
  'chat_sweep_response_urls',
  `DELETE FROM response_urls WHERE hash IN (SELECT hash FROM response_urls WHERE expires_at < $1 LIMIT ${SWEPT_AT_ONCE}) RETURNING 1`,
);

/** What an app may answer to later. */
export interface ResponseContext {
  readonly workspaceId: string;
  readonly appId: string;
  readonly userId: string;
  readonly conversationId: string;
  /** The message that was clicked on, microseconds; null for a command. */
  readonly messageTs: number | null;
}

export interface TakenResponse extends ResponseContext {
  readonly tenantId: number;
  readonly type: ConversationType;
}

/** URLs for answers to commands and clicks: 30 minutes, 5 uses, known by their hash only (messaging.md E.7). */
@Injectable()
export class ResponseUrls {
  /** By URL: what apps answered at once and is being stored. */
  private readonly firstAnswers = new Map<string, Promise<unknown>>();

  constructor(
    private readonly db: Db,
    private readonly clock: Clock,
    private readonly publicUrl: PublicUrl,
    upkeep: Upkeep,
  ) {
    // a day longer than they are good for, so that a late answer hears that it is late
    upkeep.register('forgetting old response URLs', 60_000, (stopped) => this.sweep(stopped));
  }

  /** Forgets all that are old enough, some at a time. */
  async sweep(stopped = (): boolean => false): Promise<void> {
    const before = new Date(this.clock.nowMs() - 24 * 3_600_000);
    while (!stopped() && (await this.db.run(SWEEP, [before])).length === SWEPT_AT_ONCE);
  }

  async issue(context: ResponseContext): Promise<string> {
    const secret = newAlphanumeric(32);
    await this.db.run(INSERT, [
      sha256Hex(secret),
      context.workspaceId,
      context.appId,
      context.conversationId,
      context.userId,
      context.messageTs,
      new Date(this.clock.nowMs() + VALID_MS),
    ]);
    return `${this.publicUrl.base}/api/interactions/respond/${secret}`;
  }

  /** Whether it is still good; it may not be any more when it is taken. */
  async state(secret: string): Promise<'good' | 'expired_url' | 'used_url'> {
    const [row] = await this.db.read<{ uses: number; fresh: boolean }>(LOOK, [sha256Hex(secret), this.clock.now()]);
    if (!row?.fresh) return 'expired_url';
    return row.uses < MOST_USES ? 'good' : 'used_url';
  }

  /**
   * An app that answers at once and then says more at the URL does both within a millisecond: `take` waits while the
   * first answer is `being` stored. Known in this process only; on another replica the order is that of arrival.
   */
  async storeFirst<T>(url: string, being: Promise<T>): Promise<T> {
    const secret = url.slice(url.lastIndexOf('/') + 1);
    this.firstAnswers.set(secret, being);
    try {
      return await being;
    } finally {
      this.firstAnswers.delete(secret);
    }
  }

  /** Uses it once; null when somebody else had the last use. */
  async take(secret: string): Promise<TakenResponse | null> {
    const [row] = await this.db.run<TakenResponse & { [column: string]: unknown }>(TAKE, [
      sha256Hex(secret),
      this.clock.now(),
    ]);
    await this.firstAnswers.get(secret)?.catch(() => undefined); // told where it was asked for
    return row ?? null;
  }
}

/** messaging.md A.10: `<13 digits>.<12 digits>.<24 hex>`. @param nowMs milliseconds since 1970 */
export const newTriggerId = (nowMs: number): string =>
  `${String(nowMs).padStart(13, '0')}.${newDigits(12)}.${newHex(24)}`;
