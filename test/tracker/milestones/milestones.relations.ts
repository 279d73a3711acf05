import { filterRelations, page, relationsOf, required } from '../../../src/tracker/graphql/relations.js';
import type { Team } from '../../../src/tracker/teams/team.entity.js';
import { TeamFilter } from '../../../src/tracker/teams/teams.filters.js';
import { TeamType } from '../../../src/tracker/teams/teams.types.js';
import { type Milestone, teamMilestones } from './milestone.entity.js';
import { MilestoneFilter } from './milestones.inputs.js';
import { MilestoneConnection, MilestoneType } from './milestones.types.js';

export const milestoneRelations = relationsOf<Milestone>(() => MilestoneType, {
  team: required(
    () => TeamType,
    (milestone, load) => load.row('Team', milestone.teamId),
  ),
});

export const milestonesOfTeam = relationsOf<Team>(() => TeamType, {
  milestones: page(() => MilestoneConnection, teamMilestones, { filter: () => MilestoneFilter }),
});

export const milestoneFilterRelations = filterRelations(() => [MilestoneFilter], { team: () => TeamFilter });
