import { IssueCollectionFilter, IssueFilter } from '../../issues/issues.filters.js';
import { IssueConnection } from '../../issues/issues.types.js';
import { CycleFilter, NullableCycleFilter } from './cycles.filters.js';
import { CycleType } from './cycles.types.js';
import { TeamFilter } from '../teams.filters.js';
import { TeamType } from '../teams.types.js';
import { neighbourhoodOfCycle, progressOfCycle } from './cycles.loaders.js';
import { always, derived, filterRelations, page, relationsOf, required } from '../../graphql/relations.js';
import { cycleCompletedAt, isActiveCycle, isFutureCycle, isPastCycle } from '../../values/cycle-times.js';
import { type Cycle, cycleConnections } from './cycle.entity.js';

/**
 * Fields of a cycle derived from the clock, the team's other cycles and the issues (docs/reference/tracker.md#cycle).
 */
export const cycleRelations = relationsOf<Cycle>(() => CycleType, {
  completedAt: derived((cycle, load) => cycleCompletedAt(cycle, load.now)),
  isActive: derived((cycle, load) => isActiveCycle(cycle, load.now)),
  isFuture: derived((cycle, load) => isFutureCycle(cycle, load.now)),
  isPast: derived((cycle, load) => isPastCycle(cycle, load.now)),
  isNext: derived(async (cycle, load) => (await load.by(neighbourhoodOfCycle, cycle.id)).isNext),
  isPrevious: derived(async (cycle, load) => (await load.by(neighbourhoodOfCycle, cycle.id)).isPrevious),
  progress: derived(async (cycle, load) => (await load.by(progressOfCycle, cycle.id)).progress),
  team: required(
    () => TeamType,
    (cycle, load) => load.row('Team', cycle.teamId),
  ),
  issues: page(() => IssueConnection, cycleConnections.issues, { filter: () => IssueFilter }),
  uncompletedIssuesUponClose: page(
    () => IssueConnection,
    (cycle, load, args) => load.page(cycleConnections.uncompletedIssuesUponClose, cycle.id, args),
    { filter: () => IssueFilter },
  ),
  inheritedFrom: always(() => CycleType, null),
});

export const cycleFilterRelations = filterRelations(() => [CycleFilter, NullableCycleFilter], {
  issues: () => IssueCollectionFilter,
  team: () => TeamFilter,
});
