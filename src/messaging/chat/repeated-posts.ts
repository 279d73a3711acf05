import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Db, type Tx } from '../../kernel/database/db.js';
import { Upkeep } from '../../kernel/database/upkeep.js';
import { WireText } from '../rpc/wire-text.js';
import { withMetadata } from '../wire/message-wire.js';
import { formatTs, parseTs } from '../store/message-ts.js';
import type { Posted } from './posted.js';
import { CLAIM, EARLIER_POST, FORGET_OLD, POSTED } from './repeated-posts.queries.js';

const FORGET_EVERY_MS = 60_000;

/** What makes two posts the same. */
interface PostKey {
  readonly conversationId: string;
  readonly authorId: string;
  readonly clientMsgId: string;
}

/**
 * Posts with a `client_msg_id`: a client that does not know whether its post was done repeats it, and for an hour gets
 * the message that is there. A message that was deleted or reset since does not count.
 */
@Injectable()
export class RepeatedPosts {
  constructor(
    private readonly db: Db,
    upkeep: Upkeep,
  ) {
    upkeep.register('forgetting client_msg_ids', FORGET_EVERY_MS, () => this.db.run(FORGET_OLD));
  }

  /** Posts in a transaction of its own, unless the key was posted before. */
  once(key: PostKey, post: (tx: Tx) => Promise<Posted>): Promise<Posted> {
    const hash = createHash('sha256').update(key.clientMsgId).digest('hex');
    const values = [key.conversationId, key.authorId, hash];
    return this.db.write(async (tx) => {
      const claimed = await tx.query(CLAIM, values);
      const earlier = claimed.length > 0 ? undefined : await this.earlier(tx, values);
      if (earlier) return earlier;
      const posted = await post(tx);
      await tx.query(POSTED, [...values, parseTs(posted.ts)]);
      return posted;
    });
  }

  private async earlier(tx: Tx, values: string[]): Promise<Posted | undefined> {
    const [row] = await tx.query<{ ts: number; wire: string; metadata: string | null }>(EARLIER_POST, values);
    return row && { ts: formatTs(row.ts), message: new WireText(withMetadata(row.wire, row.metadata)) };
  }
}
