import { Injectable } from '@nestjs/common';
import { Db } from '../../kernel/database/db.js';
import { statement } from '../../kernel/database/statement.js';
import { Upkeep } from '../../kernel/database/upkeep.js';

const EVERY_MS = 10_000;
/** Rows of one batch, which is one short transaction. */
const BATCH = 2_000;
/** Conversations looked at together. */
const CONVERSATIONS = 50;
/** Any constant does, as long as no other lock of ours takes it. */
const LOCK = 7_430_231;

const TRY_LOCK = statement('chat_removal_lock', `SELECT pg_try_advisory_xact_lock(${LOCK}) AS mine`);

const NEXT = statement(
  'chat_removal_next',
  'SELECT id FROM workspaces WHERE deleted_at IS NOT NULL ORDER BY deleted_at LIMIT 1',
);

const several = `several AS MATERIALIZED (SELECT id FROM conversations WHERE workspace_id = $1 ORDER BY id LIMIT ${CONVERSATIONS})`;

/**
 * In this order, each until nothing is left: what hangs on rows of a step goes with them by foreign key and is bounded.
 * Tokens stay as they are: only hashes, which answer account_inactive for ever.
 */
const STEPS = [
  statement(
    'chat_removal_messages',
    `WITH ${several}, doomed AS MATERIALIZED (
       SELECT m.conversation_id, m.ts FROM several JOIN messages m ON m.conversation_id = several.id LIMIT ${BATCH})
     DELETE FROM messages m USING doomed d WHERE m.conversation_id = d.conversation_id AND m.ts = d.ts RETURNING 1`,
  ),
  statement(
    'chat_removal_members',
    `WITH ${several}, doomed AS MATERIALIZED (
       SELECT m.conversation_id, m.user_id FROM several JOIN members m ON m.conversation_id = several.id LIMIT ${BATCH})
     DELETE FROM members m USING doomed d WHERE m.conversation_id = d.conversation_id AND m.user_id = d.user_id RETURNING 1`,
  ),
  statement(
    'chat_removal_conversations',
    `WITH ${several} DELETE FROM conversations c USING several WHERE c.id = several.id
       AND NOT EXISTS (SELECT FROM messages m WHERE m.conversation_id = c.id) RETURNING 1`,
  ),
  statement(
    'chat_removal_users',
    `DELETE FROM users WHERE (workspace_id, id) IN (SELECT workspace_id, id FROM users WHERE workspace_id = $1 LIMIT ${BATCH})
     RETURNING 1`,
  ),
  statement(
    'chat_removal_response_urls',
    `DELETE FROM response_urls WHERE hash IN (SELECT hash FROM response_urls WHERE workspace_id = $1 LIMIT ${BATCH}) RETURNING 1`,
  ),
  statement(
    'chat_removal_apps',
    `DELETE FROM apps WHERE id IN (SELECT id FROM apps WHERE workspace_id = $1 LIMIT ${BATCH}) RETURNING 1`,
  ),
];

const DELETE_ROW = statement(
  'chat_removal_workspace',
  'DELETE FROM workspaces WHERE id = $1 AND deleted_at IS NOT NULL',
);

/** Takes away the rows of deleted workspaces: in batches, by one replica at a time, so that nobody else notices. */
@Injectable()
export class WorkspaceRemoval {
  constructor(
    private readonly db: Db,
    upkeep: Upkeep,
  ) {
    upkeep.register('removing deleted workspaces', EVERY_MS, (stopped) => this.run(stopped));
  }

  /** Until nothing is left to remove, or somebody else is at it. */
  async run(stopped: () => boolean = () => false): Promise<void> {
    while (!stopped()) {
      const [workspace] = await this.db.read<{ id: string }>(NEXT);
      if (!workspace || !(await this.batch(workspace.id))) return;
    }
  }

  /** One batch of the first step that has something to do. False when another replica is at it. */
  private batch(id: string): Promise<boolean> {
    return this.db.write(async (tx) => {
      const [lock] = await tx.query<{ mine: boolean }>(TRY_LOCK);
      if (!lock?.mine) return false;
      for (const step of STEPS) if ((await tx.query(step, [id])).length > 0) return true;
      await tx.query(DELETE_ROW, [id]);
      return true;
    });
  }
}
