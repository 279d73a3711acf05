import { filterKeysOf } from '../graphql/relations.js';

export const projectStatusFilterKeys = filterKeysOf(['ProjectStatusFilter'], {
  projects: 'ProjectCollectionFilter',
  team: 'NullableTeamFilter',
});
