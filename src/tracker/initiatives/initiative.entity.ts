import { Float, registerEnumType } from '@nestjs/graphql';
import { Entity, ForeignKey, Index } from 'typeorm';
import { newMark } from '../../kernel/ids/ids.js';
import { declareEntity, rowOf } from '../entity/declare.js';
import {
  computed,
  computedBy,
  constant,
  day,
  flag,
  idList,
  longText,
  moment,
  number,
  priority,
  reference,
  text,
  word,
} from '../entity/fields.js';
import { NullableDateComparator, NullableNumberComparator } from '../graphql/filters.js';
import { Day, DocumentContent, IntegrationsSettings } from '../graphql/references.types.js';
import { typeNamed } from '../graphql/relations.js';
import { Color } from '../graphql/rules.js';
import { DateTime } from '../graphql/scalars.js';
import { DateResolutionType, FrequencyResolutionType } from '../projects/projects.types.js';
import { connectionsOf, linked } from '../store/connections.js';
import { listed, through } from '../store/filter-keys.js';
import { nameOf, ownName, plain, timeSorts, urgency } from '../store/sort-keys.js';
import { addFilterKey, listedLive } from '../store/define-entity.js';
import {
  ancestorsOfInitiative,
  healthOfInitiative,
  healthSort,
  healthUpdatedSort,
  projectsBelow,
  projectsOfInitiative,
} from './initiatives.conditions.queries.js';
import { definePlace } from '../entity/places.js';
import { initiativeUrl } from '../values/urls.js';

export enum InitiativeStatus {
  Active = 'Active',
  Canceled = 'Canceled',
  Completed = 'Completed',
  Planned = 'Planned',
  Proposed = 'Proposed',
}
registerEnumType(InitiativeStatus, { name: 'InitiativeStatus' });

export enum InitiativeUpdateHealthType {
  atRisk = 'atRisk',
  offTrack = 'offTrack',
  onTrack = 'onTrack',
}
registerEnumType(InitiativeUpdateHealthType, { name: 'InitiativeUpdateHealthType' });

export enum InitiativeVisibility {
  private = 'private',
  public = 'public',
  restricted = 'restricted',
}
registerEnumType(InitiativeVisibility, { name: 'InitiativeVisibility' });

const set = { nullable: true, create: false, update: false, seed: false } as const;

/** A goal that projects and other initiatives work towards (docs/reference/tracker.md#initiative). */
@Entity('initiatives')
@Index('initiatives_page', ['organizationId', 'createdAt', 'id'])
@Index('initiatives_slug', ['organizationId', 'slugId'], { unique: true })
@Index('initiatives_of_label', ['labelIds'], { type: 'gin' })
@ForeignKey('organizations', ['organizationId'], ['id'], { onDelete: 'CASCADE' })
export class Initiative extends rowOf({
  name: text(),
  description: longText({ nullable: true, filter: false }),
  content: longText({ nullable: true, filter: false, event: false }),
  icon: text({ nullable: true, filter: false }),
  color: text({ nullable: true, filter: false, rules: [Color()] }),
  slugId: text({ create: false, update: false, seed: false }),
  status: word({ oneOf: Object.values(InitiativeStatus), enum: () => InitiativeStatus, default: 'Planned' }),
  ownerId: reference('User', { nullable: true }),
  /** In the order in which they were put on. */
  labelIds: idList('InitiativeLabel', { default: [], filter: false, seed: 'labels' }),
  creatorId: reference('User', { nullable: true, create: false, update: false, seed: false }),
  priority: priority({ default: 0, filter: NullableNumberComparator }),
  sortOrder: number({ default: 0, filter: false, seed: false }),
  prioritySortOrder: number({ default: 0, filter: false, event: false, seed: false }),
  targetDate: day({ nullable: true }),
  targetDateResolution: word({
    oneOf: Object.values(DateResolutionType),
    enum: () => DateResolutionType,
    nullable: true,
    filter: false,
  }),
  startedAt: moment({ ...set, filter: NullableDateComparator }),
  completedAt: moment({ ...set, filter: NullableDateComparator }),
  trashed: flag({ nullable: true, create: false, filter: false, seed: false }),
  archivedAt: moment({ ...set, filter: false }),
  frequencyResolution: constant(() => FrequencyResolutionType, FrequencyResolutionType.weekly),
  visibility: { ...constant(() => InitiativeVisibility, InitiativeVisibility.public), options: { event: false } },
  ...computed(() => InitiativeUpdateHealthType, 'health'),
  ...computed(() => DateTime, 'healthUpdatedAt'),
  ...computed(() => typeNamed('InitiativeUpdate'), 'lastUpdate'),
  ...computed(() => typeNamed('Initiative'), 'parentInitiative'),
  ...computedBy(() => typeNamed('Organization'), 'organization'),
  ...computedBy(() => String, 'url'),
  documentContent: constant(() => DocumentContent, null),
  integrationsSettings: constant(() => IntegrationsSettings, null),
  leadTeam: constant(() => typeNamed('Team'), null),
  updateReminderFrequency: constant(() => Float, null),
  updateReminderFrequencyInWeeks: constant(() => Float, null),
  updateRemindersDay: constant(() => Day, null),
  updateRemindersHour: constant(() => Float, null),
}) {}

