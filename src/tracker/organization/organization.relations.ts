import { IssueLabelFilter } from '../issues/labels/labels.filters.js';
import { IssueLabelConnection } from '../issues/labels/labels.types.js';
import { OrganizationType } from './organization.types.js';
import { UserConnection } from './users/users.types.js';
import { projectStatuses } from '../projects/statuses/project-status.entity.js';
import { TeamFilter } from '../teams/teams.filters.js';
import { TeamConnection } from '../teams/teams.types.js';
import { statusesOfOrganization } from '../projects/statuses/statuses.loaders.js';
import { countsOfOrganization } from './organization.loaders.js';
import { derived, page as connection, relationsOf, required } from '../graphql/relations.js';
import { page } from '../query/page.js';
import type { Organization } from './organization.entity.js';

/** Fields of the organization that are derived or belong to others. It is always the caller's. */
export const organizationRelations = relationsOf<Organization>(() => OrganizationType, {
  userCount: derived(async (organization, load) => (await load.by(countsOfOrganization, organization.id)).users),
  createdIssueCount: derived(
    async (organization, load) => (await load.by(countsOfOrganization, organization.id)).issues,
  ),
  projectStatuses: required(
    () => [projectStatuses.types.Type],
    (organization, load) => load.by(statusesOfOrganization, organization.id),
  ),
  labels: connection(
    () => IssueLabelConnection,
    (_organization, { viewer, now }, args, { db }) =>
      page(db, 'IssueLabel', { viewer, now, args, where: (alias) => `${alias}.team_id IS NULL` }),
    { filter: () => IssueLabelFilter },
  ),
  teams: connection(
    () => TeamConnection,
    (_organization, { viewer, now }, args, { db }) => page(db, 'Team', { viewer, now, args }),
    { filter: () => TeamFilter },
  ),
  users: connection(
    () => UserConnection,
    (_organization, { viewer, now }, args, { db }) => page(db, 'User', { viewer, now, args }),
    { includeDisabled: () => Boolean },
  ),
});
