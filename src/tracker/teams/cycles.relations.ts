import { relationsOf } from '../graphql/relations.js';
import { cycleCompletedAt, isActiveCycle, isFutureCycle, isPastCycle } from '../model/cycle-times.js';
import type { Cycle } from '../model/rows.js';

/** What the clock, the team's other cycles and the issues make of a cycle (tracker.md b.10). */
export const cycleRelations = relationsOf<Cycle>('Cycle', {
  completedAt: (cycle, load) => cycleCompletedAt(cycle, load.now),
  isActive: (cycle, load) => isActiveCycle(cycle, load.now),
  isFuture: (cycle, load) => isFutureCycle(cycle, load.now),
  isPast: (cycle, load) => isPastCycle(cycle, load.now),
  isNext: async (cycle, load) => (await load.neighbourhoodOfCycle.load(cycle.id)).isNext,
  isPrevious: async (cycle, load) => (await load.neighbourhoodOfCycle.load(cycle.id)).isPrevious,
  progress: async (cycle, load) => (await load.progressOfCycle.load(cycle.id)).progress,
  team: (cycle, load) => load.team.load(cycle.teamId),
  issues: (cycle, load, args) => load.page('Cycle.issues', cycle.id, args),
  uncompletedIssuesUponClose: (cycle, load, args) => load.page('Cycle.uncompletedIssuesUponClose', cycle.id, args),
});
