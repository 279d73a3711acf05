import { Inject, Injectable } from '@nestjs/common';
import { SETTINGS_TOKEN, type Settings } from '../../kernel/config/settings.js';
import type { Tx } from '../../kernel/database/db.js';
import { statement, type Statement } from '../../kernel/database/statement.js';
import { RestError } from '../../kernel/http/http-error.js';

/** What a workspace may have a certain number of. */
export type Counted = 'subscriptions' | 'outgoing_webhooks' | 'incoming_webhooks' | 'commands' | 'apps';

/** Any constant does, as long as no other lock of ours takes it. */
const LOCK = statement('chat_lock_counts', 'SELECT pg_advisory_xact_lock(hashtextextended($1, 7430233))');

const count = (what: Counted, from: string): Statement =>
  statement(`chat_count_${what}`, `SELECT count(*)::int AS count FROM ${from}`);

const COUNTS: Readonly<Record<Counted, Statement>> = {
  subscriptions: count(
    'subscriptions',
    'event_targets WHERE workspace_id = $1 AND app_id IS NOT NULL AND NOT is_socket',
  ),
  outgoing_webhooks: count('outgoing_webhooks', 'event_targets WHERE workspace_id = $1 AND app_id IS NULL'),
  incoming_webhooks: count('incoming_webhooks', 'incoming_webhooks WHERE workspace_id = $1'),
  commands: count('commands', 'slash_commands WHERE workspace_id = $1'),
  apps: count('apps', 'apps WHERE workspace_id = $1 AND NOT is_default'),
};

/** Bounds on what people and apps may add to a workspace (SVC_MAX_…). */
@Injectable()
export class WorkspaceCounts {
  private readonly most: Readonly<Record<Counted, number>>;

  constructor(@Inject(SETTINGS_TOKEN) settings: Settings) {
    this.most = {
      subscriptions: settings.maxSubscriptions,
      outgoing_webhooks: settings.maxOutgoingWebhooks,
      incoming_webhooks: settings.maxIncomingWebhooks,
      commands: settings.maxCommands,
      apps: settings.maxApps,
    };
  }

  /** After something was added, in the same transaction. @throws RestError 409 too_many_…, which takes it back */
  async check(tx: Tx, workspaceId: string, ...added: readonly Counted[]): Promise<void> {
    await tx.query(LOCK, [workspaceId]);
    for (const what of added) {
      const [row] = await tx.query<{ count: number }>(COUNTS[what], [workspaceId]);
      if ((row?.count ?? 0) > this.most[what]) throw new RestError(409, `too_many_${what}`);
    }
  }
}
