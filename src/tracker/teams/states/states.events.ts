import type { DomainEvent } from '../../../kernel/events/event.js';
import { type EventAction, trackerEvent } from '../../events/tracker-events.js';
import type { WorkflowState } from './workflow-state.entity.js';
import type { Team } from '../../store/team.entity.js';
import { teamUrl } from '../../values/urls.js';
import type { ChangeAuthor } from '../teams.events.js';

/** What `workflowState.*` events say (docs/reference/realtime.md#tracker). */
function stateData(state: WorkflowState): Record<string, unknown> {
  const { id, name, type, color, position, description, teamId, createdAt, updatedAt, archivedAt } = state;
  return { id, name, type, color, position, description, teamId, createdAt, updatedAt, archivedAt };
}

/** `before` for updates: the row as it was. */
export function stateEvent(
  author: ChangeAuthor,
  action: EventAction,
  state: WorkflowState,
  team: Team,
  before?: WorkflowState,
): DomainEvent {
  return trackerEvent({
    ...author,
    type: 'WorkflowState',
    action,
    data: stateData(state),
    previous: before && stateData(before),
    url: teamUrl(author.web, author.viewer.urlKey, team),
    teams: [team],
  });
}
