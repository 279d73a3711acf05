import type { DomainEvent } from '../../kernel/events/event.js';
import type { Webhook } from './webhook.entity.js';
import { trackerEvent, type EventAction } from '../events/tracker-events.js';
import { webhookUrl } from '../values/urls.js';
import type { Viewer } from '../access/viewer.js';

/** Never the secret (docs/reference/realtime.md#tracker). */
const webhookData = (webhook: Webhook) => ({
  id: webhook.id,
  url: webhook.url,
  label: webhook.label,
  enabled: webhook.enabled,
  resourceTypes: webhook.resourceTypes,
  teamId: webhook.teamId,
  allPublicTeams: webhook.allPublicTeams,
  createdAt: webhook.createdAt,
  updatedAt: webhook.updatedAt,
});

/** `webhook.*`, which admins alone hear of. `before` for updates: the row as it was. */
export function webhookEvent(
  context: { viewer: Viewer; web: string; at: Date },
  action: EventAction,
  webhook: Webhook,
  before?: Webhook,
): DomainEvent {
  return trackerEvent({
    ...context,
    type: 'Webhook',
    action,
    data: webhookData(webhook),
    previous: before && webhookData(before),
    url: webhookUrl(context.web, context.viewer.urlKey, webhook.id),
    adminsOnly: true,
  });
}
