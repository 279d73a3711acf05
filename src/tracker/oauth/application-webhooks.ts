import { Injectable } from '@nestjs/common';
import { Clock } from '../../kernel/clock/clock.js';
import type { Tx } from '../../kernel/database/db.js';
import { newUuid } from '../../kernel/ids/ids.js';
import { DeliveryEngine } from '../../webhooks/delivery-engine.js';
import { DeliveryTarget } from '../../webhooks/delivery-target.entity.js';
import { TRACKER_DIALECT } from '../webhooks/tracker-dialect.js';
import { Webhook } from '../webhooks/webhook.entity.js';
import type { OauthTenant } from '../events/application-events.js';
import type { OauthApplication } from '../store/oauth-application.entity.js';

/** What an application's webhooks have of it. */
export type HookSource = Pick<
  OauthApplication,
  'id' | 'name' | 'webhookUrl' | 'webhookEnabled' | 'webhookResourceTypes' | 'webhookSecret' | 'creatorId'
>;

/** The webhooks of applications, one in each organization where they are authorized (docs/reference/tracker-oauth.md#webhooks). */
@Injectable()
export class ApplicationWebhooks {
  constructor(
    private readonly clock: Clock,
    private readonly engine: DeliveryEngine,
  ) {}

  /** Makes it, or gives it what the application has now; takes it away where the application has none. */
  async put(tx: Tx, { organizationId, tenantId }: OauthTenant, application: HookSource): Promise<void> {
    const { id: applicationId, webhookUrl, webhookEnabled: enabled } = application;
    const where = { organizationId, applicationId };
    const before = await tx.sql.findOneBy(Webhook, where);
    if (webhookUrl === null || application.webhookSecret === null) {
      if (before) await this.remove(tx, organizationId, applicationId);
      return;
    }
    const updatedAt = this.clock.now();
    const values = {
      url: webhookUrl,
      label: application.name,
      resourceTypes: application.webhookResourceTypes,
      enabled,
      secret: application.webhookSecret,
      updatedAt,
    };
    if (before) {
      await tx.sql.update(Webhook, { id: before.id }, values);
      if (before.enabled !== enabled) await this.engine.setEnabled(tx, [before.id], enabled);
      return;
    }
    const id = newUuid();
    await tx.sql.insert(Webhook, {
      ...values,
      ...where,
      id,
      teamId: null,
      allPublicTeams: true,
      creatorId: application.creatorId,
      createdAt: updatedAt,
    });
    await tx.sql.insert(DeliveryTarget, { id, product: TRACKER_DIALECT, tenantId, enabled });
  }

  async remove(tx: Tx, organizationId: string, applicationId: string): Promise<void> {
    const hooks = await tx.sql.findBy(Webhook, { organizationId, applicationId });
    const ids = hooks.map(({ id }) => id);
    if (ids.length === 0) return;
    await tx.sql.delete(Webhook, ids);
    await this.engine.remove(tx, ids);
  }
}
