import type { DomainEvent } from '../../kernel/events/event.js';
import { isGuest, type User } from '../store/user.entity.js';
import { trackerEvent } from './tracker-events.js';
import { userUrl } from '../values/urls.js';
import type { Viewer } from '../access/viewer.js';

function userData(user: User, url: string): Record<string, unknown> {
  const { id, createdAt, updatedAt, name, displayName, email, active, admin, owner } = user;
  const { avatarUrl, description, timezone, disableReason } = user;
  const known = {
    id,
    createdAt,
    updatedAt,
    name,
    displayName,
    email,
    active,
    admin,
    owner,
    app: user.applicationId !== null,
    guest: isGuest(user),
  };
  return { ...known, avatarUrl, description, timezone, disableReason, url };
}

/**
 * `user.created` for a new user, `user.updated` with the row before the change
 * (docs/reference/tracker-webhooks.md#what-fires, #envelope).
 */
export function userEvent(context: { viewer: Viewer; web: string; at: Date }, user: User, before?: User): DomainEvent {
  const urlOf = (row: User): string => userUrl(context.web, context.viewer.urlKey, row.displayName);
  // a user who changes their own name appears under the new one
  const self = context.viewer.userId === user.id;
  const { name, displayName, avatarUrl } = user;
  return trackerEvent({
    ...context,
    viewer: self ? { ...context.viewer, name, displayName, avatarUrl } : context.viewer,
    type: 'User',
    action: before ? 'update' : 'create',
    data: userData(user, urlOf(user)),
    previous: before && userData(before, urlOf(before)),
    url: urlOf(user),
  });
}
