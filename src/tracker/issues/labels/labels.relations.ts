import { IssueFilter } from '../issues.filters.js';
import { IssueConnection } from '../issues.types.js';
import { IssueLabelCollectionFilter, IssueLabelFilter } from './labels.filters.js';
import { LabelGroupType } from '../../labels/label-group.js';
import { IssueLabelConnection, IssueLabelType } from './labels.types.js';
import { OrganizationType } from '../../organization/organization.types.js';
import { NullableUserFilter } from '../../organization/users/users.filters.js';
import { UserType } from '../../organization/users/users.types.js';
import { NullableTeamFilter } from '../../teams/teams.filters.js';
import { TeamType } from '../../teams/teams.types.js';
import { organizationById } from '../../organization/organization.loaders.js';
import { always, derived, filterRelations, nullable, page, relationsOf, required } from '../../graphql/relations.js';
import { page as pageOf } from '../../query/page.js';
import type { Organization } from '../../store/organization.entity.js';
import { type Team, teamConnections } from '../../store/team.entity.js';
import { type IssueLabel, issueLabelConnections } from './issue-label.entity.js';

export const issueLabelRelations = relationsOf<IssueLabel>(() => IssueLabelType, {
  groupType: derived((label) => (label.isGroup ? LabelGroupType.singleSelect : null)),
  children: page(() => IssueLabelConnection, issueLabelConnections.children, { filter: () => IssueLabelFilter }),
  creator: nullable(
    () => UserType,
    (label, load) => load.row('User', label.creatorId),
  ),
  issues: page(() => IssueConnection, issueLabelConnections.issues, { filter: () => IssueFilter }),
  organization: required(
    () => OrganizationType,
    (label, load) => load.by(organizationById, label.organizationId),
  ),
  parent: nullable(
    () => IssueLabelType,
    (label, load) => load.row('IssueLabel', label.parentId),
  ),
  team: nullable(
    () => TeamType,
    (label, load) => load.row('Team', label.teamId),
  ),
  inheritedFrom: always(() => IssueLabelType, null),
  retiredBy: nullable(
    () => UserType,
    (label, load) => load.row('User', label.retiredById),
  ),
});

/** The labels of the workspace, and those that a team's issues may have. */
export const ownersOfLabelsRelations = [
  relationsOf<Organization>(() => OrganizationType, {
    labels: page(
      () => IssueLabelConnection,
      (_organization, { viewer, now }, args, { db }) =>
        pageOf(db, 'IssueLabel', { viewer, now, args, where: (alias) => `${alias}.team_id IS NULL` }),
      { filter: () => IssueLabelFilter },
    ),
  }),
  relationsOf<Team>(() => TeamType, {
    labels: page(() => IssueLabelConnection, teamConnections.labels, { filter: () => IssueLabelFilter }),
  }),
] as const;

export const issueLabelFilterRelations = filterRelations(() => [IssueLabelFilter, IssueLabelCollectionFilter], {
  creator: () => NullableUserFilter,
  parent: () => IssueLabelFilter,
  team: () => NullableTeamFilter,
});
