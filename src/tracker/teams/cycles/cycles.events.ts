import type { DomainEvent } from '../../../kernel/events/event.js';
import { constantsOf } from '../../graphql/constants.js';
import { cycleCompletedAt } from '../../values/cycle-times.js';
import { type EventAction, trackerEvent } from '../../events/tracker-events.js';
import type { Cycle } from './cycle.entity.js';
import type { Team } from '../team.entity.js';
import { cycleUrl } from '../../values/urls.js';
import { CycleType } from './cycles.types.js';
import type { ChangeAuthor } from '../teams.events.js';

const { completedIssueCountHistory, completedScopeHistory, inProgressScopeHistory, issueCountHistory, scopeHistory } =
  constantsOf(CycleType);

/** What webhooks and `cycle.*` events say (docs/reference/tracker-webhooks.md#envelope). */
function cycleData(cycle: Cycle, completedAt: Date | null, uncompletedIssuesUponCloseIds: readonly string[]) {
  const { id, createdAt, updatedAt, archivedAt, number, name, description, startsAt, endsAt, teamId } = cycle;
  return {
    id,
    createdAt,
    updatedAt,
    archivedAt,
    number,
    name,
    description,
    startsAt,
    endsAt,
    completedAt,
    teamId,
    uncompletedIssuesUponCloseIds,
    issueCountHistory,
    completedIssueCountHistory,
    scopeHistory,
    completedScopeHistory,
    inProgressScopeHistory,
  };
}

/** `before` for updates: the row as it was. */
export function cycleEvent(
  author: ChangeAuthor,
  action: EventAction,
  cycle: Cycle,
  team: Team,
  uncompletedIds: readonly string[],
  before?: Cycle,
): DomainEvent {
  const completedAt = cycleCompletedAt(cycle, author.at);
  // an end that has passed is not a stored change of `completedAt`
  const stored = cycle.completedAt?.getTime() !== before?.completedAt?.getTime();
  return trackerEvent({
    ...author,
    type: 'Cycle',
    action,
    data: cycleData(cycle, completedAt, uncompletedIds),
    previous: before && cycleData(before, stored ? before.completedAt : completedAt, uncompletedIds),
    url: cycleUrl(author.web, author.viewer.urlKey, team, cycle),
    teams: [team],
  });
}
