import { always, derived, relationsOf } from '../../graphql/relations.js';
import { cycleCompletedAt, isActiveCycle, isFutureCycle, isPastCycle } from '../../values/cycle-times.js';
import { type Cycle, cycles } from './cycle.entity.js';
import { neighbourhoodOfCycle, progressOfCycle } from './cycles.loaders.js';

/**
 * Fields of a cycle derived from the clock, the team's other cycles and the issues (docs/reference/tracker.md#cycle).
 */
export const cycleRelations = relationsOf<Cycle>(() => cycles.types.Type, {
  completedAt: derived((cycle, load) => cycleCompletedAt(cycle, load.now)),
  isActive: derived((cycle, load) => isActiveCycle(cycle, load.now)),
  isFuture: derived((cycle, load) => isFutureCycle(cycle, load.now)),
  isPast: derived((cycle, load) => isPastCycle(cycle, load.now)),
  isNext: derived(async (cycle, load) => (await load.by(neighbourhoodOfCycle, cycle.id)).isNext),
  isPrevious: derived(async (cycle, load) => (await load.by(neighbourhoodOfCycle, cycle.id)).isPrevious),
  progress: derived(async (cycle, load) => (await load.by(progressOfCycle, cycle.id)).progress),
  inheritedFrom: always(() => cycles.types.Type, null),
});
