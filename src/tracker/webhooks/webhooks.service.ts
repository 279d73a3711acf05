import { Injectable } from '@nestjs/common';
import { In, IsNull, Not } from 'typeorm';
import { Clock } from '../../kernel/clock/clock.js';
import { Db, type Tx } from '../../kernel/database/db.js';
import { PublicUrl } from '../../kernel/http/public-url.js';
import { newAlphanumeric, newUuid } from '../../kernel/ids/ids.js';
import { DeliveryEngine } from '../../webhooks/delivery-engine.js';
import { DeliveryTarget } from '../../webhooks/delivery-target.entity.js';
import { Access } from '../access/access.js';
import { brokenRule, forbidden, idAlreadyUsed, unknownReference } from '../values/errors.js';
import { mutate } from '../events/mutation.js';
import { Webhook } from './webhook.entity.js';
import { differences } from '../store/differences.js';
import { insertUnlessTaken } from '../../kernel/database/insert-unless-taken.js';
import type { Viewer } from '../access/viewer.js';
import { TRACKER_DIALECT } from './tracker-dialect.js';
import { webhookEvent } from './webhooks.events.js';
import { webFor } from '../values/urls.js';

const newSecret = (): string => `svc_wh_${newAlphanumeric(40)}`;

/** The input for a new webhook, by GraphQL and REST alike (docs/reference/tracker.md#webhook, #rest). */
export interface NewWebhook {
  id?: string | null;
  url: string;
  resourceTypes: string[];
  label?: string | null;
  /** UUID or key. */
  teamId?: string | null;
  allPublicTeams?: boolean | null;
  enabled?: boolean | null;
  secret?: string | null;
}

export type WebhookChange = Partial<Pick<Webhook, 'url' | 'resourceTypes' | 'label' | 'enabled' | 'secret'>>;

/** Webhooks of an organization: one table behind GraphQL and REST, for admins alone. */
@Injectable()
export class WebhooksService {
  constructor(
    private readonly db: Db,
    private readonly access: Access,
    private readonly engine: DeliveryEngine,
    private readonly clock: Clock,
    private readonly publicUrl: PublicUrl,
  ) {}

  /** Reading needs it too. Before any id is looked for (docs/reference/tracker.md#team). @throws forbidden */
  requireAdmin(viewer: Viewer): void {
    if (!viewer.admin) throw forbidden('You need to be an admin to manage webhooks.');
  }

  /** Those that the caller sees, newest first, with their secrets in clear. */
  async list({ organizationId, hiddenTeamIds }: Viewer): Promise<Webhook[]> {
    const rows = await this.db.load((entities) =>
      entities.find(Webhook, {
        where: [
          { organizationId, teamId: IsNull() },
          { organizationId, teamId: Not(In(hiddenTeamIds)) },
        ],
        order: { createdAt: 'DESC', id: 'DESC' },
      }),
    );
    return rows.map((row) => ({ ...row, secret: this.db.secrets.open(row.secret) }));
  }

  /** @throws forbidden; brokenRule; unknownReference `teamId`; idTaken */
  create(viewer: Viewer, input: NewWebhook) {
    this.requireAdmin(viewer);
    const teamGiven = typeof input.teamId === 'string';
    if (teamGiven && input.allPublicTeams === true) {
      const presentable = 'A webhook is for one team or for all public teams, not for both.';
      throw brokenRule('teamId and allPublicTeams exclude each other', presentable);
    }
    return mutate(this.db, viewer, async (tx) => {
      const team = teamGiven ? await this.access.teams.find(viewer, input.teamId as string, tx, 'use') : undefined;
      if (teamGiven && !team) throw unknownReference('teamId');
      const at = this.clock.now();
      const webhook = await insertUnlessTaken(tx, Webhook, {
        id: input.id ?? newUuid(),
        organizationId: viewer.organizationId,
        url: input.url,
        label: input.label ?? null,
        resourceTypes: input.resourceTypes,
        teamId: team?.id ?? null,
        allPublicTeams: team === undefined,
        enabled: input.enabled ?? true,
        secret: this.db.secrets.seal(input.secret ?? newSecret()),
        creatorId: viewer.userId,
        createdAt: at,
        updatedAt: at,
      });
      if (!webhook) throw idAlreadyUsed('Webhook', input.id as string);
      const { id: targetId, enabled } = webhook;
      await tx.sql.insert(DeliveryTarget, {
        id: targetId,
        product: TRACKER_DIALECT,
        tenantId: viewer.tenantId,
        enabled,
      });
      tx.record(webhookEvent({ viewer, web: webFor(this.publicUrl.base, viewer), at }, 'create', webhook));
      return { webhook };
    });
  }

  /**
   * Switching it on again starts afresh: no old failures, nothing queued
   * (docs/reference/tracker-webhooks.md#delivery). @throws forbidden; notFound
   */
  update(viewer: Viewer, id: string, change: WebhookChange) {
    this.requireAdmin(viewer);
    return mutate(this.db, viewer, async (tx) => ({ webhook: await this.change(tx, viewer, id, change) }));
  }

  /** Deliveries from now on, retries included, are signed with the new one. @throws forbidden; notFound */
  async rotateSecret(viewer: Viewer, id: string) {
    this.requireAdmin(viewer);
    return mutate(this.db, viewer, async (tx) => {
      const secret = newSecret();
      await this.change(tx, viewer, id, { secret });
      return { secret };
    });
  }

  /** @throws forbidden; notFound */
  delete(viewer: Viewer, id: string) {
    this.requireAdmin(viewer);
    return mutate(this.db, viewer, async (tx) => {
      const webhook = await this.access.webhooks.forUpdate(tx, viewer, id);
      await tx.sql.delete(Webhook, { id: webhook.id });
      await this.engine.remove(tx, [webhook.id]);
      tx.record(
        webhookEvent({ viewer, web: webFor(this.publicUrl.base, viewer), at: this.clock.now() }, 'remove', webhook),
      );
      return { entityId: webhook.id };
    });
  }

  private async change(tx: Tx, viewer: Viewer, id: string, wanted: WebhookChange): Promise<Webhook> {
    const before = await this.access.webhooks.forUpdate(tx, viewer, id);
    const change = differences({ ...before, secret: this.db.secrets.open(before.secret) }, wanted);
    if (Object.keys(change).length === 0) return before;
    if (change.secret !== undefined) change.secret = this.db.secrets.seal(change.secret);
    const at = this.clock.now();
    const values = { ...change, updatedAt: at };
    await tx.sql.update(Webhook, { id: before.id }, values);
    const after = { ...before, ...values };
    if (change.enabled !== undefined) await this.engine.setEnabled(tx, [before.id], change.enabled);
    tx.record(webhookEvent({ viewer, web: webFor(this.publicUrl.base, viewer), at }, 'update', after, before));
    return after;
  }
}