/** Entering `Active` and `Completed` has a time, which leaving takes away. */
export const timesIn = (status: string, at: Date) => ({
  startedAt: status === 'Active' ? at : null,
  completedAt: status === 'Completed' ? at : null,
});

declare module '../store/entity-rows.js' {
  interface EntityRows {
    Initiative: Initiative;
  }
}

export const initiatives = declareEntity('Initiative', Initiative, {
  alias: 'it',
  isSlugged: true,
  listed: listedLive,
  filter: {
    ancestors: { key: ancestorsOfInitiative, input: 'InitiativeCollectionFilter' },
    health: { key: { is: 'text', sql: healthOfInitiative }, input: 'StringComparator' },
    labels: { key: listed('InitiativeLabel', 'label_ids'), input: 'InitiativeLabelCollectionFilter' },
    projects: { key: projectsOfInitiative, input: 'ProjectCollectionFilter' },
  },
  sorts: {
    ...timeSorts,
    health: healthSort,
    healthUpdatedAt: healthUpdatedSort,
    manual: plain('sort_order', 'number'),
    name: ownName('name'),
    owner: nameOf('tracker_users', 'owner_id'),
    priority: urgency,
    targetDate: plain('target_date', 'day', true),
  },
  event: { word: 'initiative', fires: true },
  mutations: ['create', 'update', 'delete', 'archive', 'unarchive'],
  seeds: {
    as: 'initiatives',
    unique: 'name',
    isFound: true,
    filled: ({ index, creatorId, at, values }) => ({
      slugId: newMark(12),
      creatorId,
      sortOrder: index,
      prioritySortOrder: index,
      ...timesIn(String(values['status']), at),
    }),
  },
  changes: { name: 'initiative' },
  title: (a) => `${a}.name`,
});

addFilterKey('Project', 'initiatives', through('Initiative', 'initiative_to_projects', 'project_id', 'initiative_id'));

/** The connections below an initiative, and a project's initiatives. */
export const initiativeConnections = connectionsOf('Initiative', {
  ownProjects: linked('Project', 'initiative_to_projects', 'initiative_id', 'project_id'),
  projects: { entity: 'Project', link: projectsBelow },
  subInitiatives: linked('Initiative', 'initiative_relations', 'initiative_id', 'related_initiative_id'),
});
export const initiativesOfProject = connectionsOf('Project', {
  initiatives: linked('Initiative', 'initiative_to_projects', 'project_id', 'initiative_id'),
}).initiatives;

definePlace('Initiative', async (tx, id, { web, urlKey }) => {
  const initiative = await tx.sql.findOneByOrFail(Initiative, { id });
  const url = initiativeUrl(web, urlKey, initiative);
  return { teams: [], url, shown: { initiative: { id, name: initiative.name, url } } };
});
