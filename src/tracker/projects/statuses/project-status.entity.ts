import { registerEnumType } from '@nestjs/graphql';
import { Check, Entity, ForeignKey, Index } from 'typeorm';
import { declareEntity, rowOf } from '../../entity/declare.js';
import { flag, given, longText, moment, number, text, word } from '../../entity/fields.js';
import { Color } from '../../graphql/rules.js';
import { PROJECT_STATUSES } from '../../values/project-statuses.js';
import { having, nothing } from '../../store/filter-keys.js';
import { listedLive } from '../../store/define-entity.js';

export enum ProjectStatusType {
  backlog = 'backlog',
  planned = 'planned',
  started = 'started',
  paused = 'paused',
  completed = 'completed',
  canceled = 'canceled',
}
registerEnumType(ProjectStatusType, { name: 'ProjectStatusType' });

export type ProjectStatusKind = keyof typeof ProjectStatusType;

/** A status of projects (docs/reference/tracker.md#projectstatus). */
@Entity('project_statuses')
@Check('project_statuses_type_check', `type IN ('backlog', 'planned', 'started', 'paused', 'completed', 'canceled')`)
@Index('project_statuses_position', ['organizationId', 'position'])
@ForeignKey('organizations', ['organizationId'], ['id'], { onDelete: 'CASCADE' })
export class ProjectStatus extends rowOf({
  name: text(),
  type: word({
    oneOf: Object.values(ProjectStatusType),
    enum: () => ProjectStatusType,
  }),
  color: longText({ rules: [Color()], filter: false }),
  position: number(),
  description: longText({ nullable: true }),
  indefinite: flag({ default: false, filter: false }),
  archivedAt: moment({ nullable: true, create: false, update: false, filter: false, event: false, seed: false }),
  // accepted, as statuses of teams do not exist
  teamId: given<string>(() => String),
}) {
  declare type: ProjectStatusKind;
}

declare module '../../store/entity-rows.js' {
  interface EntityRows {
    ProjectStatus: ProjectStatus;
  }
}

export const projectStatuses = declareEntity('ProjectStatus', ProjectStatus, {
  alias: 'ps',
  plural: 'projectStatuses',
  payloadKey: 'status',
  isUnfiltered: true,
  listed: listedLive,
  filter: {
    projects: { key: having('Project', 'status_id'), input: 'ProjectCollectionFilter' },
    team: { key: nothing, input: 'NullableTeamFilter' },
  },
  event: { word: 'projectStatus' },
  mutations: ['create', 'update', 'archive', 'unarchive'],
  seeds: {
    as: 'project_statuses',
    unique: 'name',
    isFound: true,
    order: (a) => `${a}.position`,
    isImplied: ({ name, type, color, position, description, indefinite }) =>
      PROJECT_STATUSES.some((one, i) => one[0] === name && one[1] === type && one[2] === color && i === position) &&
      description === null &&
      !indefinite,
  },
  changes: { name: 'project_status' },
  title: (a) => `${a}.name`,
});
