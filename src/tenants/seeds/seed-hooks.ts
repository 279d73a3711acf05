import { Injectable } from '@nestjs/common';
import { Clock } from '../../kernel/clock/clock.js';
import type { Tx } from '../../kernel/database/db.js';
import { PublicUrl } from '../../kernel/http/public-url.js';
import { newAlphanumeric, newId } from '../../kernel/ids/ids.js';
import { insertTargets } from '../../messaging/events/event-targets.js';
import { HookSecrets } from '../../messaging/installing/hook-secrets.js';
import { INSERT_INCOMING } from '../../messaging/provisioning/seeds.queries.js';
import type { KnownObjects, KnownApp, SeedContext } from './known-objects.js';
import type { Seed } from './seed-types.js';

/** Incoming and outgoing webhooks of a document. */
@Injectable()
export class SeedHooks {
  constructor(
    private readonly secrets: HookSecrets,
    private readonly publicUrl: PublicUrl,
    private readonly clock: Clock,
  ) {}

  /** Returns the objects that refs name. */
  async add(
    tx: Tx,
    context: SeedContext,
    { incoming, outgoing }: Seed,
    known: KnownObjects,
  ): Promise<Record<string, object>> {
    const refs: Record<string, object> = {};
    const { tenantId, workspaceId, adminId: creatorId } = context;
    const createdAt = this.clock.nowMicros();
    const rows = incoming.map(({ app: appName, channel, name, icons, ref }) => {
      const id = newId('B');
      const app = known.apps.get(appName) as KnownApp;
      if (ref !== undefined) refs[ref] = { id, url: this.urlOf(id) };
      return {
        id,
        app_id: app.id,
        conversation_id: known.channels.get(channel)?.id,
        name: name ?? app.name,
        icons,
      };
    });
    if (rows.length > 0) await tx.query(INSERT_INCOMING, [workspaceId, JSON.stringify(rows), creatorId, createdAt]);
    const targets = outgoing.map(({ url, events, name, channel }) => ({
      tenantId,
      workspaceId,
      url,
      names: events,
      name,
      secret: newAlphanumeric(32),
      conversationId: channel === undefined ? null : (known.channels.get(channel)?.id ?? null),
      creatorId,
      createdAt,
    }));
    const ids = targets.length > 0 ? await insertTargets(tx, targets) : [];
    for (const [i, { ref, url }] of outgoing.entries()) {
      if (ref !== undefined) refs[ref] = { id: ids[i], url, secret: targets[i]?.secret };
    }
    return refs;
  }

  /** The URL of an incoming webhook. */
  urlOf(id: string): string {
    return `${this.publicUrl.base}/api/webhooks/incoming/${id}/${this.secrets.of(id)}`;
  }
}
