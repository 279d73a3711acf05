import type { DomainEvent } from '../../kernel/events/event.js';
import type { Organization } from '../model/rows.js';
import { trackerEvent } from '../model/tracker-events.js';
import { organizationUrl } from '../model/urls.js';
import type { Viewer } from '../model/viewer.js';

const organizationData = ({ id, name, urlKey, logoUrl, createdAt, updatedAt }: Organization) => ({
  id,
  name,
  urlKey,
  logoUrl,
  createdAt,
  updatedAt,
});

/** `organization.updated` (tracker.md j). Addresses are those that hold after the change. */
export function organizationUpdated(
  told: { viewer: Viewer; web: string; at: Date },
  before: Organization,
  after: Organization,
): DomainEvent {
  return trackerEvent({
    ...told,
    viewer: { ...told.viewer, urlKey: after.urlKey },
    type: 'Organization',
    action: 'update',
    data: organizationData(after),
    previous: organizationData(before),
    url: organizationUrl(told.web, after.urlKey),
  });
}
