import type { DomainEvent } from '../../kernel/events/event.js';
import { type EventAction, trackerEvent } from '../events/tracker-events.js';
import type { Team } from '../store/team.entity.js';
import { teamUrl } from '../values/urls.js';
import type { Viewer } from '../access/viewer.js';

/** Who changed something, when, and where its addresses begin. */
export interface ChangeAuthor {
  viewer: Viewer;
  web: string;
  at: Date;
}

/** What `team.*` events say (docs/reference/realtime.md#tracker). */
function teamData(team: Team): Record<string, unknown> {
  const { id, key, name, description, color, createdAt, updatedAt, archivedAt } = team;
  return { id, key, name, description, color, private: team.private, createdAt, updatedAt, archivedAt };
}

/** `before` for updates: the row as it was. Members of a private team alone hear of it. */
export function teamEvent(author: ChangeAuthor, action: EventAction, team: Team, before?: Team): DomainEvent {
  return trackerEvent({
    ...author,
    type: 'Team',
    action,
    data: teamData(team),
    previous: before && teamData(before),
    url: teamUrl(author.web, author.viewer.urlKey, team),
    teams: [team],
  });
}
