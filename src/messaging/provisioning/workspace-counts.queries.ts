import { statement, type Statement } from '../../kernel/database/statement.js';

/* Hand-written: a lock, and counts of several tables. */

/** Objects whose number in a workspace is limited. */
export type Counted = 'subscriptions' | 'outgoing_webhooks' | 'incoming_webhooks' | 'commands' | 'apps';

/** Any constant does, as long as no other lock of ours takes it. */
export const LOCK_COUNTS = statement('chat_lock_counts', 'SELECT pg_advisory_xact_lock(hashtextextended($1, 7430233))');

const countOf = (what: Counted, from: string): Statement =>
  statement(`chat_count_${what}`, `SELECT count(*)::int AS count FROM ${from}`);

export const COUNTS: Readonly<Record<Counted, Statement>> = {
  subscriptions: countOf(
    'subscriptions',
    'event_targets WHERE workspace_id = $1 AND app_id IS NOT NULL AND NOT is_socket',
  ),
  outgoing_webhooks: countOf('outgoing_webhooks', 'event_targets WHERE workspace_id = $1 AND app_id IS NULL'),
  incoming_webhooks: countOf('incoming_webhooks', 'incoming_webhooks WHERE workspace_id = $1'),
  commands: countOf('commands', 'slash_commands WHERE workspace_id = $1'),
  apps: countOf('apps', 'apps WHERE workspace_id = $1 AND NOT is_default AND home_id IS NULL'),
};
