import { Int } from '@nestjs/graphql';
import { Entity, Index } from 'typeorm';
import { declareEntity, rowOf } from '../../entity/declare.js';
import { computedBy, constant, flag, longText, moment, reference, text, word } from '../../entity/fields.js';
import { accessWith } from '../../entity/owned-access.queries.js';
import { JSONObject } from '../../graphql/scalars.js';
import { connectionsOf, of } from '../../store/connections.js';
import { having, text as textKey } from '../../store/filter-keys.js';
import { newMark } from '../../../kernel/ids/ids.js';
import { addFilterKey, listedLive } from '../../store/define-entity.js';
import { ProjectUpdateHealthType } from '../projects.types.js';
import { definePlace, placeOf } from '../../entity/places.js';
import { projectUpdateUrl } from '../../values/urls.js';

/** A status report of a project (docs/reference/tracker.md#projectupdate). */
@Entity('project_updates')
@Index('project_updates_page', ['organizationId', 'createdAt', 'id'])
@Index('project_updates_of_project', ['projectId', 'createdAt', 'id'])
export class ProjectUpdate extends rowOf({
  projectId: reference('Project', {
    onDelete: 'CASCADE',
    owner: true,
    hold: 'change',
    backed: 'projectUpdates',
    isBackedUnfiltered: true,
    update: false,
  }),
  userId: reference('User', { create: false, update: false, seed: 'as' }),
  body: longText({ default: '', filter: false }),
  health: word({
    oneOf: Object.values(ProjectUpdateHealthType),
    enum: () => ProjectUpdateHealthType,
    default: 'onTrack',
    filter: false,
  }),
  slugId: text({ create: false, update: false, filter: false, seed: false }),
  isDiffHidden: flag({ default: false, update: false, filter: false, event: false, seed: false }),
  editedAt: moment({ nullable: true, create: false, update: false, filter: false, seed: false }),
  archivedAt: moment({ nullable: true, create: false, update: false, filter: false, seed: false }),
  ...computedBy(() => Int, 'commentCount'),
  ...computedBy(() => Boolean, 'isStale'),
  ...computedBy(() => String, 'url'),
  diff: constant(() => JSONObject, null),
  diffMarkdown: constant(() => String, null),
  shortSummary: constant(() => String, null),
}) {}

declare module '../../store/entity-rows.js' {
  interface EntityRows {
    ProjectUpdate: ProjectUpdate;
  }
}

export const projectUpdates = declareEntity('ProjectUpdate', ProjectUpdate, {
  alias: 'pu',
  access: accessWith('Project', 'projectId'),
  listed: listedLive,
  event: { word: 'projectUpdate', fires: true },
  mutations: ['create', 'update', 'archive', 'unarchive'],
  seeds: {
    under: 'projectId',
    as: 'updates',
    isDated: true,
    filled: ({ creatorId }) => ({ slugId: newMark(12), userId: creatorId }),
  },
  changes: { name: 'project_update' },
});

// the filters of projects have a type of their own for it, which compares the health as well
addFilterKey('ProjectUpdate', 'health', textKey('health'));
addFilterKey('Project', 'projectUpdates', having('ProjectUpdate', 'project_id'));

/** The connections below a ProjectUpdate. */
export const projectUpdateConnections = connectionsOf('ProjectUpdate', {
  comments: of('Comment', 'project_update_id'),
});

definePlace('ProjectUpdate', async (tx, id, at) => {
  const { body, projectId, slugId, userId } = await tx.sql.findOneByOrFail(ProjectUpdate, { id });
  const { teams, url, shown } = await placeOf(tx, { entity: 'Project', id: projectId }, at);
  return { teams, url: projectUpdateUrl(url, slugId), shown: { projectUpdate: { id, body, userId, ...shown } } };
});
