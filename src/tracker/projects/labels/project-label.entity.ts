import { Entity, ForeignKey, Index } from 'typeorm';
import { optionalTeamAccess } from '../../store/hidden-teams.js';
import { declareEntity, rowOf } from '../../entity/declare.js';
import { computed, constant, flag, longText, moment, reference, text } from '../../entity/fields.js';
import { Color } from '../../graphql/rules.js';
import { DateTime } from '../../graphql/scalars.js';
import { typeNamed } from '../../graphql/relations.js';
import { LabelGroupType } from '../../labels/label-group.js';
import { connectionsOf } from '../../store/connections.js';
import { listedInOptionalTeam } from '../../store/define-entity.js';
import { pickColor } from '../../values/colors.js';

const byServer = { nullable: true, create: false, update: false } as const;

/** A label of projects (docs/reference/tracker.md#projectlabel). */
@Entity('project_labels')
@Index('project_labels_workspace_name', { synchronize: false })
@Index('project_labels_team_name', { synchronize: false })
@Index('project_labels_page', ['organizationId', 'createdAt', 'id'])
@Index('project_labels_of_team', ['teamId', 'createdAt', 'id'], { where: 'team_id IS NOT NULL' })
@Index('project_labels_of_parent', ['parentId', 'createdAt', 'id'], { where: 'parent_id IS NOT NULL' })
@ForeignKey('organizations', ['organizationId'], ['id'], { onDelete: 'CASCADE' })
export class ProjectLabel extends rowOf({
  teamId: reference('Team', { nullable: true, onDelete: 'CASCADE', owner: true, update: false }),
  name: text(),
  color: longText({ create: 'optional', rules: [Color()], filter: false }),
  description: longText({ nullable: true, filter: false }),
  isGroup: flag({ default: false }),
  parentId: reference('ProjectLabel', {
    nullable: true,
    onDelete: 'SET NULL',
    backed: 'children',
    through: 'ProjectLabelFilter',
  }),
  creatorId: reference('User', { ...byServer, seed: false }),
  lastAppliedAt: moment({ ...byServer, filter: false, event: false, seed: false }),
  retiredById: reference('User', { ...byServer, through: false, event: false, seed: 'retired_by' }),
  ...computed(() => LabelGroupType, 'groupType'),
  inheritedFrom: constant(() => typeNamed('ProjectLabel'), null),
  archivedAt: constant(() => DateTime, null),
}) {}

declare module '../../store/entity-rows.js' {
  interface EntityRows {
    ProjectLabel: ProjectLabel;
  }
}

export const projectLabels = declareEntity('ProjectLabel', ProjectLabel, {
  alias: 'pl',
  access: optionalTeamAccess('teamId'),
  listed: listedInOptionalTeam,
  nestsCollectionFilter: true,
  event: { word: 'projectLabel', fires: true },
  seeds: {
    as: 'project_labels',
    isFound: true,
    order: (a) => `lower(${a}.name)`,
    filled: ({ creatorId }) => ({ creatorId, color: pickColor() }),
  },
  changes: { name: 'project_label', follows: ['last_applied_at'] },
  title: (a) => `${a}.name`,
});

/** The connections below a ProjectLabel. */
export const projectLabelConnections = connectionsOf('ProjectLabel', {
  projects: {
    entity: 'Project' as const,
    link: (a: string, parent: string) => `${a}.label_ids @> ARRAY[${parent}]`,
  },
});
