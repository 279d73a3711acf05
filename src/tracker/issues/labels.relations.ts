import { relationsOf } from '../graphql/relations.js';
import type { IssueLabel } from '../model/rows.js';
import { LabelGroupType } from './labels.types.js';

export const issueLabelRelations = relationsOf<IssueLabel>('IssueLabel', {
  groupType: (label) => (label.isGroup ? LabelGroupType.singleSelect : null),
  children: (label, load, args) => load.page('IssueLabel.children', label.id, args),
  creator: (label, load) => label.creatorId && load.user.load(label.creatorId),
  issues: (label, load, args) => load.page('IssueLabel.issues', label.id, args),
  organization: (label, load) => load.organization.load(label.organizationId),
  parent: (label, load) => label.parentId && load.label.load(label.parentId),
  team: (label, load) => label.teamId && load.team.load(label.teamId),
});
