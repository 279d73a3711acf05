import { Inject, Injectable } from '@nestjs/common';
import { SETTINGS_TOKEN, type Settings } from '../../kernel/config/settings.js';
import type { Tx } from '../../kernel/database/db.js';
import { RestError } from '../../kernel/http/http-error.js';
import { LOCK_COUNTS, COUNTS, type Counted } from './workspace-counts.queries.js';

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
    await tx.query(LOCK_COUNTS, [workspaceId]);
    for (const what of added) {
      const [row] = await tx.query<{ count: number }>(COUNTS[what], [workspaceId]);
      if ((row?.count ?? 0) > this.most[what]) throw new RestError(409, `too_many_${what}`);
    }
  }
}
