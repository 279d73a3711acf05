import { relationsOf } from '../graphql/relations.js';
import { page } from '../model/page.js';
import type { Organization } from '../model/rows.js';

/** Fields of the organization that are derived or belong to others. It is always the caller's. */
export const organizationRelations = relationsOf<Organization>('Organization', {
  userCount: async (organization, load) => (await load.countsOfOrganization.load(organization.id)).users,
  createdIssueCount: async (organization, load) => (await load.countsOfOrganization.load(organization.id)).issues,
  projectStatuses: (organization, load) => load.projectStatusesOf.load(organization.id),
  labels: (_organization, { viewer, now }, args, { db }) =>
    page(db, 'IssueLabel', { viewer, now, args, where: (alias) => `${alias}.team_id IS NULL` }),
  teams: (_organization, { viewer, now }, args, { db }) => page(db, 'Team', { viewer, now, args }),
  users: (_organization, { viewer, now }, args, { db }) => page(db, 'User', { viewer, now, args }),
});
