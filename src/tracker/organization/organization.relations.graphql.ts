import { fieldsOf, page } from '../graphql/relations.js';

export const organizationFields = fieldsOf('Organization', {
  labels: page('IssueLabelConnection', 'filter: IssueLabelFilter'),
  projectStatuses: '[ProjectStatus!]!',
  teams: page('TeamConnection', 'filter: TeamFilter'),
  users: page('UserConnection', 'includeDisabled: Boolean'),
});
