import { filterRelations } from '../../graphql/relations.js';
import { NullableTeamFilter } from '../../teams/teams.filters.js';
import { ProjectCollectionFilter } from '../projects.filters.js';
import { ProjectStatusFilter } from './statuses.filters.js';

export const projectStatusFilterRelations = filterRelations(() => [ProjectStatusFilter], {
  projects: () => ProjectCollectionFilter,
  team: () => NullableTeamFilter,
});
