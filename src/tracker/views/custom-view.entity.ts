import { Entity, ForeignKey, Index } from 'typeorm';
import { newMark } from '../../kernel/ids/ids.js';
import { optionalTeamAccess } from '../store/hidden-teams.js';
import { declareEntity, rowOf } from '../entity/declare.js';
import { computedBy, constant, flag, json, longText, reference, text } from '../entity/fields.js';
import { typeNamed } from '../graphql/relations.js';
import { Color } from '../graphql/rules.js';
import { DateTime, JSONObject } from '../graphql/scalars.js';
import { ownName, timeSorts } from '../store/sort-keys.js';
import { bySlug, listedInOptionalTeam } from '../store/define-entity.js';
import { ViewPreferences, ViewPreferencesValues } from './view-preferences.types.js';

const byServer = { nullable: true, create: false, update: false, through: false } as const;
/** What a view is a page of: without effect on what it shows. */
const shownOn = { nullable: true, onDelete: 'CASCADE', shown: false, through: false, event: false } as const;

/** A filter with a name (docs/reference/tracker.md#customview). */
@Entity('custom_views')
@Index('custom_views_page', ['organizationId', 'createdAt', 'id'])
@Index('custom_views_slug', ['organizationId', 'slugId'], { unique: true })
@Index('custom_views_of_team', ['teamId'], { where: 'team_id IS NOT NULL' })
@Index('custom_views_of_project', ['projectId'], { where: 'project_id IS NOT NULL' })
@Index('custom_views_of_initiative', ['initiativeId'], { where: 'initiative_id IS NOT NULL' })
@ForeignKey('organizations', ['organizationId'], ['id'], { onDelete: 'CASCADE' })
export class CustomView extends rowOf({
  name: text(),
  description: longText({ nullable: true, filter: false }),
  icon: longText({ nullable: true, filter: false }),
  color: longText({ nullable: true, filter: false, rules: [Color()] }),
  slugId: text({ create: false, update: false, seed: false, filter: false }),
  teamId: reference('Team', { nullable: true, onDelete: 'CASCADE', owner: true }),
  /** Whether others see it than its owner. */
  shared: flag({ default: false }),
  modelName: text({ create: false, update: false, seed: false }),
  filterData: json({ default: {}, inputs: () => typeNamed('IssueFilter'), hasNames: true }),
  projectFilterData: json({ nullable: true, inputs: () => typeNamed('ProjectFilter'), hasNames: true }),
  ownerId: reference('User', { create: 'optional', through: false, seedDefault: true }),
  creatorId: reference('User', { create: false, update: false, through: 'UserFilter', seed: 'as', seedDefault: true }),
  updatedById: reference('User', { ...byServer, seed: false }),
  projectId: reference('Project', { ...shownOn, update: false }),
  initiativeId: reference('Initiative', shownOn),
  ...computedBy(() => JSONObject, 'filters'),
  ...computedBy(() => typeNamed('Organization'), 'organization'),
  initiativeFilterData: constant(() => JSONObject, null),
  feedItemFilterData: constant(() => JSONObject, null),
  organizationViewPreferences: constant(() => ViewPreferences, null),
  userViewPreferences: constant(() => ViewPreferences, null),
  viewPreferencesValues: constant(() => ViewPreferencesValues, null),
  archivedAt: constant(() => DateTime, null),
}) {}

declare module '../store/entity-rows.js' {
  interface EntityRows {
    CustomView: CustomView;
  }
}

/** What a view is a list of: projects where it has a filter of theirs. */
export const modelOf = (projectFilterData: unknown): 'Issue' | 'Project' =>
  projectFilterData === null || projectFilterData === undefined ? 'Issue' : 'Project';

export const customViews = declareEntity('CustomView', CustomView, {
  alias: 'cv',
  access: optionalTeamAccess('teamId'),
  ownedBy: 'ownerId',
  sharedIf: 'shared',
  listed: listedInOptionalTeam,
  lookup: bySlug,
  sorts: {
    ...timeSorts,
    name: ownName('name'),
    shared: (a) => [{ sql: `${a}.shared::int`, kind: 'number' }],
  },
  event: { word: 'customView' },
  mutations: ['delete'],
  seeds: {
    as: 'views',
    filled: ({ creatorId, values }) => ({
      slugId: newMark(12),
      ownerId: creatorId,
      creatorId,
      updatedById: creatorId,
      modelName: modelOf(values['projectFilterData']),
    }),
  },
  changes: { name: 'custom_view' },
  title: (a) => `${a}.name`,
});
