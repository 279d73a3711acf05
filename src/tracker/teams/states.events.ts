import type { DomainEvent } from '../../kernel/events/event.js';
import { type EventAction, trackerEvent } from '../model/tracker-events.js';
import type { Team, WorkflowState } from '../model/rows.js';
import { teamUrl } from '../model/urls.js';
import type { Telling } from './teams.events.js';

/** What `workflowState.*` events say (tracker.md j). */
function stateData(state: WorkflowState): Record<string, unknown> {
  const { id, name, type, color, position, description, teamId, createdAt, updatedAt, archivedAt } = state;
  return { id, name, type, color, position, description, teamId, createdAt, updatedAt, archivedAt };
}

/** `before` for updates: the row as it was. */
export function stateEvent(
  telling: Telling,
  action: EventAction,
  state: WorkflowState,
  team: Team,
  before?: WorkflowState,
): DomainEvent {
  return trackerEvent({
    ...telling,
    type: 'WorkflowState',
    action,
    data: stateData(state),
    previous: before && stateData(before),
    url: teamUrl(telling.web, telling.viewer.urlKey, team),
    teams: [team],
  });
}
