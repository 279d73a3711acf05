import type { DomainEvent } from '../../kernel/events/event.js';
import type { Organization } from '../store/organization.entity.js';
import { trackerEvent } from '../events/tracker-events.js';
import { organizationUrl } from '../values/urls.js';
import type { Viewer } from '../access/viewer.js';

const organizationData = ({ id, name, urlKey, logoUrl, createdAt, updatedAt }: Organization) => ({
  id,
  name,
  urlKey,
  logoUrl,
  createdAt,
  updatedAt,
});

/** `organization.updated` (docs/reference/realtime.md#tracker). Addresses are those that hold after the change. */
export function organizationUpdated(
  context: { viewer: Viewer; web: string; at: Date },
  before: Organization,
  after: Organization,
): DomainEvent {
  return trackerEvent({
    ...context,
    viewer: { ...context.viewer, urlKey: after.urlKey },
    type: 'Organization',
    action: 'update',
    data: organizationData(after),
    previous: organizationData(before),
    url: organizationUrl(context.web, after.urlKey),
  });
}
