import type { DomainEvent } from '../../kernel/events/event.js';
import type { Webhook } from '../model/rows.js';
import { trackerEvent, type EventAction } from '../model/tracker-events.js';
import { webhookUrl } from '../model/urls.js';
import type { Viewer } from '../model/viewer.js';

/** Never the secret (tracker.md j). */
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
  told: { viewer: Viewer; web: string; at: Date },
  action: EventAction,
  webhook: Webhook,
  before?: Webhook,
): DomainEvent {
  return trackerEvent({
    ...told,
    type: 'Webhook',
    action,
    data: webhookData(webhook),
    previous: before && webhookData(before),
    url: webhookUrl(told.web, told.viewer.urlKey, webhook.id),
    adminsOnly: true,
  });
}
