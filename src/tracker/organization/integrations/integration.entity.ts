import { Entity, ForeignKey, Index } from 'typeorm';
import { optionalTeamAccess } from '../../store/hidden-teams.js';
import { declareEntity, rowOf } from '../../entity/declare.js';
import { computedBy, constant, reference, text } from '../../entity/fields.js';
import { typeNamed } from '../../graphql/relations.js';
import { DateTime } from '../../graphql/scalars.js';

/** A connection with another service: what a seed document says of it (docs/reference/tracker.md#organization). */
@Entity('tracker_integrations')
@Index('tracker_integrations_page', ['organizationId', 'createdAt', 'id'])
@Index('tracker_integrations_of_team', ['teamId'], { where: 'team_id IS NOT NULL' })
@ForeignKey('organizations', ['organizationId'], ['id'], { onDelete: 'CASCADE' })
export class Integration extends rowOf({
  teamId: reference('Team', { nullable: true, onDelete: 'CASCADE' }),
  service: text(),
  creatorId: reference('User', { seed: 'as', seedDefault: true }),
  ...computedBy(() => typeNamed('Organization'), 'organization'),
  archivedAt: constant(() => DateTime, null),
}) {}

declare module '../../store/entity-rows.js' {
  interface EntityRows {
    Integration: Integration;
  }
}

export const integrations = declareEntity('Integration', Integration, {
  alias: 'ig',
  isUnfiltered: true,
  access: optionalTeamAccess('teamId'),
  seeds: { as: 'integrations', filled: ({ creatorId }) => ({ creatorId }) },
  title: (a) => `${a}.service`,
});
