import { OrganizationType } from './organization.types.js';
import { UserConnection, UserType } from './users/users.types.js';
import { AiPromptRules, PaidSubscription, WelcomeMessage } from '../graphql/references.types.js';
import { countsOfOrganization } from './organization.loaders.js';
import { always, derived, page as connection, relationsOf } from '../graphql/relations.js';
import { page } from '../query/page.js';
import type { Organization } from '../store/organization.entity.js';

/** Fields of the organization that are derived or belong to others. It is always the caller's. */
export const organizationRelations = relationsOf<Organization>(() => OrganizationType, {
  userCount: derived(async (organization, load) => (await load.by(countsOfOrganization, organization.id)).users),
  createdIssueCount: derived(
    async (organization, load) => (await load.by(countsOfOrganization, organization.id)).issues,
  ),
  users: connection(
    () => UserConnection,
    (_organization, { viewer, now }, args, { db }) => page(db, 'User', { viewer, now, args }),
    { includeDisabled: () => Boolean },
  ),
});

/** Users that types which exist for references only would refer to (docs/reference/tracker.md#operations). */
export const userReferenceRelations = [
  relationsOf(() => AiPromptRules, { updatedBy: always(() => UserType, null) }),
  relationsOf(() => WelcomeMessage, { updatedBy: always(() => UserType, null) }),
  relationsOf(() => PaidSubscription, { creator: always(() => UserType, null) }),
] as const;
