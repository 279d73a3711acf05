import { Int } from '@nestjs/graphql';
import { Entity, Index } from 'typeorm';
import { declareEntity, rowOf } from '../../entity/declare.js';
import { computedBy, constant, flag, longText, moment, reference, text, word } from '../../entity/fields.js';
import { JSONObject } from '../../graphql/scalars.js';
import { connectionsOf, of } from '../../store/connections.js';
import { having } from '../../store/filter-keys.js';
import { newMark } from '../../../kernel/ids/ids.js';
import { addFilterKey, listedLive } from '../../store/define-entity.js';
import { InitiativeUpdateHealthType } from '../initiative.entity.js';
import { definePlace, placeOf } from '../../entity/places.js';
import { initiativeUpdateUrl } from '../../values/urls.js';

/** A status report of an initiative (docs/reference/tracker.md#initiativeupdate). */
@Entity('initiative_updates')
@Index('initiative_updates_page', ['organizationId', 'createdAt', 'id'])
@Index('initiative_updates_of_initiative', ['initiativeId', 'createdAt', 'id'])
export class InitiativeUpdate extends rowOf({
  initiativeId: reference('Initiative', {
    onDelete: 'CASCADE',
    owner: true,
    hold: 'change',
    backed: 'initiativeUpdates',
    isBackedUnfiltered: true,
    update: false,
  }),
  userId: reference('User', { create: false, update: false, seed: 'as' }),
  body: longText({ default: '', filter: false }),
  health: word({
    oneOf: Object.values(InitiativeUpdateHealthType),
    enum: () => InitiativeUpdateHealthType,
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
}) {}

declare module '../../store/entity-rows.js' {
  interface EntityRows {
    InitiativeUpdate: InitiativeUpdate;
  }
}

export const initiativeUpdates = declareEntity('InitiativeUpdate', InitiativeUpdate, {
  alias: 'iu',
  listed: listedLive,
  event: { word: 'initiativeUpdate', fires: true },
  mutations: ['create', 'update', 'archive', 'unarchive'],
  seeds: {
    under: 'initiativeId',
    as: 'updates',
    isDated: true,
    filled: ({ creatorId }) => ({ slugId: newMark(12), userId: creatorId }),
  },
  changes: { name: 'initiative_update' },
});

// the filters of initiatives have a type of their own for it
addFilterKey('Initiative', 'initiativeUpdates', having('InitiativeUpdate', 'initiative_id'));

/** The connections below an InitiativeUpdate. */
export const initiativeUpdateConnections = connectionsOf('InitiativeUpdate', {
  comments: of('Comment', 'initiative_update_id'),
});

definePlace('InitiativeUpdate', async (tx, id, at) => {
  const { createdAt, editedAt, health, initiativeId, slugId } = await tx.sql.findOneByOrFail(InitiativeUpdate, { id });
  const { teams, url } = await placeOf(tx, { entity: 'Initiative', id: initiativeId }, at);
  const initiativeUpdate = { id, bodyData: '{}', editedAt: editedAt ?? createdAt, health };
  return { teams, url: initiativeUpdateUrl(url, slugId), shown: { initiativeUpdate } };
});
