import { Check, Entity, Index } from 'typeorm';
import { declareEntity, rowOf } from '../entity/declare.js';
import { constant, reference, text } from '../entity/fields.js';
import { accessWith, seenWithOne } from '../entity/owned-access.queries.js';
import { typeNamed } from '../graphql/relations.js';
import { DateTime } from '../graphql/scalars.js';

const owner = { nullable: true, onDelete: 'CASCADE', owner: true, hold: 'change', having: 'reactions' } as const;

/** What a person says by an emoji, once each (docs/reference/tracker.md#reaction). */
@Entity('tracker_reactions')
@Check('tracker_reactions_check', 'num_nonnulls(issue_id, comment_id, project_update_id, initiative_update_id) = 1')
@Index('tracker_reactions_page', ['organizationId', 'createdAt', 'id'])
@Index('tracker_reactions_of_issue', ['issueId', 'createdAt', 'id'], { where: 'issue_id IS NOT NULL' })
@Index('tracker_reactions_of_comment', ['commentId', 'createdAt', 'id'], { where: 'comment_id IS NOT NULL' })
@Index('tracker_reactions_of_project_update', ['projectUpdateId', 'createdAt', 'id'], {
  where: 'project_update_id IS NOT NULL',
})
@Index('tracker_reactions_of_initiative_update', ['initiativeUpdateId', 'createdAt', 'id'], {
  where: 'initiative_update_id IS NOT NULL',
})
export class Reaction extends rowOf({
  // reactions to one thing wait for each other, so that a person's emoji is there once
  issueId: reference('Issue', { ...owner, through: false }),
  commentId: reference('Comment', { ...owner, through: false }),
  projectUpdateId: reference('ProjectUpdate', { ...owner, through: false }),
  initiativeUpdateId: reference('InitiativeUpdate', { ...owner, through: false }),
  userId: reference('User', { nullable: true, create: false, through: false }),
  emoji: text({ max: 100 }),
  externalUser: constant(() => typeNamed('ExternalUser'), null),
  archivedAt: constant(() => DateTime, null),
}) {}

declare module '../store/entity-rows.js' {
  interface EntityRows {
    Reaction: Reaction;
  }
}

export const reactions = declareEntity('Reaction', Reaction, {
  alias: 'rx',
  access: seenWithOne(
    accessWith('Issue', 'issueId'),
    accessWith('Comment', 'commentId'),
    accessWith('ProjectUpdate', 'projectUpdateId'),
    accessWith('InitiativeUpdate', 'initiativeUpdateId'),
  ),
  filter: { customEmojiId: { key: { is: 'id', sql: () => 'NULL::uuid' }, input: 'IDComparator' } },
  event: { word: 'reaction', fires: true },
  mutations: ['create', 'delete'],
  seeds: ['issueId', 'commentId'].map((under) => ({
    under,
    as: 'reactions',
    map: { key: 'emoji', names: 'userId' },
  })),
  changes: { name: 'tracker_reaction' },
  title: (a) => `${a}.emoji`,
});
